"""Plain text: paragraphs are what blank lines separate."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fonte.documents.clean import clean
from fonte.documents.encoding import decode
from fonte.documents.reading import Content, Parsed
from fonte.values import Block

_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")


def read(data: bytes) -> Parsed:
    """Read plain text; `line` of each block is the line of the file on which it starts."""
    decoded = decode(data)
    text = clean(decoded.text)
    return Parsed((Content(text, tuple(paragraphs(text)), metadata=decoded.metadata),))


def paragraphs(text: str) -> Iterator[Block]:
    """Give the paragraphs of `text` as blocks, with the line (from 1) on which each starts."""
    line, counted, position = 1, 0, 0
    for end, following in _pieces(text):
        piece = text[position:end]
        start = position + len(piece) - len(piece.lstrip())
        if start < end:
            line += text.count("\n", counted, start)
            counted = start
            yield Block(start, position + len(piece.rstrip()), line=line)
        position = following


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    for gap in _BLANK_LINES.finditer(text):
        yield gap.start(), gap.end()
    yield len(text), len(text)
