"""A view of a store whose keyword scores tell nothing of documents that the asker may not see."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from fonte.chunking import keyword_text
from fonte.retrieval.ranked import in_order
from fonte.retrieval.store import Hit, Store, Vector
from fonte.retrieval.terms import index_terms, query_terms

# Okapi BM25's usual constants.
_SATURATION, _LENGTH_SHARE = 1.2, 0.75
_WIDER = 2
_DIGITS = 4


class SecludedStore:
    """Searches like `store`, but scores keyword hits by the hits alone.

    A BM25 score counts how many passages of the whole index hold a term, hidden ones too: who compares scores learns
    what hidden documents speak of. Here term and length statistics come from the visible hits (twice `k` of them).
    What remains: where more visible passages match than that, the whole index decides which are among them.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def count(self) -> int:
        """Return the number of rows, which only decides whether to search at all."""
        return self._store.count()

    def search_dense(self, vector: Vector, k: int, documents: Collection[str] | None = None) -> list[Hit]:
        """See `Store.search_dense`. A cosine depends on question and passage only, but for its last digits.

        These change with the texts that were embedded in the same batch, hidden ones too, so they are rounded away.
        """
        hits = self._store.search_dense(vector, k, documents)
        rounded = [replace(hit, score=round(hit.score, _DIGITS)) for hit in hits]
        return in_order(rounded)

    def search_lexical(self, text: str, k: int, documents: Collection[str] | None = None) -> list[Hit]:
        """Return at most `k` hits of the chosen documents, by BM25 over these hits; equal scores by chunk id."""
        hits = self._store.search_lexical(text, _WIDER * k, documents)
        if not hits:
            return []
        terms = query_terms(text)
        counts = [Counter(index_terms(keyword_text(hit.chunk)).split(" ")) for hit in hits]
        scores = _scores(terms, counts)
        scored = [replace(hit, score=score) for hit, score in zip(hits, scores, strict=True)]
        return in_order(scored)[:k]


def _scores(terms: list[str], counts: list[Counter[str]]) -> list[float]:
    mean = sum(map(Counter.total, counts)) / len(counts)
    weights = {term: _weight(sum(term in count for count in counts), len(counts)) for term in terms}
    return [
        sum(weight * _frequency(count[term], count.total() / mean) for term, weight in weights.items())
        for count in counts
    ]


def _weight(holders: int, hits: int) -> float:
    return math.log(1 + (hits - holders + 0.5) / (holders + 0.5))


def _frequency(count: int, length: float) -> float:
    return count * (_SATURATION + 1) / (count + _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length))
