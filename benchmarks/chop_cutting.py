"""Chunks of a set-up, and which of them answer a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from chop_streams import Question, Text

from fonte.chunking import chunker_from, sentences
from fonte.chunking.tokens import TokenGrid
from fonte.models import Embedder
from fonte.settings import ChunkingSettings
from fonte.values import Chunk, Document

GOLD_SHARE = 0.5
GOLD_TOKENS = 80


@dataclass(frozen=True)
class Cut:
    """The chunks of all texts in order; `where[i]` is the text that chunk `i` lies in."""

    texts: list[Text]
    chunks: list[Chunk]
    where: list[int]
    embedder: Embedder

    @cached_property
    def grids(self) -> list[TokenGrid]:
        """The tokens of each text."""
        return [TokenGrid(text.document.text, self.embedder) for text in self.texts]

    @cached_property
    def tokens(self) -> list[int]:
        """The tokens of each chunk."""
        return [self.grids[at].count(c.start, c.end) for c, at in zip(self.chunks, self.where, strict=True)]

    @cached_property
    def owners(self) -> list[str]:
        """The device whose manual holds most of each chunk."""
        return [_owner(self.texts[at], c.start, c.end) for c, at in zip(self.chunks, self.where, strict=True)]

    def boundaries(self) -> set[int]:
        """Return the chunks before which another manual begins, of a single text."""
        return {at for at in range(1, len(self.owners)) if self.owners[at] != self.owners[at - 1]}

    def gold(self, questions: Sequence[Question]) -> list[set[int]]:
        """Return, per question, the chunks that cover half of a section that answers it, or 80 tokens of one."""
        place = {key: (at, span) for at, text in enumerate(self.texts) for key, span in text.sections.items()}
        return [{chunk for key in question.gold for chunk in self._covering(*place[key])} for question in questions]

    def _covering(self, at: int, span: tuple[int, int]) -> set[int]:
        grid = self.grids[at]
        needed = min(GOLD_SHARE * grid.count(*span), GOLD_TOKENS)
        return {chunk for chunk, shared in self._overlapping(at, *span) if grid.count(*shared) >= needed}

    def _overlapping(self, at: int, start: int, end: int) -> Iterator[tuple[int, tuple[int, int]]]:
        for chunk in np.flatnonzero((self._ends[at] > start) & (self._starts[at] < end)):
            own = self.chunks[self._offsets[at] + int(chunk)]
            yield self._offsets[at] + int(chunk), (max(own.start, start), min(own.end, end))

    @cached_property
    def _offsets(self) -> list[int]:
        return [self.where.index(at) for at in range(len(self.texts))]

    @cached_property
    def _starts(self) -> list[np.ndarray]:
        return [
            np.array([c.start for c, w in zip(self.chunks, self.where, strict=True) if w == at])
            for at in range(len(self.texts))
        ]

    @cached_property
    def _ends(self) -> list[np.ndarray]:
        return [
            np.array([c.end for c, w in zip(self.chunks, self.where, strict=True) if w == at])
            for at in range(len(self.texts))
        ]


def cut_by(name: str, texts: list[Text], embedder: Embedder, reserve: int, overlap: int) -> Cut:
    """Return what one of the project's chunkers makes, without title and headings before the text."""
    settings = ChunkingSettings(chunker=name, context=False, overlap=overlap if name == "fixed" else 0)
    chunker = chunker_from(settings, embedder, reserve)
    cut = [chunker.chunk([text.document]) for text in texts]
    return Cut(texts, [c for own in cut for c in own], [at for at, own in enumerate(cut) for _ in own], embedder)


def common(texts: list[Text], embedder: Embedder, room: int) -> Cut:
    """Return each paragraph as a chunk, cut at ends of sentences where it has more than `room` tokens."""
    chunks, where = [], []
    for at, text in enumerate(texts):
        grid = TokenGrid(text.document.text, embedder)
        for ordinal, (start, end) in enumerate(_pieces(text.document, grid, room - 2)):
            own = text.document.text[start:end]
            chunks.append(Chunk(text.document.id, text.document.version, "common", ordinal, start, end, own))
            where.append(at)
    return Cut(texts, chunks, where, embedder)


def _pieces(document: Document, grid: TokenGrid, room: int) -> Iterator[tuple[int, int]]:
    for block in document.blocks:
        if grid.count(block.start, block.end) <= room:
            yield block.start, block.end
            continue
        start = end = block.start
        for first, last in sentences(document.text[block.start : block.end]):
            while grid.count(start, block.start + last) > room:
                cut = end if end > start else grid.fit(start, block.start + last, room)
                yield start, cut
                start = end = max(cut, block.start + first) if cut == end else cut
            end = block.start + last
        yield start, block.end


def _owner(text: Text, start: int, end: int) -> str:
    return max(text.owners, key=lambda owner: min(end, owner[1]) - max(start, owner[0]))[2]
