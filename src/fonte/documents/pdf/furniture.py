"""Running headers and footers: lines that recur near the edge of the page on at least half of the pages.

Lines are compared after masking digits (page numbers). Only what stands together at the very edge is looked at: from
the outermost line inwards up to a gap, or to the first line that does not recur. More than `_MOST_LINES` that recur
there are a text that repeats itself, not furniture. Few pages prove little: below three occurrences a line must be the
same on all of them, but for numbers that advance with the page.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, takewhile

from fonte.documents.pdf.line import Line

_EDGE, _BAND = 0.15, 0.02
_CLEAR, _GAP = 1.6, 2.5
_MOST_LINES = 4
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlc]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Edge:
    """The lines that stand together at one edge of a page, outermost first, and the distance of the next one.

    At most one line more than may be taken out is kept. `gap` is in multiples of the letters' height.
    """

    lines: list[Line]
    gap: float


def split_furniture(lines: Sequence[Line]) -> tuple[list[Line], tuple[str, ...]]:
    """Return the lines of the body, and the running lines as identity evidence.

    What changes from page to page (page numbers) is not part of the evidence; what is left must hold a letter. If
    most pages would be left empty, nothing is taken out.
    """
    pages = [list(group) for _, group in groupby(lines, key=lambda line: line.page)]
    edges = [edge for page in pages for edge in (_edge(page, top=True), _edge(page, top=False))]
    running = _recurring([line for edge in edges for line in edge.lines], len(pages))
    taken = {id(line): line for edge in edges for line in _outermost(edge, running)}
    body = [line for line in lines if id(line) not in taken]
    if 2 * len({line.page for line in body}) < len(pages):
        return list(lines), ()
    return body, tuple(dict.fromkeys(_evidence(taken.values())))


def _edge(page: Iterable[Line], top: bool) -> _Edge:
    inwards = sorted(page, key=lambda line: _depth(line, top))[: _MOST_LINES + 2]
    if _depth(inwards[0], top) > _EDGE:
        return _Edge([], 0)
    steps = [_step(outer, inner) for outer, inner in pairwise(inwards)]
    together = 1 + sum(1 for _ in takewhile(lambda step: step < _GAP, steps))
    return _Edge(inwards[:together], steps[together - 1] if together <= len(steps) else _GAP)


def _step(one: Line, other: Line) -> float:
    return abs(one.top - other.top) / max(one.size, other.size, 1.0)


def _depth(line: Line, top: bool) -> float:
    depth = (line.top + line.bottom) / 2 / line.page_height
    return depth if top else 1 - depth


def _recurring(lines: Sequence[Line], pages: int) -> dict[int, bool]:
    """Return the identities of lines that recur in their band often enough, and whether they are always the same."""
    same_words: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        same_words[_masked(line)].append(line)
    running: dict[int, bool] = {}
    for group in same_words.values():
        for band in _bands(group):
            if _recurs(band, pages):
                same = len({line.text for line in band}) == 1
                running |= dict.fromkeys(map(id, band), same)
    return running


def _bands(group: list[Line]) -> Iterator[list[Line]]:
    """Part lines of the same words by height on the page."""
    band: list[Line] = []
    for line in sorted(group, key=lambda line: line.top / line.page_height):
        if band and line.top / line.page_height - band[-1].top / band[-1].page_height > _BAND:
            yield band
            band = []
        band.append(line)
    yield band


def _recurs(band: list[Line], pages: int) -> bool:
    on = len({line.page for line in band})
    return on >= 2 and 2 * on >= pages and (on >= 3 or _is_constant(band))


def _is_constant(band: list[Line]) -> bool:
    """Tell whether all numbers stay the same or advance with the page."""
    ordered = sorted(band, key=lambda line: line.page)
    for one, other in pairwise(ordered):
        numbers = zip(_DIGITS.findall(one.text), _DIGITS.findall(other.text), strict=False)
        if any(int(b[-9:]) - int(a[-9:]) not in (0, other.page - one.page) for a, b in numbers):
            return False
    return True


def _outermost(edge: _Edge, running: Mapping[int, bool]) -> list[Line]:
    """Return the lines to take out: those that recur; below the last one a gap, unless it is always the same."""
    found = list(takewhile(lambda line: id(line) in running, edge.lines))
    if len(found) > _MOST_LINES:
        return []
    while found and not running[id(found[-1])] and _gap_after(edge, len(found)) < _CLEAR:
        found.pop()
    return found


def _gap_after(edge: _Edge, count: int) -> float:
    return _step(edge.lines[count - 1], edge.lines[count]) if count < len(edge.lines) else edge.gap


def _masked(line: Line) -> str:
    text = _DIGITS.sub("#", " ".join(line.text.split())).casefold()
    return "#" if _ROMAN.fullmatch(text) else text


def _evidence(lines: Iterable[Line]) -> Iterator[str]:
    """Give the running lines without the words that differ from page to page, in order of first occurrence."""
    groups: dict[str, list[list[str]]] = defaultdict(list)
    for line in lines:
        groups[_masked(line)].append(line.text.split())
    for texts in groups.values():
        constant = " ".join(words[0] for words in zip(*texts, strict=True) if len(set(words)) == 1)
        if any(character.isalpha() for character in constant):
            yield constant
