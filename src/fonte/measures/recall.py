"""How many of the relevant documents are among the first k, and how many of the first k are relevant?"""

from __future__ import annotations

from collections.abc import Sequence

from fonte.measures.retrieval import Relevance, gains, relevant, require_depth, without_relevant
from fonte.measures.score import Score, scored


def recall(ranking: Sequence[str], relevance: Relevance, k: int) -> Score:
    r"""Recall@k (ir-measures: `R@k`): $|\{d \in D_k : rel(d) > 0\}| / |\{d : rel(d) > 0\}|$.

    0 to 1. The divisor counts *all* relevant documents, also where there are more than `k`. An empty ranking scores
    0; without a known relevant document the measure is not applicable. Errors: `UsageError` for `k` below 1.
    """
    require_depth(k)
    found = sum(gain > 0 for gain in gains(ranking, relevance, k))
    return without_relevant(relevance) or scored(found / len(relevant(relevance)))


def precision(ranking: Sequence[str], relevance: Relevance, k: int) -> Score:
    r"""Precision@k (ir-measures: `P@k`): $|\{d \in D_k : rel(d) > 0\}| / k$.

    0 to 1. The divisor is `k` also where fewer documents were found. Empty input and errors: as for `recall`.
    """
    require_depth(k)
    found = sum(gain > 0 for gain in gains(ranking, relevance, k))
    return without_relevant(relevance) or scored(found / k)
