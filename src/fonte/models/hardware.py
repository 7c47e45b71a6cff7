"""Which number format and how many threads fit the machine."""

from __future__ import annotations

import threading
from typing import Any

from fonte.errors import MissingExtraError, ModelError

try:
    import torch
except ImportError:
    raise MissingExtraError("torch", "local") from None


def use_threads(threads: int | None) -> None:
    """Set torch's threads for this process; None leaves torch's choice (`OMP_NUM_THREADS`, else the physical cores)."""
    if threads is not None:
        torch.set_num_threads(threads)


def use_one_thread() -> None:
    """Let torch compute with one thread in the calling thread alone."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    # A thread that has not used torch yet takes the number that was set last anywhere: set it back, in another one.
    restoring = threading.Thread(target=torch.set_num_threads, args=(before,))
    restoring.start()
    restoring.join()


def choose_device(device: str) -> torch.device:
    """Return the device that `device` names; `auto` is the first GPU where torch sees one, else the CPU.

    Errors: `ModelError` where torch does not know the device or does not see it.
    """
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.empty(0, device=device)
        return torch.device(device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise ModelError(f"The device {device!r} cannot be used: {reason} Use auto, cpu, or one that exists.") from None


def choose_dtype(dtype: str, device: torch.device) -> torch.dtype:
    """Return the format of the weights; `auto` is bfloat16 where the hardware multiplies it, else float32.

    The choice depends on the processor's abilities alone, never on a measurement, so it is the same in every run.
    Errors: `ModelError` for a format that is not one of float32, bfloat16, float16.
    """
    named = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
    if dtype != "auto":
        if dtype not in named:
            raise ModelError(f"Unknown number format {dtype!r}; use auto, {', '.join(named)}.")
        return named[dtype]
    return torch.bfloat16 if _has_fast_bfloat16(device) else torch.float32


def _has_fast_bfloat16(device: torch.device) -> bool:
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    able: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)() if device.type == "cpu" else {}
    return bool(able.get("avx512_bf16") or able.get("amx_bf16") or able.get("bf16"))
