"""How much a completion depends on the passages that support it: the evidential contribution E of CTRL-RAG."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from fonte.measures.score import Score, not_applicable, not_scored, scored

ContributionMode = Literal["min", "mean", "all", "max"]
NO_EVIDENCE = "no supporting passage is known, so there is nothing to leave out"


@dataclass(frozen=True, slots=True)
class Likelihoods:
    """log p of one completion, in nats.

    `full` is with every passage, `without[i]` without supporting passage i, `without_all` without any of them (None
    where that was not scored; with one supporting passage it is `without[0]`).
    """

    full: float
    without: tuple[float, ...] = ()
    without_all: float | None = None


@dataclass(frozen=True, slots=True)
class Contribution:
    """E in nats (or why there is none), and which supporting passage matters most, None where there is none."""

    value: Score
    critical: int | None = None


def contribution(likelihoods: Likelihoods, mode: ContributionMode = "min") -> Contribution:
    r"""Return $E(y) = S(y|D) - S^-(y|D)$ (CTRL-RAG, arXiv 2603.04406), in nats; it may be negative.

    $S^-$ is the least log-likelihood over leaving out one supporting passage (`min`, the paper's), their mean (`mean`),
    or the one without all of them (`all`). `max` is the larger E of `min` and `all`: where several passages say the
    same, leaving out one changes nothing. Only *supporting* passages are left out: an answer that copies a distractor
    depends on that distractor. Without a supporting passage E is undefined (`not_applicable`); where a likelihood is
    missing or not finite it is `not_scored`.
    """
    if not likelihoods.without:
        return Contribution(not_applicable(NO_EVIDENCE))
    parts = (likelihoods.full, *likelihoods.without, *_given(likelihoods.without_all))
    if not all(map(math.isfinite, parts)):
        return Contribution(not_scored("a log-likelihood is not a finite number"))
    critical = likelihoods.without.index(min(likelihoods.without))
    if mode in ("all", "max") and _without_all(likelihoods) is None:
        return Contribution(not_scored("the completion was not scored without all supporting passages"))
    return Contribution(scored(likelihoods.full - _reference(likelihoods, mode)), critical)


def _reference(likelihoods: Likelihoods, mode: ContributionMode) -> float:
    lowest, everything = min(likelihoods.without), _without_all(likelihoods)
    if mode == "mean":
        return math.fsum(likelihoods.without) / len(likelihoods.without)
    if mode == "min" or everything is None:
        return lowest
    return everything if mode == "all" else min(lowest, everything)


def _without_all(likelihoods: Likelihoods) -> float | None:
    if likelihoods.without_all is None and len(likelihoods.without) == 1:
        return likelihoods.without[0]
    return likelihoods.without_all


def _given(value: float | None) -> tuple[float, ...]:
    return () if value is None else (value,)
