"""Text, JSON and times in the form in which the database keeps them."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime
from typing import Any

from fonte.errors import RecordError, StoreError


def encode(text: str) -> bytes:
    """Return `text` as bytes; every string has its own, lone surrogates included, and order is code point order."""
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    """Return the text that `encode` was given. Errors: `StoreError` when the bytes are damaged."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise StoreError(f"A stored text is damaged ({error}). Restore the records from a backup.") from None


def pack_text(text: str) -> bytes:
    """Return `text` compressed."""
    return zlib.compress(encode(text))


def unpack_text(data: bytes) -> str:
    """Return the text that `pack_text` was given. Errors: `StoreError` when the bytes are damaged."""
    try:
        return decode(zlib.decompress(data))
    except zlib.error as error:
        raise StoreError(f"A stored text is damaged ({error}). Restore the records from a backup.") from None


def canonical_json(value: Any) -> str:
    """Return `value` as JSON with sorted keys and no white space: equal values give equal text.

    Errors: `RecordError` for what JSON cannot say, numbers that are not finite among it.
    """
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise RecordError(f"A value cannot be recorded as JSON: {error}. Record plain finite values only.") from None


def pack_json(value: Any) -> bytes:
    """Return `value` as compressed JSON."""
    return pack_text(canonical_json(value))


def unpack_json(data: bytes) -> Any:
    """Return what `pack_json` was given, tuples as lists. Errors: `StoreError` when the bytes are damaged."""
    try:
        return json.loads(unpack_text(data))
    except json.JSONDecodeError as error:
        raise StoreError(f"A stored value is damaged ({error}). Restore the records from a backup.") from None


def timestamp(moment: datetime | None = None) -> str:
    """Return `moment` (default: now) in UTC, always 27 characters, so that text order is time order."""
    moment = (moment or datetime.now(UTC)).astimezone(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
