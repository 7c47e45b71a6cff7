"""A float32 copy of a model in a shorter format, kept equal to the live weights."""

from __future__ import annotations

import copy
from typing import Any

import torch

from fonte.errors import UsageError
from fonte.likelihood.forward import is_sharded


class FullPrecision:
    """Gives the model itself where it is float32 already, else its copy; at most one copy is held."""

    def __init__(self) -> None:
        self._source: Any = None
        self._copy: Any = None

    def of(self, model: Any) -> Any:
        """Return `model` or its float32 copy with the weights of this moment.

        The copy takes 4 bytes per parameter. Errors: `UsageError` for quantised and for sharded weights, of which there
        is no such copy.
        """
        if all(weight.dtype == torch.float32 for weight in model.parameters()):
            return model
        if not all(weight.is_floating_point() for weight in model.parameters()) or is_sharded(model):
            raise UsageError(
                "Quantised or sharded weights cannot be copied to float32. Score them in their own format: "
                "EvidenceScorer(..., dtype='own'), and keep the threshold well above its noise."
            )
        if self._source is not model:
            self._source, self._copy = model, _own(copy.deepcopy(model)).float().eval().requires_grad_(False)
        with torch.no_grad():
            for target, weight in zip(self._copy.parameters(), model.parameters(), strict=True):
                target.copy_(weight)
        return self._copy


def _own(copied: Any) -> Any:
    """Take off what trainers put in place of `forward`: wrappers that still call the model that was copied."""
    for module in copied.modules():
        for name in ("forward", "_original_forward"):
            module.__dict__.pop(name, None)
    return copied
