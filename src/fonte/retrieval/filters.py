"""Conditions on rows, as SQL with every value quoted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fonte.errors import StoreError


def quoted(value: str) -> str:
    """Return `value` as an SQL string literal. Errors: `StoreError` for text that is not valid Unicode."""
    if not is_unicode(value):
        raise StoreError(f"The id {value!r} is not valid Unicode and cannot be stored. Use another id.")
    return "'" + value.replace("'", "''") + "'"


def in_documents(document_ids: Iterable[str]) -> str:
    """Return the condition that a row belongs to one of the documents; no document matches no row."""
    literals = ", ".join(quoted(document_id) for document_id in sorted(set(document_ids)))
    return f"document_id IN ({literals})" if literals else "false"


def in_range(document_id: str, first_ordinal: int, last_ordinal: int) -> str:
    """Return the condition that a row is one of a run of chunks of a document, both ends included."""
    return f"document_id = {quoted(document_id)} AND ordinal BETWEEN {first_ordinal:d} AND {last_ordinal:d}"


def where(query: Any, condition: str | None) -> Any:
    """Return the Lance query with the condition applied before its search; None leaves it as it is."""
    return query if condition is None else query.where(condition, prefilter=True)


def is_unicode(text: str) -> bool:
    """Return whether `text` can be encoded: false for lone surrogates, as in undecodable file names."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
