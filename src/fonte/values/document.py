"""What a file became: canonical text, and the way back to page, box, slide, heading and line."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


def content_id(*parts: str) -> str:
    """Hash `parts` to 16 hexadecimal digits; the same parts always give the same id.

    Parts are length-prefixed, so `("ab", "c")` and `("a", "bc")` differ. Lone surrogates (from undecodable file
    names) are hashed as they are.
    """
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page, in points (1/72 inch), origin at the top left of the page as displayed.

    `page` counts from 1; `left <= right` and `top <= bottom`.
    """

    page: int
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Block:
    """A structural piece of a document: `document.text[start:end]` in code points, end exclusive.

    `kind` is one of `heading`, `paragraph`, `list_item`, `table_row`, `code`. `heading` is the path of headings above
    it, outermost first (a heading's own text is the last entry of its own path). `header` is the header row of the
    table that a `table_row` belongs to, else "". `page` (PDF page or slide) and `line` (line of the original file)
    count from 1, None where the format has none; `sheet` names a spreadsheet's sheet, else "".
    """

    start: int
    end: int
    kind: str = "paragraph"
    heading: tuple[str, ...] = ()
    header: str = ""
    page: int | None = None
    line: int | None = None
    sheet: str = ""


@dataclass(frozen=True, slots=True)
class Word:
    """Where a run of non-space characters of the text lies on a page: `document.text[start:end]` inside `box`."""

    start: int
    end: int
    box: Box


@dataclass(frozen=True, slots=True)
class Place:
    """Where a span of a document is found in the original: what a citation shows beside the quote."""

    page: int | None = None
    boxes: tuple[Box, ...] = ()
    heading: tuple[str, ...] = ()
    line: int | None = None
    sheet: str = ""


@dataclass(frozen=True)
class Document:
    """A readable unit (a file, or a row of a JSONL or CSV file) as canonical text plus the map to its original.

    `source` is the absolute path (with `#row` for rows) and decides the `id`; `name` is what people see: the path
    below the root that was added. `version` changes with the text, the metadata and the reader, so that a replaced
    document keeps its id. `identity` holds what names the document without being part of its text: running headers
    and footers. `blocks` are in order and together cover every character of `text` that is not white space;
    `words` are in order and empty where the format has no boxes. Offsets are Unicode code points of `text`.
    """

    source: str
    name: str
    title: str
    text: str
    format: str
    reader: str
    blocks: tuple[Block, ...] = ()
    words: tuple[Word, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    identity: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Freeze the metadata."""
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle through plain values: worker processes send documents, and a mapping proxy does not pickle."""
        values = (self.source, self.name, self.title, self.text, self.format, self.reader, self.blocks, self.words)
        return Document, (*values, dict(self.metadata), self.identity)

    @property
    def id(self) -> str:
        """16 hexadecimal digits from `source`: stable while the file stays where it is."""
        return content_id(self.source)

    @property
    def version(self) -> str:
        """16 hexadecimal digits from everything that a reader of the document could notice."""
        metadata = "\x00".join(f"{key}\x01{value}" for key, value in sorted(self.metadata.items()))
        return content_id(self.source, self.name, self.title, self.text, self.reader, metadata)

    def place(self, start: int, end: int) -> Place:
        """Return where `text[start:end]` lies in the original: page, one box per line, heading path, line, sheet.

        An empty or blank span is placed at the block before it; a document without blocks gives an empty `Place`.
        """
        block = self.block_at(start)
        boxes = _line_boxes([word.box for word in self._words_between(start, end)])
        if block is None:
            return Place(boxes[0].page if boxes else None, boxes)
        return Place(boxes[0].page if boxes else block.page, boxes, block.heading, block.line, block.sheet)

    def block_at(self, offset: int) -> Block | None:
        """Return the block that holds `offset`, else the last one before it, else the first, else None."""
        position = bisect_right(self.blocks, offset, key=lambda block: block.start) - 1
        return self.blocks[max(position, 0)] if self.blocks else None

    def _words_between(self, start: int, end: int) -> tuple[Word, ...]:
        first = bisect_right(self.words, start, key=lambda word: word.end)
        last = bisect_right(self.words, max(end - 1, start), key=lambda word: word.start)
        return self.words[first:last]


def _line_boxes(boxes: list[Box]) -> tuple[Box, ...]:
    """Join neighbouring word boxes that share a line, so that a quote is highlighted line by line."""
    lines: list[Box] = []
    for box in boxes:
        last = lines[-1] if lines else None
        if last and last.page == box.page and min(last.bottom, box.bottom) - max(last.top, box.top) > 0:
            left, top = min(last.left, box.left), min(last.top, box.top)
            lines[-1] = Box(box.page, left, top, max(last.right, box.right), max(last.bottom, box.bottom))
        else:
            lines.append(box)
    return tuple(lines)
