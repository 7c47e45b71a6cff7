"""Normalised discounted cumulative gain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from fonte.errors import UsageError
from fonte.measures.retrieval import Relevance, gains, require_depth, without_relevant
from fonte.measures.score import Score, scored


def ndcg(
    ranking: Sequence[str],
    relevance: Relevance,
    k: int | None = None,
    gain: Literal["linear", "exponential"] = "linear",
) -> Score:
    r"""NDCG (ir-measures: `nDCG`, `nDCG@k`): $DCG_k / IDCG_k$, $DCG_k = \sum_{i \le k} g(rel(d_i)) / \log_2(i + 1)$.

    $g(r) = r$ (Järvelin and Kekäläinen 2002, as in trec_eval) or, with `exponential`, $2^r - 1$ (Burges 2005). The
    ideal is global: the best order of *all* judged documents, not of those that were found, so a ranking that misses
    the relevant ones cannot score 1. 0 to 1; an empty ranking scores 0; without a known relevant document the measure
    is not applicable. Errors: `UsageError` for `k` below 1 or an unknown `gain`.
    """
    require_depth(k)
    if gain not in ("linear", "exponential"):
        raise UsageError(f"There is no gain {gain!r}; use 'linear' or 'exponential'.")
    if missing := without_relevant(relevance):
        return missing
    ideal = sorted((grade for grade in relevance.values() if grade > 0), reverse=True)[:k]
    return scored(_discounted(gains(ranking, relevance, k), gain) / _discounted(ideal, gain))


def _discounted(grades: Sequence[int], gain: str) -> float:
    values = (grade if gain == "linear" else 2.0**grade - 1 for grade in grades)
    return math.fsum(value / math.log2(rank + 1) for rank, value in enumerate(values, start=1))
