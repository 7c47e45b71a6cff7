"""What scoring costs, in the unit that counts: tokens through the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fonte.likelihood.trie import Path, visits


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens through the model, padding included, and wall time in seconds.

    `computed` was run for the scores, `check` beside it for the self-check at first use. `naive` is what one full
    forward pass per ablation and answer takes, `shared` = `naive` - `computed` (at least 0) was saved by shared
    prefixes, duplicates and stored evaluations. `floor` = head + distinct kept-passage prefixes + per distinct prompt
    (tail + distinct answers), whether stored or not. `evaluations` counts distinct (prompt, answer) pairs, `stored`
    those of them that were found in the evaluation store, `calls` forward passes (or requests).
    """

    computed: int = 0
    shared: int = 0
    floor: int = 0
    naive: int = 0
    check: int = 0
    calls: int = 0
    evaluations: int = 0
    stored: int = 0
    seconds: float = 0.0


def floor_tokens(paths: Sequence[Path], tail: int, answers: Sequence[tuple[int, ...]]) -> int:
    """Return the fewest tokens for scoring the distinct `answers` after every path and a tail of `tail` tokens."""
    prefixes = sum(len(visit.tokens) for visit in visits(paths))
    return prefixes + len(paths) * (tail + sum(len(answer) for answer in set(answers)))


def naive_tokens(lengths: Sequence[int], answers: Sequence[tuple[int, ...]]) -> int:
    """Return the tokens of one pass per ablation and answer; `lengths` are those of the whole ablated prompts."""
    return sum(lengths) * len(answers) + len(lengths) * sum(len(answer) for answer in answers)
