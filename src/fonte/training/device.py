"""Where a model lies while its questions are tried and its training starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def starting_device(gpus: int, options: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """Return the device to load the model on: this process's GPU, where it is tried and then trained, else the CPU.

    `gpus` are the CUDA devices that torch sees, `options` those of TRL; a launcher says in the `environment` which
    process of this machine (`LOCAL_RANK`) this is. Weights that will be sharded over the processes (FSDP, DeepSpeed; by
    option or by `accelerate`) start on the CPU, since the whole model need not fit on one GPU. To be asked before the
    processes join: a model that is loaded later is empty on all but the first where FSDP saves memory in loading.
    """
    kinds = ("fsdp", "deepspeed")
    sharded = any(options.get(kind) or environment.get(f"ACCELERATE_USE_{kind.upper()}") == "true" for kind in kinds)
    on_cpu = options.get("use_cpu") or environment.get("ACCELERATE_USE_CPU") == "true"
    if sharded or on_cpu or not gpus:
        return "cpu"
    return f"cuda:{int(environment.get('LOCAL_RANK', '0')) % gpus}"
