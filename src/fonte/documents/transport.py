"""A reading as bytes between processes: blocks as tuples, word maps as numbers; long files have millions of both."""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import starmap
from operator import attrgetter

from fonte.documents.reading import Reading
from fonte.values import Block, Box, Word

HUNDREDTHS = 100  # boxes are kept in hundredths of a point, exactly
_block_values = attrgetter(*(field.name for field in fields(Block)))


def pack(reading: Reading) -> bytes:
    """Return `reading` as bytes for `unpack`; box coordinates must be multiples of .01 points (readers round them)."""
    bare = [replace(document, blocks=(), words=()) for document in reading.documents]
    blocks = [list(map(_block_values, document.blocks)) for document in reading.documents]
    words = [_numbers(document.words).tobytes() for document in reading.documents]
    return pickle.dumps((reading.status, reading.reason, bare, blocks, words), pickle.HIGHEST_PROTOCOL)


def unpack(data: bytes) -> Reading:
    """Return what `pack` was given. Only for bytes from a process that this one started: it is pickle."""
    status, reason, bare, blocks, words = pickle.loads(data)
    documents = (
        replace(document, blocks=tuple(starmap(Block, values)), words=tuple(_words(numbers)))
        for document, values, numbers in zip(bare, blocks, words, strict=True)
    )
    return Reading(status, reason, tuple(documents))


def _numbers(words: tuple[Word, ...]) -> array[int]:
    numbers = array("q")
    for word in words:
        box = word.box
        edges = (box.left, box.top, box.right, box.bottom)
        numbers.extend((word.start, word.end, box.page, *(round(edge * HUNDREDTHS) for edge in edges)))
    return numbers


def _words(data: bytes) -> Iterator[Word]:
    numbers = iter(memoryview(data).cast("q"))
    for start, end, page, left, top, right, bottom in zip(*[numbers] * 7, strict=True):
        edges = (left / HUNDREDTHS, top / HUNDREDTHS, right / HUNDREDTHS, bottom / HUNDREDTHS)
        yield Word(start, end, Box(page, *edges))
