"""What stands above a span of a document: its heading path and its table's header row."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from fonte.chunking.sentences import strip_span
from fonte.values import Block, Document

_BETWEEN_CELLS = re.compile(r"[\s|]+")
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n\s*")


@dataclass(frozen=True, slots=True)
class Context:
    """What goes before a chunk's text: document title, heading path (outermost first) and table header row."""

    title: str = ""
    heading: tuple[str, ...] = ()
    header: str = ""


class Outline:
    """The blocks of a document without holes, overlaps or blanks, and the context of any span."""

    def __init__(self, document: Document) -> None:
        """Order the blocks; text that no block covers becomes paragraphs."""
        self.text = document.text
        self.title = document.title.strip() or PurePosixPath(document.name).stem
        self.blocks = list(_whole(document))
        self._starts = [block.start for block in self.blocks]

    def context(self, start: int, end: int) -> Context:
        """Return what is true of all of `text[start:end]`: the headings above all of it, and the header row above it.

        A heading inside the span is not above it. The header is that of the first table row whose header row does
        not stand before it in the span.
        """
        blocks = self.blocks[max(bisect_right(self._starts, start) - 1, 0) : bisect_right(self._starts, end - 1)]
        return Context(self.title, shared_path(list(map(path_above, blocks))), self._header(blocks, start))

    def _header(self, blocks: list[Block], start: int) -> str:
        seen = ""
        for block in blocks:
            if block.header and block.header != seen:
                if header_missing(self.text, block, start):
                    return block.header
                seen = block.header
        return ""


def path_above(block: Block) -> tuple[str, ...]:
    """Return the headings above a block; a heading is not above itself."""
    return block.heading[:-1] if block.kind == "heading" else block.heading


def shared_path(paths: list[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the longest path that all `paths` begin with."""
    if not paths:
        return ()
    low, high = min(paths), max(paths)
    depth = 0
    while depth < len(low) and low[depth] == high[depth]:
        depth += 1
    return low[:depth]


def header_missing(text: str, row: Block, start: int) -> bool:
    """Return whether the header row of `row` has to be repeated for a span that begins at `start`.

    Cells are compared, not the bars and spaces between them, which readers may set anew.
    """
    header = _cells(row.header)
    # The row itself may be the header; one that is far longer is not, and is not read anew for each of its chunks.
    own = _cells(text[row.start : min(row.end, row.start + 8 * len(row.header) + 64)])
    return bool(header) and header != own and header not in _cells(text[start : row.start])


def _cells(text: str) -> str:
    return " ".join(_BETWEEN_CELLS.split(text)).strip()


def _whole(document: Document) -> Iterator[Block]:
    """Yield the blocks in order, clipped so that they do not overlap, with paragraphs in the gaps."""
    position = 0
    heading: tuple[str, ...] = ()
    for block in sorted(document.blocks, key=lambda block: block.start):
        yield from _paragraphs(document.text, position, min(block.start, len(document.text)), heading)
        start, end = strip_span(document.text, max(block.start, position), max(block.end, position))
        if start < end:
            yield Block(start, end, block.kind, block.heading, block.header)
        position, heading = max(position, block.end), block.heading
    yield from _paragraphs(document.text, position, len(document.text), heading)


def _paragraphs(text: str, start: int, end: int, heading: tuple[str, ...]) -> Iterator[Block]:
    if start >= end:
        return
    for match in (*_PARAGRAPH_END.finditer(text, start, end), None):
        stop = match.start() if match else end
        span = strip_span(text, start, stop)
        if span[0] < span[1]:
            yield Block(*span, "paragraph", heading)
        start = match.end() if match else end
