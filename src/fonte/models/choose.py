"""Scores of given continuations by teacher forcing, with everything that prompts share computed once."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from transformers.cache_utils import LinearAttentionCacheLayerMixin

from fonte.models.decode import PromptMemory, new_cache, next_logits

Ids = tuple[int, ...]
BATCH = 16


def option_log_probabilities(
    model: Any, prompts: Sequence[tuple[Ids, Ids]], options: Sequence[Ids], memory: PromptMemory | None = None
) -> npt.NDArray[np.float64]:
    """Return sum over tokens of log p(option | prompt), in nats: float64 [prompt, option].

    A prompt is (head, rest). Its head is always run by itself and kept while the next prompt has the same one, so a
    prompt's numbers do not depend on the prompts beside it, nor on whether `memory` knew the head already. Models
    that keep a running state read every prompt whole. Log-softmax is in float32.
    """
    scores = np.zeros((len(prompts), len(options)))
    if _has_state(new_cache(model)):  # not every running state can be continued by more than one token
        prompts = [((), head + rest) for head, rest in prompts]
    shared: tuple[Ids, Any] | None = None
    for row, (head, rest) in enumerate(prompts):
        if shared is None or shared[0] != head:
            shared = head, memory.read(model, head)[0] if memory and head else _head_cache(model, head)
        last = row + 1 == len(prompts) or prompts[row + 1][0] != head
        cache = shared[1] if last else copy.deepcopy(shared[1])
        shared = None if last else shared
        scores[row] = _score_options(model, cache, next_logits(model, rest, cache), options)
    return scores


def _head_cache(model: Any, head: Ids) -> Any:
    cache = new_cache(model)
    if head:
        next_logits(model, head, cache)
    return cache


def _score_options(model: Any, cache: Any, logits: torch.Tensor, options: Sequence[Ids]) -> npt.NDArray[np.float64]:
    first = torch.log_softmax(logits, dim=-1)
    scores = first[[option[0] for option in options]].double().cpu().numpy()
    longer = [number for number, option in enumerate(options) if len(option) > 1]
    if _has_state(cache):  # a state has no batch to repeat
        scores[longer] += [_one_by_one(model, copy.deepcopy(cache), options[number]) for number in longer]
        return scores
    for start in range(0, len(longer), BATCH):
        batch = longer[start : start + BATCH]
        scores[batch] += _continuations(model, copy.deepcopy(cache), [options[number] for number in batch])
    return scores


def _has_state(cache: Any) -> bool:
    return any(isinstance(layer, LinearAttentionCacheLayerMixin) for layer in cache.layers)


def _one_by_one(model: Any, cache: Any, option: Ids) -> float:
    """Return sum of log p of every token but the first."""
    steps = [torch.log_softmax(next_logits(model, (token,), cache), dim=-1)[after] for token, after in pairwise(option)]
    return float(torch.stack(steps).double().sum())


@torch.inference_mode()
def _continuations(model: Any, cache: Any, options: Sequence[Ids]) -> npt.NDArray[np.float64]:
    """Return sum of log p of every token but the first; shorter options are padded behind, where nothing looks."""
    width = max(map(len, options))
    padded = torch.tensor([[*option, *[0] * (width - len(option))] for option in options], device=model.device)
    real = torch.arange(1, width) < torch.tensor([[len(option)] for option in options])
    cache.batch_repeat_interleave(len(options))
    logits = model(input_ids=padded[:, :-1], cache=cache, use_cache=True).logits
    log_probabilities = torch.log_softmax(logits.float(), dim=-1)
    chosen = log_probabilities.gather(2, padded[:, 1:, None]).squeeze(2).cpu().double()
    return np.asarray((chosen * real).sum(dim=1).numpy())
