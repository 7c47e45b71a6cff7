"""Which archived documents fulfil a filter: one indexed query for each comparison, joined as sets."""

from __future__ import annotations

import unicodedata
from typing import Any

from fonte.errors import UsageError
from fonte.records.database import Database
from fonte.records.packing import decode, encode
from fonte.records.where import And, Comparison, Not, Or, Where, comparable, folded, number


def matching_rows(where: Where, database: Database, rows: set[int]) -> set[int]:
    """Return which of `rows` (all current documents) fulfil `where`. Errors: `UsageError` for an unknown key."""
    match where:
        case And(parts):
            found = [matching_rows(part, database, rows) for part in parts]
            return rows.intersection(*found)
        case Or(parts):
            return rows.intersection(set().union(*(matching_rows(part, database, rows) for part in parts)))
        case Not(part):
            return rows - matching_rows(part, database, rows)
        case Comparison(key, "!=", value):
            return rows - _compared(Comparison(key, "=", value), database, rows)
        case Comparison():
            return _compared(where, database, rows)


def _compared(comparison: Comparison, database: Database, rows: set[int]) -> set[int]:
    condition, parameters = _condition(comparison)
    key = encode(unicodedata.normalize("NFC", comparison.key))
    sql = f"SELECT document FROM fields WHERE key = ? AND ({condition})"
    found = rows.intersection(row for (row,) in database.rows(sql, (key, *parameters)))
    if not found:
        _require_known(comparison.key, key, database)
    return found


def _condition(comparison: Comparison) -> tuple[str, tuple[Any, ...]]:
    """Return SQL that holds an operator of ours, and the user's text as parameters only."""
    operator, value = comparison.operator, comparison.value
    if operator == "~":
        return "instr(folded, ?) > 0", (encode(folded(value)),)
    text, wanted = encode(comparable(value)), number(value)
    if wanted is None:
        return f"value {operator} ?", (text,)
    return f"number {operator} ? OR (number IS NULL AND value {operator} ?)", (wanted, text)


def _require_known(name: str, key: bytes, database: Database) -> None:
    known = database.rows("SELECT DISTINCT key FROM fields JOIN documents ON document = row WHERE current = 1")
    if (key,) not in known:
        names = ", ".join(sorted(decode(other) for (other,) in known))
        raise UsageError(f"--where: no document has the key {name!r}. There are: {names}.")
