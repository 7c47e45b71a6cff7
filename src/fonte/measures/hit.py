"""Is a relevant document among the first k?"""

from __future__ import annotations

from collections.abc import Sequence

from fonte.measures.retrieval import Relevance, gains, require_depth, without_relevant
from fonte.measures.score import Score, scored


def hit(ranking: Sequence[str], relevance: Relevance, k: int) -> Score:
    r"""Hit@k (ir-measures: `Success@k`): 1 if any of the first `k` documents is relevant, else 0.

    An empty ranking scores 0; a `k` above its length looks at all of it. Without a known relevant document the
    measure is not applicable. Errors: `UsageError` for `k` below 1.
    """
    require_depth(k)
    return without_relevant(relevance) or scored(any(gains(ranking, relevance, k)))
