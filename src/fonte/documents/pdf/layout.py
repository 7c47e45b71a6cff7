"""Lines to blocks: paragraphs by the distance of lines, headings by the size of letters; then text and word map."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fonte.documents.builder import CLOSE_KINDS, HeadingPath
from fonte.documents.pdf.line import Line
from fonte.documents.pdf.table import table_headers
from fonte.values import Block, Word

_LARGER, _SAME_SIZE, _ROUNDING = 1.15, 0.08, 0.5
_PARAGRAPH_GAP, _USUAL_LEADING = 1.25, 1.2
_ITEM = re.compile(r"(?:(?P<bullet>[•‣▪▸●○◦–*-])|\(?(?:\d{1,3}|[A-Za-z])[.)])\s+\S")
_LONGEST_HEADING, _SHORT_SENTENCE, _DEEPEST_LEVEL = 160, 60, 4


def lay_out(lines: Sequence[Line]) -> tuple[str, tuple[Block, ...], tuple[Word, ...]]:
    """Return text, blocks and words: a newline between lines and rows, a blank line between blocks, gaps as given."""
    levels = _heading_levels(lines)
    headings = HeadingPath()
    text = _Text()
    for group in _groups(lines):
        level = levels.get(group.lines[0].size) if group.kind != "table_row" else None
        title = " ".join(line.text for line in group.lines)
        if level and _names(title):
            text.add(group, "heading", headings.enter(level, title))
        else:
            text.add(group, group.kind, headings.path)
    return "".join(text.parts), tuple(text.blocks), tuple(text.words)


@dataclass(frozen=True, slots=True)
class _Group:
    """Lines that make one block."""

    lines: list[Line]
    kind: str = "paragraph"
    header: str = ""


class _Text:
    """Text, blocks and words as they grow."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.blocks: list[Block] = []
        self.words: list[Word] = []
        self._length = 0

    def add(self, group: _Group, kind: str, heading: tuple[str, ...]) -> None:
        """Append a block."""
        if self.blocks:
            self._append("\n" if kind == self.blocks[-1].kind and kind in CLOSE_KINDS else "\n\n")
        start = self._length
        for index, line in enumerate(group.lines):
            for place, run in enumerate(line.runs):
                self._append(run.gap if place else ("\n" if index else ""))
                self._append(run.text)
                self.words.append(Word(self._length - len(run.text), self._length, run.box))
        page = group.lines[0].page
        self.blocks.append(Block(start, self._length, kind, heading, group.header, page=page))

    def _append(self, part: str) -> None:
        self.parts.append(part)
        self._length += len(part)


def _heading_levels(lines: Sequence[Line]) -> dict[float, int]:
    """Number the sizes clearly above that of most letters, the largest first."""
    letters: Counter[float] = Counter()
    for line in lines:
        letters[line.size] += len(line.text)
    if not letters:
        return {}
    body = letters.most_common(1)[0][0]
    levels: dict[float, int] = {}
    before, level = float("inf"), 0
    for size in sorted((size for size in letters if size >= _LARGER * body), reverse=True):
        level = level + 1 if before - size > _ROUNDING else level
        levels[size] = min(level, _DEEPEST_LEVEL)
        before = size
    return levels


def _names(text: str) -> bool:
    """Tell a heading from large print that is a text: short, with letters, and no long sentence."""
    if len(text) > _LONGEST_HEADING or text[0].islower() or not any(character.isalpha() for character in text):
        return False
    return len(text) <= _SHORT_SENTENCE or text[-1] not in ".;:,。；，"


def _groups(lines: Sequence[Line]) -> Iterator[_Group]:
    leading = _leading(lines)
    headers = table_headers(lines)
    group: list[Line] = []
    for index, line in enumerate(lines):
        if group and (index in headers or _is_item(line, group) or not _continues(group[-1], line, leading)):
            yield _whole(group)
            group = []
        if index in headers:
            yield _Group([line], "table_row", headers[index])
        else:
            group.append(line)
    if group:
        yield _whole(group)


def _whole(group: list[Line]) -> _Group:
    return _Group(group, "list_item" if _ITEM.match(group[0].text) else "paragraph")


def _is_item(line: Line, before: Sequence[Line]) -> bool:
    """Tell the start of a list item: a bullet, or a number after another item or after the end of a sentence."""
    match = _ITEM.match(line.text)
    if match is None:
        return False
    return match["bullet"] is not None or _ITEM.match(before[0].text) is not None or before[-1].text[-1] in ".:;!?"


def _leading(lines: Sequence[Line]) -> Mapping[float, float]:
    """Return the usual distance of lines of each size, as a multiple of the size."""
    steps: dict[float, Counter[float]] = defaultdict(Counter)
    for above, below in pairwise(lines):
        step = (below.top - above.top) / above.size if above.page == below.page and above.size > 0 else 0.0
        if 0.8 < step < 2.5 and above.size == below.size:
            steps[above.size][round(step, 2)] += 1
    return {
        size: min(step for step, n in counts.items() if n == max(counts.values())) for size, counts in steps.items()
    }


def _continues(above: Line, below: Line, leading: Mapping[float, float]) -> bool:
    size = max(above.size, below.size)
    if above.page != below.page or abs(above.size - below.size) > _SAME_SIZE * size + 0.3:
        return False
    step = below.top - above.top
    return -0.5 * size < step < _PARAGRAPH_GAP * leading.get(above.size, _USUAL_LEADING) * size
