"""Questions to the keyword index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from lancedb.query import BooleanQuery, FullTextOperator, FullTextQuery, MatchQuery, Occur

from fonte.retrieval.filters import where
from fonte.retrieval.table import CHUNK_COLUMNS
from fonte.retrieval.terms import query_fragments

MAX_UNKNOWN_WORDS = 8
"""Words that are looked for inside longer words, per question."""


def matching(table: Any, terms: Sequence[str], limit: int, condition: str | None) -> pa.Table:
    """Return at most `limit` rows with any of the terms, by BM25 in `_score`.

    A term that no row has as a word counts where all of its fragments are, that is inside a longer word.
    """
    words = MatchQuery(" ".join(terms), "terms")
    found = _found(table, words, limit, condition)
    inside = [_inside(term) for term in _unknown(table, terms, found, condition)]
    if not inside:
        return found
    return _found(table, BooleanQuery([(Occur.SHOULD, query) for query in (words, *inside)]), limit, condition)


def _found(table: Any, query: FullTextQuery, limit: int, condition: str | None) -> pa.Table:
    found = where(table.search(query, query_type="fts").limit(limit), condition)
    return found.select([*CHUNK_COLUMNS, "terms", "_score"]).to_arrow()


def _unknown(table: Any, terms: Sequence[str], found: pa.Table, condition: str | None) -> list[str]:
    # Most terms stand in what was found; only the others cost a look of their own.
    seen = {term for text in found["terms"].to_pylist() for term in text.split(" ")}
    missing = [term for term in terms if term not in seen and query_fragments(term)][:MAX_UNKNOWN_WORDS]
    return [term for term in missing if not _found(table, MatchQuery(term, "terms"), 1, condition).num_rows]


def _inside(term: str) -> MatchQuery:
    return MatchQuery(" ".join(query_fragments(term)), "fragments", operator=FullTextOperator.AND)
