"""Metadata of any shape to flat text values, the only kind a document carries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fonte.documents.clean import one_line

_MOST_KEYS, _LONGEST_VALUE, _DEEPEST = 200, 2000, 4


def flat_metadata(values: Mapping[Any, Any]) -> dict[str, str]:
    """Return `values` as text: lists of scalars joined by ", ", nested mappings as dotted keys.

    Empty values are left out, each value is one line of at most 2,000 code points, and at most 200 keys are kept; lists
    of mappings are left out.
    """
    flat: dict[str, str] = {}
    _flatten(values, "", 1, flat)
    return flat


def _flatten(values: Mapping[Any, Any], prefix: str, depth: int, flat: dict[str, str]) -> None:
    for key, value in values.items():
        name = prefix + one_line(str(key), 100)
        if len(flat) >= _MOST_KEYS:
            return
        if isinstance(value, Mapping):
            if depth < _DEEPEST:
                _flatten(value, f"{name}.", depth + 1, flat)
        elif text := _text(value):
            flat[name] = text


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return one_line(", ".join(filter(None, map(_scalar, value[:_MOST_KEYS]))), _LONGEST_VALUE)
    return one_line(_scalar(value), _LONGEST_VALUE)


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int, float)) else ""
