"""How early does the first relevant document come, and how early do all of them?"""

from __future__ import annotations

from collections.abc import Sequence

from fonte.measures.retrieval import Relevance, gains, relevant, require_depth, without_relevant
from fonte.measures.score import Score, scored


def reciprocal_rank(ranking: Sequence[str], relevance: Relevance, k: int | None = None) -> Score:
    r"""Reciprocal rank (ir-measures: `RR`, `RR@k`; its mean is MRR): $1 / \min\{i : rel(d_i) > 0\}$.

    0 (none is relevant, or the ranking is empty) to 1. Without a known relevant document the measure is not
    applicable. Errors: `UsageError` for `k` below 1.
    """
    require_depth(k)
    first = next((rank for rank, gain in enumerate(gains(ranking, relevance, k), start=1) if gain), None)
    return without_relevant(relevance) or scored(1 / first if first else 0.0)


def average_precision(ranking: Sequence[str], relevance: Relevance, k: int | None = None) -> Score:
    r"""Average precision (ir-measures: `AP`, `AP@k`): $\frac{1}{R} \sum_{i : rel(d_i) > 0} P@i$, $R$ all relevant ones.

    0 to 1. Empty input and errors: as for `reciprocal_rank`.
    """
    require_depth(k)
    found = 0
    total = 0.0
    for rank, gain in enumerate(gains(ranking, relevance, k), start=1):
        if gain:
            found += 1
            total += found / rank
    return without_relevant(relevance) or scored(total / len(relevant(relevance)))
