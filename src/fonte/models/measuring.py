"""Tokenizers that only measure."""

from __future__ import annotations

from typing import Any

from fonte.errors import MissingExtraError, ModelError

try:
    from tokenizers import Tokenizer
except ImportError:
    raise MissingExtraError("tokenizers", "local") from None


def measuring_tokenizer(tokenizer: Any, name: str) -> Tokenizer:
    """Return a copy of a model's fast tokenizer that neither truncates nor pads, for counts and offsets.

    A copy, because the model's own one has switches that its library turns on and off, also from other threads.
    Errors: `ModelError` where the model has no fast tokenizer.
    """
    backend = getattr(tokenizer, "backend_tokenizer", None) or tokenizer
    if not isinstance(backend, Tokenizer):
        raise ModelError(f"{name} has no fast tokenizer, which is needed for token counts and offsets; convert it.")
    copy = Tokenizer.from_str(backend.to_str())
    copy.no_truncation()
    copy.no_padding()
    return copy
