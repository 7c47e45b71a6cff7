"""Token by token: the decoding loop on a key-value cache, greedy or drawn by seed, free or under a grammar."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import DynamicCache

from fonte.errors import ModelError, UsageError
from fonte.models.grammar import Grammar


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a token is taken: the likeliest (`temperature` 0), or drawn by `seed` from softmax(logits / temperature)."""

    temperature: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse temperatures that mean nothing."""
        if not 0 <= self.temperature < float("inf"):
            raise UsageError(f"temperature must be 0 or a positive number, not {self.temperature}.")


def new_cache(model: Any) -> Any:
    """Return an empty key-value cache for `model` (sliding windows and hybrid layers as its configuration says)."""
    return DynamicCache(config=model.config)


@torch.inference_mode()
def next_logits(model: Any, ids: Sequence[int], cache: Any) -> torch.Tensor:
    """Run `ids` after what `cache` holds (which grows); return the next token's logits: float32 [vocabulary]."""
    tokens = torch.tensor([list(ids)], dtype=torch.long, device=model.device)
    logits: torch.Tensor = model(input_ids=tokens, cache=cache, use_cache=True, logits_to_keep=1).logits
    return logits[0, -1].float()


def read_prompt(model: Any, ids: Sequence[int]) -> tuple[Any, torch.Tensor]:
    """Run a prompt; return the key-value cache that holds it, and the logits of what follows: float32 [vocabulary]."""
    cache = new_cache(model)
    return cache, next_logits(model, ids, cache)


class PromptMemory:
    """The last prompt that was read, so that what is asked about it next need not read it again."""

    def __init__(self) -> None:
        self._ids: tuple[int, ...] = ()
        self._known: tuple[Any, torch.Tensor] | None = None

    def read(self, model: Any, ids: Sequence[int]) -> tuple[Any, torch.Tensor]:
        """Return what `read_prompt` does, with a cache that the caller may let grow."""
        if self._known is None or self._ids != tuple(ids):
            self._known = None  # frees the old cache before the new one is made
            self._ids, self._known = tuple(ids), read_prompt(model, ids)
        cache, logits = self._known
        return copy.deepcopy(cache), logits


class Decoder:
    """One answer in the making. `ended` tells afterwards whether the model (or the grammar) ended it."""

    def __init__(
        self, model: Any, tokenizer_size: int, ends: frozenset[int], sampling: Sampling, grammar: Grammar | None = None
    ) -> None:
        self.ended = False
        self._model = model
        self._size = tokenizer_size
        self._ends = ends
        self._sampling = sampling
        self._grammar = grammar
        # Drawn on the CPU, so that a seed means the same on every device.
        self._random = torch.Generator().manual_seed(sampling.seed % 2**63)

    def tokens(self, prompt: Sequence[int], limit: int, memory: PromptMemory | None = None) -> Iterator[int]:
        """Yield up to `limit` tokens; an end token is yielded too, as the last."""
        cache, logits = memory.read(self._model, prompt) if memory else read_prompt(self._model, prompt)
        for left in range(limit, 0, -1):
            token = self._pick(logits)
            if self._grammar is not None:
                self._grammar.accept(token)
            self.ended = token in self._ends or (self._grammar is not None and self._grammar.finished)
            yield token
            if self.ended or left == 1:
                return
            logits = next_logits(self._model, (token,), cache)

    def _pick(self, logits: torch.Tensor) -> int:
        logits = logits.cpu().clone()  # a plain tensor: those of inference mode cannot be changed
        # Rows that pad the vocabulary stand for no text.
        logits[self._size :] = -torch.inf
        if self._grammar is not None:
            logits[~torch.from_numpy(self._grammar.allowed(len(logits)))] = -torch.inf
        if logits.isnan().any() or not (logits > -torch.inf).any():
            raise ModelError("The model's output is not a number; its number format is too narrow: use dtype float32.")
        if self._sampling.temperature == 0:
            return int(logits.argmax())
        probabilities = torch.softmax((logits.double() - logits.max()) / self._sampling.temperature, dim=-1)
        return int(torch.multinomial(probabilities, 1, generator=self._random))
