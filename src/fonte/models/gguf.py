"""GGUF files: de-quantised once into a plain safetensors folder, which loads in a fraction of a second afterwards."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

from fonte.errors import MissingExtraError
from fonte.models.folder import model_folder
from fonte.models.loading import loading, quiet
from fonte.models.staging import locked, put_in_place, writing
from fonte.models.weights import require_safe, weights_fingerprint

# `general.file_type` of files that are not quantised; everything else becomes bfloat16, whose 8 bits of mantissa hold
# any quantised value well within the quantisation's own error.
WANTED = "a GGUF language model of an architecture that transformers reads (else use its safetensors, or serve it)"
EXACT_TYPES = {0: "float32", 1: "float16", 32: "bfloat16"}


def dequantised(file: Path) -> Path:
    """Return the folder with the de-quantised model of a GGUF `file`, making it on first use.

    The folder lies in the model folder under `.gguf`, named by the content's sha256, so a renamed or copied file is
    not converted again. Errors: `ModelError` where the file is not a causal language model that can be read.
    """
    target = model_folder() / ".gguf" / weights_fingerprint(require_safe(file))[:32]
    if (target / "config.json").is_file():
        return target
    with locked(target) as staging:
        if not (target / "config.json").is_file():
            finished = staging / "model"
            with writing(target.parent):
                dequantise(file, finished)
                put_in_place(finished, target, staging)
    return target


def dequantise(file: Path, folder: Path) -> None:
    """Write `file` as safetensors, with its tokenizer and chat template, into `folder`.

    transformers refuses to save a model that was loaded from GGUF, so its weights move to a fresh model of the same
    class and configuration.
    """
    try:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig
    except ImportError:
        raise MissingExtraError("transformers", "local") from None
    source: dict[str, Any] = {"pretrained_model_name_or_path": str(file.parent), "gguf_file": file.name}
    with loading(str(file), WANTED), contextlib.redirect_stderr(io.StringIO()):  # one bar there knows no switch
        dtype = getattr(torch, _dtype(file))
        plain = GgufConfig(dequantize=True)
        loaded = AutoModelForCausalLM.from_pretrained(**source, dtype=dtype, quantization_config=plain)
        tokenizer = AutoTokenizer.from_pretrained(**source)
    _save(loaded, tokenizer, folder)


def _save(loaded: Any, tokenizer: Any, folder: Path) -> None:
    config = loaded.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    fresh = type(loaded)(config).to(loaded.dtype)
    fresh.load_state_dict(loaded.state_dict())
    fresh.generation_config = loaded.generation_config
    with quiet():
        fresh.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    for file in folder.iterdir():
        file.chmod(0o644)  # safetensors are written for their owner only; a model folder may be shared


def _dtype(file: Path) -> str:
    from gguf import GGUFReader

    field = GGUFReader(file).fields.get("general.file_type")
    return EXACT_TYPES.get(int(field.contents()), "bfloat16") if field else "bfloat16"
