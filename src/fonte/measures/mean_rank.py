"""At which rank do the gold documents lie, and where would chance put them?"""

from __future__ import annotations

from collections.abc import Sequence

from fonte.errors import UsageError
from fonte.measures.retrieval import Relevance, relevant, without_relevant
from fonte.measures.score import Score, not_scored, scored


def mean_rank(ranking: Sequence[str], relevance: Relevance, pool: int | None = None) -> Score:
    """Return the mean rank of the gold documents, from 1 (best) to `pool`.

    The "gold citation rank" of AQuAECHR, for which its authors published no code. A gold document that the ranking
    does not hold lies somewhere behind it: with `pool` (how many documents were ranked in all) it counts with the mean
    of the ranks that are left; without, the question is not scored, since any number would be invented. A document
    that is listed twice has its first rank. Errors: `UsageError` for a `pool` smaller than the ranking.
    """
    if missing := without_relevant(relevance):
        return missing
    places: dict[str, int] = {}
    for document in ranking:
        places.setdefault(document, len(places) + 1)
    gold = relevant(relevance)
    absent = len(gold - places.keys())
    if absent and pool is None:
        return not_scored("the ranking does not hold every gold document, and the size of the pool is not known")
    if pool is not None and pool < len(places) + absent:
        raise UsageError(f"A pool of {pool} cannot hold {len(places)} ranked and {absent} missing gold documents.")
    behind = (len(places) + 1 + (pool or 0)) / 2
    return scored((sum(places[document] for document in gold & places.keys()) + absent * behind) / len(gold))


def expected_rank(pool: int, gold: int = 1) -> tuple[float, float]:
    """Return what a random order gives: the expected mean rank of `gold` documents, and that of the first of them.

    $(n + 1) / 2$ and $(n + 1) / (g + 1)$. Errors: `UsageError` unless 1 <= gold <= pool.
    """
    if not 1 <= gold <= pool:
        raise UsageError(f"{gold} gold documents cannot lie in a pool of {pool}.")
    return (pool + 1) / 2, (pool + 1) / (gold + 1)
