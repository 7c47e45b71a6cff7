"""The same scores computed naively: one full forward pass per prompt and answer, nothing shared, nothing cached.

It is what the engines are held against, in the tests and at first use, and what runs where sharing would be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from fonte.likelihood.forward import Forward, log_probabilities
from fonte.likelihood.plan import Cancelled, Evaluation, FloatArray, Plan, Stop


def naive_evaluation(
    forward: Forward, prompt: tuple[int, ...], answer: tuple[int, ...], *, reset_rotary: bool = False
) -> FloatArray:
    """Return log p (float32 [token]) of `answer` after `prompt` from one forward pass without a cache.

    `reset_rotary` first runs one token: rotary tables that grow with the longest input seen are then small again, so
    that the result does not depend on what ran before.
    """
    if reset_rotary:
        forward.logits(torch.tensor([prompt[:1]], device=forward.device), [], use_cache=False)
    ids = torch.tensor([prompt + answer], device=forward.device)
    positions = list(range(len(prompt) - 1, len(prompt) + len(answer) - 1))
    logits = forward.logits(ids, positions, use_cache=False)
    return log_probabilities(logits[0], ids[0, len(prompt) :])


def evaluate_naively(forward: Forward, plan: Plan, stop: Stop, *, reset_rotary: bool = False) -> Iterator[Evaluation]:
    """Score every visit of `plan` with `naive_evaluation`; see `Scorer.evaluate`."""
    for visit in plan.visits:
        tokens, calls = forward.tokens, forward.calls
        scored = {}
        for number in plan.wanted[visit.prompt]:
            if stop():
                raise Cancelled
            answer = plan.answers[number]
            scored[number] = naive_evaluation(forward, plan.prompt(visit.prompt), answer, reset_rotary=reset_rotary)
        yield Evaluation(visit.prompt, scored, forward.tokens - tokens, forward.calls - calls)
