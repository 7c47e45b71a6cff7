"""Which questions are worth training on: those the model gets right sometimes, and is unsure about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fonte.errors import UsageError

_PASS = re.compile(r"pass@(\d+)")


@dataclass(frozen=True, slots=True)
class Selection:
    """`samples` per question (0: no selection), and the share of mixed questions kept, the most variable first."""

    samples: int = 0
    by_variance: float = 1.0


@dataclass(frozen=True, slots=True)
class Tried:
    """Samples of one question: how many were right, and each one's mean log-probability per token in nats."""

    id: str
    right: int
    samples: int
    log_probabilities: tuple[float, ...] = ()

    @property
    def mixed(self) -> bool:
        """Whether the group holds both right and wrong samples: only such groups teach GRPO anything."""
        return 0 < self.right < self.samples

    @property
    def variance(self) -> float:
        """Variance of the samples' log-probabilities per token; 0 for fewer than two."""
        return float(np.var(self.log_probabilities)) if len(self.log_probabilities) > 1 else 0.0


def read_selection(text: str, share: float = 0.5) -> Selection:
    """Read `pass@8`, `pass@8,variance` or an empty text. Errors: `UsageError` for anything else."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        return Selection()
    passes = [int(match[1]) for part in parts if (match := _PASS.fullmatch(part))]
    if len(passes) != 1 or passes[0] < 2 or set(parts) - {f"pass@{passes[0]}", "variance"}:
        raise UsageError(f"--select is {text!r}; write pass@8, or pass@8,variance (any number from 2).")
    return Selection(passes[0], share if "variance" in parts else 1.0)


def selected(tried: Sequence[Tried], selection: Selection) -> list[str]:
    """Return the ids to train on, in the order given: the mixed ones, and of these the most variable share.

    CTRL-RAG chose about 10,000 questions by pass@8 and by variance of log-probability; the thresholds are not
    published. Equal variances are taken in the order given.
    """
    mixed = [one for one in tried if one.mixed]
    count = round(len(mixed) * selection.by_variance)
    ranked = sorted(range(len(mixed)), key=lambda number: -mixed[number].variance)[:count]
    return [mixed[number].id for number in sorted(ranked)]
