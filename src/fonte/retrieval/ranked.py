"""The best `k` of what an index finds: ties in a fixed order, and only chosen documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fonte.retrieval.filters import in_documents
from fonte.retrieval.store import Hit

LARGE_CHOICE = 2000
"""Above this many chosen documents a search first tries without the condition, which costs more than the search."""

_TIES = 16

Fetch = Callable[[int, "str | None"], list[Hit]]


def best_hits(fetch: Fetch, k: int, rows: int, chosen: frozenset[str] | None, *, independent: bool = True) -> list[Hit]:
    """Return the best `k` hits, equal scores by chunk id, in a table of `rows` rows.

    `fetch(limit, condition)` gives the best `limit` hits that meet the SQL condition, equal scores in any order.
    `chosen` restricts the hits to these documents. `independent` False means that which rows match depends on what else
    is searched, so that the condition must always be part of the search.
    """
    if not rows or (chosen is not None and not chosen):
        return []
    if independent and chosen is not None and len(chosen) > LARGE_CHOICE:
        limit = min(4 * k + _TIES, rows)
        every = in_order(fetch(limit, None))
        hits = [hit for hit in every if hit.chunk.document_id in chosen]
        if _is_complete(every, limit, rows) or (len(hits) >= k and hits[k - 1].score > every[-1].score):
            return hits[:k]
    condition = in_documents(chosen) if chosen is not None else None
    limit = min(k + _TIES, rows)
    while True:
        # More are fetched while the last hit ties with one that may lie beyond.
        hits = in_order(fetch(limit, condition))
        if _is_complete(hits, limit, rows) or hits[k - 1].score > hits[-1].score:
            return hits[:k]
        limit = min(4 * limit, rows)


def in_order(hits: Iterable[Hit]) -> list[Hit]:
    """Return hits by score, best first, equal scores by chunk id."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk.id))


def _is_complete(hits: list[Hit], limit: int, rows: int) -> bool:
    return len(hits) < limit or limit >= rows
