"""A file that holds several documents (a merged PDF, a stream of pages), taken apart into them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from fonte.chunking.chop.segments import SignedText
from fonte.values import Block, Document, Word

LONGEST_TITLE = 80  # code points


def units_of(document: Document) -> list[Block]:
    """Return the blocks whose texts are decided about; a document without blocks is one."""
    return list(document.blocks) or [Block(0, len(document.text))]


def unit_texts(document: Document) -> list[str]:
    """Return the text of each unit of `document`."""
    return [document.text[block.start : block.end] for block in units_of(document)]


def separated(document: Document, signed: SignedText) -> tuple[Document, ...]:
    """Return the documents that `signed` found in `document`, in order; the document itself where it is only one.

    Each has its own source and id (`path#name`), is called by its name in citations (`file › name`) and keeps pages,
    boxes and lines of the file; metadata say the `file` and the `part` (from 1). A part that nothing names is called
    by its number. The texts of the parts follow each other in the file, and only white space lies between them.
    """
    if len(signed.segments) < 2:
        return (document,)
    blocks = units_of(document)
    starts = [blocks[segment.first].start for segment in signed.segments]
    names: dict[str, int] = {}
    parts = []
    for number, ((start, end), segment) in enumerate(
        zip(pairwise([*starts, len(document.text)]), signed.segments, strict=True), start=1
    ):
        title = segment.signature.get("model") or f"part {number}"
        names[title] = names.get(title, 0) + 1
        own = title if names[title] == 1 else f"{title} ({names[title]})"
        parts.append(_part(document, start, end, own[:LONGEST_TITLE], number))
    return tuple(parts)


def _part(document: Document, start: int, end: int, title: str, number: int) -> Document:
    text = document.text[start:end].rstrip()
    return replace(
        document,
        source=f"{document.source}#{title}",
        name=f"{document.name} › {title}",
        title=title,
        text=text,
        blocks=_moved(document.blocks, start, start + len(text)),
        words=_words(document.words, start, start + len(text)),
        metadata={**document.metadata, "file": document.name, "part": str(number)},
    )


def _moved(blocks: Sequence[Block], start: int, end: int) -> tuple[Block, ...]:
    own = [block for block in blocks if start <= block.start < end]
    return tuple(replace(block, start=block.start - start, end=min(block.end, end) - start) for block in own)


def _words(found: Sequence[Word], start: int, end: int) -> tuple[Word, ...]:
    own = [word for word in found if start <= word.start < end]
    return tuple(replace(word, start=word.start - start, end=min(word.end, end) - start) for word in own)
