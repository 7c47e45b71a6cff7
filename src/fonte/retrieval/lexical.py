"""Questions to the keyword index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from lancedb.query import BooleanQuery, FullTextOperator, FullTextQuery, MatchQuery, Occur

from fonte.retrieval.filters import where
from fonte.retrieval.terms import query_fragments

MAX_UNKNOWN_WORDS = 8
"""Words that are looked for inside longer words, per question."""

_LOOK = 32


def matching(table: Any, terms: Sequence[str], limit: int, condition: str | None, columns: Sequence[str]) -> pa.Table:
    """Return `columns` of at most `limit` rows with any of the terms, by BM25 in `_score`.

    A term that no row has as a word counts where all of its fragments are, that is inside a longer word.
    """
    words = MatchQuery(" ".join(terms), "terms")
    found = _found(table, words, limit, condition, columns)
    inside = [_inside(term) for term in _unknown(table, terms, found, limit, condition)]
    if not inside or not _found(table, _any(inside), 1, condition, ()).num_rows:
        return found
    return _found(table, _any([words, *inside]), limit, condition, columns)


def _found(table: Any, query: FullTextQuery, limit: int, condition: str | None, columns: Sequence[str]) -> pa.Table:
    found = where(table.search(query, query_type="fts").limit(limit), condition)
    return found.select([*columns, "terms", "_score"]).to_arrow()


def _unknown(table: Any, terms: Sequence[str], found: pa.Table, limit: int, condition: str | None) -> list[str]:
    # Most terms stand in what was found. The others are looked for together: what has none of them ends the search.
    missing = [term for term in _unseen(terms, found) if query_fragments(term)][:MAX_UNKNOWN_WORDS]
    while missing and found.num_rows == limit:
        limit = _LOOK
        found = _found(table, MatchQuery(" ".join(missing), "terms"), limit, condition, ())
        missing = _unseen(missing, found)
    return missing


def _unseen(terms: Sequence[str], found: pa.Table) -> list[str]:
    seen = {term for text in found["terms"].to_pylist() for term in text.split(" ")}
    return [term for term in terms if term not in seen]


def _any(queries: Sequence[FullTextQuery]) -> BooleanQuery:
    return BooleanQuery([(Occur.SHOULD, query) for query in queries])


def _inside(term: str) -> MatchQuery:
    return MatchQuery(" ".join(query_fragments(term)), "fragments", operator=FullTextOperator.AND)
