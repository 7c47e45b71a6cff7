"""A document's words and boxes as compressed columns: exact, small, and quick to load."""

from __future__ import annotations

import gc
import io
import zipfile
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from fonte.errors import StoreError
from fonte.values import Box, Word

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
T = TypeVar("T")

_SCALES = (1, 10, 100, 1000)


def pack_words(words: Sequence[Word]) -> bytes:
    """Return `words` as bytes, `b""` for none; `unpack_words` gives equal words back.

    Offsets and pages are kept as differences in the smallest integers that hold them, boxes as integers where all are
    decimals of at most three places (as readers give them), else as the floating point numbers they are.
    """
    if not words:
        return b""
    spans = np.array([(word.start, word.end, word.box.page) for word in words], dtype=np.int64)
    boxes = np.array([(word.box.left, word.box.top, word.box.right, word.box.bottom) for word in words], np.float64)
    columns = {
        "gaps": _small(spans[:, 0] - np.concatenate(([0], spans[:-1, 1]))),
        "lengths": _small(spans[:, 1] - spans[:, 0]),
        "pages": _small(np.diff(spans[:, 2], prepend=0)),
        **_pack_boxes(boxes),
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **columns)
    return buffer.getvalue()


def unpack_words(data: bytes, span: tuple[int, int] | None = None) -> tuple[Word, ...]:
    """Return the words that `pack_words` was given, or those that touch `span` (start and end in code points).

    Errors: `StoreError` when the bytes are damaged.
    """
    if not data:
        return ()
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as columns:
            starts, ends = _unpack_spans(columns["gaps"], columns["lengths"])
            pages = np.cumsum(columns["pages"], dtype=np.int64)
            corners = _unpack_boxes(columns)
    except (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise StoreError(f"A stored word map is damaged ({error}). Restore the records from a backup.") from None
    if span is not None:
        near = (ends > span[0]) & (starts < max(span[1], span[0] + 1))
        starts, ends, pages, corners = starts[near], ends[near], pages[near], corners[:, near]
    left, top, right, bottom = corners
    with _without_garbage_collection():
        boxes = _instances(Box, page=pages, left=left, top=top, right=right, bottom=bottom)
        return tuple(_instances(Word, start=starts, end=ends, box=boxes))


def _unpack_spans(gaps: Integers, lengths: Integers) -> tuple[Integers, Integers]:
    ends = np.cumsum(gaps.astype(np.int64) + lengths, dtype=np.int64)
    return ends - lengths, ends


def _pack_boxes(boxes: Floats) -> dict[str, npt.NDArray[Any]]:
    for scale in _SCALES:
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = np.rint(boxes * scale)
        if np.abs(scaled).max() < 2**40 and np.array_equal(scaled / scale, boxes):
            left, top, right, bottom = scaled.astype(np.int64).T
            differences = (np.diff(left, prepend=0), np.diff(top, prepend=0), right - left, bottom - top)
            names = ("left", "top", "width", "height")
            return {"scale": np.array([scale]), **dict(zip(names, map(_small, differences), strict=True))}
    single = boxes.astype(np.float32) if np.abs(boxes).max() < 3e38 else boxes
    exact = single if np.array_equal(single, boxes) else boxes
    # Bytes of equal weight side by side: they repeat, so they compress.
    return {"bytes": np.ascontiguousarray(exact.T)[..., None].view(np.uint8).transpose(2, 0, 1).copy()}


def _unpack_boxes(columns: Any) -> Floats:
    if "bytes" in columns:
        weighted = np.ascontiguousarray(columns["bytes"].transpose(1, 2, 0))
        return weighted.view(np.float32 if weighted.shape[-1] == 4 else np.float64)[..., 0].astype(np.float64)
    left, top = (np.cumsum(columns[name], dtype=np.int64) for name in ("left", "top"))
    return np.stack([left, top, left + columns["width"], top + columns["height"]]) / int(columns["scale"][0])


def _small(values: Integers) -> npt.NDArray[np.signedinteger[Any]]:
    needed = np.result_type(np.min_scalar_type(int(values.min())), np.min_scalar_type(int(values.max())), np.int8)
    return values.astype(needed if np.issubdtype(needed, np.signedinteger) else np.int64)


def _instances(cls: type[T], **columns: npt.NDArray[Any] | list[Any]) -> list[T]:
    """Make one `cls` for each row by filling its slots column by column.

    A frozen dataclass sets each field through two Python calls; a long document has two million of them, and a
    citation would wait for a second. The slots' own setters are what those calls end in.
    """
    plain = {name: column if isinstance(column, list) else column.tolist() for name, column in columns.items()}
    made: list[T] = list(map(object.__new__, repeat(cls, len(next(iter(plain.values()))))))
    for name, values in plain.items():
        deque(map(getattr(cls, name).__set__, made, values), maxlen=0)
    return made


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Hold the collector back: it would search half a million new objects for cycles again and again (0.4 s)."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
