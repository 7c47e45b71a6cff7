"""JSONL and JSON: an object per line, an array of objects, or an object that holds one such array."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fonte.documents.clean import clean
from fonte.documents.encoding import decode
from fonte.documents.reading import Parsed, UnreadableError
from fonte.documents.rows import TEXT_COLUMNS, Row, column, numbered, parse_rows


def read_lines(data: bytes) -> Parsed:
    """Read JSONL: one object with a text column per line; a line that is not valid is named and loses only itself."""
    decoded = decode(data)
    lines = clean(decoded.text).split("\n")
    return parse_rows((_line(number, line) for number, line in numbered(lines)), decoded.metadata)


def read_json(data: bytes) -> Parsed:
    """Read JSON: an array of objects, an object with one array of objects in it, or one object with a text column.

    Errors: `UnreadableError` for anything else.
    """
    decoded = decode(data)
    try:
        value = json.loads(clean(decoded.text))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(
            f"Not valid JSON: {_short(error)}. One object per line? Then name the file .jsonl."
        ) from None
    items = (_row(f"item {number}", None, item) for number, item in enumerate(_items(value), start=1))
    return parse_rows(items, decoded.metadata)


def _line(number: int, line: str) -> Row:
    try:
        return _row(f"line {number}", number, json.loads(line))
    except (ValueError, RecursionError) as error:
        return Row(f"line {number}", number, {}, f"not valid JSON ({_short(error)})")


def _row(place: str, line: int | None, value: Any) -> Row:
    if isinstance(value, dict):
        return Row(place, line, value)
    return Row(place, line, {}, f"not an object but {type(value).__name__}")


def _items(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        return iter(value)
    if isinstance(value, dict):
        lists = [held for held in value.values() if isinstance(held, list) and held and isinstance(held[0], dict)]
        if column(value, TEXT_COLUMNS) is None and len(lists) == 1:
            return iter(lists[0])
        return iter([value])
    raise UnreadableError(f"The JSON holds {type(value).__name__}, not objects with a text column.")


def _short(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return str(error).split(": line", maxsplit=1)[0] if isinstance(error, json.JSONDecodeError) else str(error)[:80]
