"""One way to run a causal language model: token ids in, log-probabilities of chosen next tokens out."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from fonte.errors import ModelError

ROWS = 128  # positions whose float32 log-softmax is held at a time


class Forward:
    """The forward pass of `model` (a transformers causal language model, possibly wrapped by peft or accelerate).

    Logits come from the model's own head at the asked positions only, so soft-capping and scaling are the model's.
    `calls` and `tokens` (padding included) count what went through since the start.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        plain = model.get_base_model() if hasattr(model, "get_base_model") else model
        self._selects = "logits_to_keep" in inspect.signature(type(plain).forward).parameters
        self._sharded = is_sharded(model)
        self.calls = 0
        self.tokens = 0

    @property
    def device(self) -> torch.device:
        """Where token ids go."""
        device: torch.device = self.model.get_input_embeddings().weight.device
        return device

    @property
    def vocabulary(self) -> int:
        """Token ids that the model knows; its head gives as many logits."""
        rows: int = self.model.get_input_embeddings().weight.shape[0]
        return rows

    def logits(self, ids: torch.Tensor, positions: list[int], **arguments: Any) -> torch.Tensor:
        """Run `ids` (int64 [batch, token]) and return logits [batch, position, vocabulary] at `positions`.

        `arguments` go to the model (cache, attention mask, position ids). No positions give an empty middle axis.
        """
        self.calls += 1
        self.tokens += ids.numel()
        chosen = torch.tensor(positions, dtype=torch.long)  # on the CPU: it indexes a tensor on any device
        if self._selects:
            arguments["logits_to_keep"] = chosen
        # accelerate replaces `forward` by one under autocast; the original computes in the model's own dtype. Sharded
        # weights are gathered by hooks of the whole call.
        call = self.model if self._sharded else getattr(self.model, "_original_forward", self.model)
        logits: torch.Tensor = call(input_ids=ids, return_dict=True, **arguments).logits
        return logits if self._selects else logits[:, chosen]


def is_sharded(model: Any) -> bool:
    """Return whether the weights lie on several processes (`torch.distributed.fsdp.fully_shard`, tensor parallel)."""
    return any(hasattr(weight, "placements") for weight in model.parameters())


@contextmanager
def scoring(model: Any) -> Iterator[None]:
    """Put `model` into evaluation mode without gradients and autocast; give it back as it was, whatever happens.

    A model that is being trained is run under `no_grad`: tensors made in inference mode (rotary tables, say) could not
    take part in its next training step.
    """
    training = [module for module in model.modules() if module.training]
    device = model.get_input_embeddings().weight.device.type
    guard = torch.no_grad() if training or is_sharded(model) else torch.inference_mode()
    try:
        for module in training:
            module.training = False
        with guard, torch.autocast(device, enabled=False):
            yield
    finally:
        for module in training:
            module.training = True


def log_probabilities(logits: torch.Tensor, targets: torch.Tensor) -> NDArray[np.float32]:
    """Return log p of `targets` (int64 [position]) under `logits` ([position, vocabulary]), in float32 nats.

    Errors: `ModelError` where a result is not finite.
    """
    parts = []
    for start in range(0, logits.shape[0], ROWS):
        rows = logits[start : start + ROWS].float()
        chosen = rows.gather(1, targets[start : start + ROWS, None].to(rows.device))[:, 0]
        parts.append(chosen - rows.logsumexp(dim=1))
    if not parts:
        return np.zeros(0, dtype=np.float32)
    values: NDArray[np.float32] = torch.cat(parts).cpu().numpy().astype(np.float32)
    if not np.isfinite(values).all():
        raise ModelError(
            f"The model gave a log-probability that is not finite (logits in {logits.dtype}) to "
            f"{int((~np.isfinite(values)).sum())} of {values.size} answer tokens. Either its numbers overflow in this "
            "dtype (load it in bfloat16 or float32), or it gives these token ids the probability zero."
        )
    return values
