"""Chunks that follow the document: sections first, then blocks and table rows, then sentences, then tokens."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from fonte.chunking.budget import Budget
from fonte.chunking.outline import Context, Outline, header_missing, path_above
from fonte.chunking.sections import SMALL, Unit, groups
from fonte.chunking.sentences import Span, sentences, skip_space
from fonte.chunking.tokens import TokenGrid
from fonte.values import Document


def heading_spans(document: Document, budget: Budget) -> Iterator[Span]:
    """Yield disjoint spans in order that together cover the document.

    A chunk holds whole blocks of one section, or a small section with its next sibling. A heading goes with what
    follows it. Tables are cut between rows; only a row, paragraph or list item that exceeds the budget by itself is
    cut inside, at the end of a cell, line or sentence where there is one.
    """
    outline, grid = Outline(document), budget.grid(document.text)
    ends = grid.indices(np.array([block.end for block in outline.blocks], dtype=np.int64))
    starts = grid.indices(np.array([block.start for block in outline.blocks], dtype=np.int64))
    units = [Unit(block, block.start, int(n)) for block, n in zip(outline.blocks, ends - starts, strict=True)]
    for group in groups(units, lambda path: budget.room(Context(outline.title, path))):
        yield from _Packer(outline, grid, budget, deque(group)).spans()


@dataclass(slots=True)
class _Draft:
    """The chunk that is being filled."""

    start: int
    room: int
    header: str = ""  # brought along from a table that begins before the chunk
    known: str = ""  # the last header that needs nothing more, for speed
    units: list[Unit] = field(default_factory=list)
    tokens: int = 0
    only_headings: bool = True

    def add(self, unit: Unit) -> None:
        self.units.append(unit)
        self.tokens += unit.tokens
        self.only_headings &= unit.block.kind == "heading"


class _Packer:
    """Fills chunks with the units of one group of sections, in order."""

    def __init__(self, outline: Outline, grid: TokenGrid, budget: Budget, units: deque[Unit]) -> None:
        self._outline, self._grid, self._budget, self._queue = outline, grid, budget, units
        self._left = sum(unit.tokens for unit in units)
        self._cuts: dict[int, tuple[NDArray[np.intp], NDArray[np.intp]]] = {}

    def spans(self) -> Iterator[Span]:
        while self._queue:
            draft = self._fill()
            while self._queue and draft.units[-1].block.kind == "heading" and not draft.only_headings:
                self._queue.appendleft(draft.units.pop())  # it belongs to what follows
            self._left -= sum(unit.tokens for unit in draft.units)
            yield draft.start, draft.units[-1].end

    def _fill(self) -> _Draft:
        first = self._queue[0]
        draft = _Draft(first.start, self._budget.room(self._context(first, "")))
        # A remainder below SMALL would make a poor chunk of its own: share what is left evenly.
        aim = draft.room if not draft.room < self._left < draft.room + SMALL else -(-self._left // 2)
        while self._queue and self._take(draft, aim):
            pass
        return draft

    def _take(self, draft: _Draft, aim: int) -> bool:
        """Move the next unit, or its beginning, into `draft`; return whether more may follow."""
        unit = self._queue[0]
        limit = self._limit(draft, unit)
        total = draft.tokens + unit.tokens
        if total <= min(aim, limit) or (total <= limit and draft.only_headings):
            draft.add(self._queue.popleft())
            return True
        oversized = unit.tokens > limit and draft.tokens < limit // 2
        whole_row = unit.block.kind == "table_row" and unit.tokens <= limit
        slight = draft.only_headings or draft.tokens < min(SMALL, limit // 4)
        wanted = oversized or (slight and not whole_row)
        if not draft.units or (wanted and draft.tokens < limit):
            self._take_beginning(draft, unit, max(min(aim, limit) - draft.tokens, 1))
        return False

    def _limit(self, draft: _Draft, unit: Unit) -> int:
        """Return the room of the draft if `unit` joins it: a table row may bring its header along, or be barred."""
        header = unit.block.header
        if not header or header in (draft.header, draft.known):
            return draft.room
        if not header_missing(self._outline.text, unit.block, draft.start):
            draft.known = header
            return draft.room
        if draft.header:
            return 0
        first = draft.units[0] if draft.units else unit
        room = min(draft.room, self._budget.room(self._context(first, header)))
        if draft.tokens + unit.tokens <= room or not draft.units:
            draft.header, draft.room = header, room
        return room

    def _take_beginning(self, draft: _Draft, unit: Unit, tokens: int) -> None:
        cut = self._cut(unit, tokens)
        self._queue.popleft()
        start = skip_space(self._outline.text, cut, unit.end)  # a copy of the rest for each cut would be quadratic
        if start < unit.end:
            self._queue.appendleft(replace(unit, start=start, tokens=self._grid.count(start, unit.end)))
        draft.add(Unit(replace(unit.block, end=cut), unit.start, self._grid.count(unit.start, cut)))

    def _cut(self, unit: Unit, tokens: int) -> int:
        """Return where to cut `unit` so that its beginning has at most `tokens`: inner ends first, then tokens."""
        if unit.block.start not in self._cuts:
            offsets = np.array(_inner_ends(self._outline.text, unit), dtype=np.int64)
            self._cuts = {unit.block.start: (offsets, self._grid.indices(offsets))}
        offsets, indices = self._cuts[unit.block.start]
        position = int(np.searchsorted(indices, self._grid.index(unit.start) + tokens, side="right")) - 1
        if position >= 0 and unit.start < offsets[position] < unit.end:
            return int(offsets[position])
        return self._grid.fit(unit.start, unit.end, tokens)

    def _context(self, unit: Unit, header: str) -> Context:
        return Context(self._outline.title, path_above(unit.block), header)


def _inner_ends(text: str, unit: Unit) -> Sequence[int]:
    """Return where a block may be cut: ends of cells, of lines of code, or of sentences."""
    start, end = unit.block.start, unit.block.end
    if unit.block.kind == "table_row":
        return [at + 1 for at in range(start, end) if text[at] in "|\t"]
    if unit.block.kind == "code":
        return [at for at in range(start, end) if text[at] == "\n"]
    return [start + sentence_end for _, sentence_end in sentences(text[start:end])]
