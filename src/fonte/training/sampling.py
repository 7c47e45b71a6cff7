"""Completions of prompts given as token ids: greedy ones in batches, and groups of samples that share their prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from fonte.likelihood.forward import scoring
from fonte.training.reward import Completion

Decode = Callable[[Sequence[int]], str]


def greedy(
    model: Any,
    prompts: Sequence[Sequence[int]],
    ends: Iterable[int],
    decode: Decode,
    *,
    max_tokens: int,
    batch: int = 8,
) -> list[Completion]:
    """Return the likeliest continuation of each prompt, in order; prompts of like length run together."""
    order = sorted(range(len(prompts)), key=lambda number: len(prompts[number]))
    found: dict[int, Completion] = {}
    for start in range(0, len(order), batch):
        numbers = order[start : start + batch]
        rows = _generate(model, [prompts[number] for number in numbers], ends, max_tokens, {"do_sample": False})
        found.update(zip(numbers, _completions(rows, ends, decode), strict=True))
    return [found[number] for number in range(len(prompts))]


def sample_group(
    model: Any,
    prompt: Sequence[int],
    ends: Iterable[int],
    decode: Decode,
    *,
    count: int,
    max_tokens: int,
    temperature: float = 1.0,
    seed: int = 0,
) -> list[Completion]:
    """Return `count` samples of one prompt, drawn by `seed`."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        options = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
        rows = _generate(model, [prompt] * count, ends, max_tokens, options)
    return _completions(rows, ends, decode)


def _generate(
    model: Any, prompts: Sequence[Sequence[int]], ends: Iterable[int], max_tokens: int, options: dict[str, Any]
) -> list[list[int]]:
    longest = max(len(prompt) for prompt in prompts)
    device = model.get_input_embeddings().weight.device
    ids = torch.tensor([[0] * (longest - len(prompt)) + list(prompt) for prompt in prompts], device=device)
    mask = torch.tensor([[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt in prompts], device=device)
    with scoring(model), _caching(model):
        out = model.generate(
            input_ids=ids,
            attention_mask=mask,
            max_new_tokens=max_tokens,
            eos_token_id=sorted(ends),
            pad_token_id=min(ends),
            repetition_penalty=1.0,  # some models declare another, which counts the prompt's words: it punishes quoting
            **options,
        )
    rows: list[list[int]] = out[:, longest:].tolist()
    return rows


@contextmanager
def _caching(model: Any) -> Iterator[None]:
    """Let generation keep keys and values, which training with checkpointed activations switches off."""
    before = model.config.use_cache
    model.config.use_cache = True
    try:
        yield
    finally:
        model.config.use_cache = before


def _completions(rows: Sequence[Sequence[int]], ends: Iterable[int], decode: Decode) -> list[Completion]:
    stops = frozenset(ends)
    found = []
    for row in rows:
        end = next((place for place, token in enumerate(row) if token in stops), None)
        ids = tuple(row if end is None else row[: end + 1])
        found.append(Completion(ids, decode(ids), truncated=end is None))
    return found
