"""Where lines of a text end a sentence whatever they say: paragraphs, list items, headings, table rows, code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from fonte.chunking.abbreviations import CONNECTING

HEADING = re.compile(r"\s{0,3}#{1,6}(?:\s|$)")
UNDERLINE = re.compile(r"\s{0,3}(?:=+|-{2,}|\*{3,}|_{3,})\s*$")
FENCE = re.compile(r"\s*(?:```|~~~)")
BULLET = re.compile(r"\s*[-*+•‣◦▪▫●○■□·※►➢✓✔☐☑](?:\s|$)")
# Also found at the start of a wrapped line of prose ("in the year / 1998. Then"), so these need a reason to count.
NUMBER = re.compile(r"\s*(?:\(?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|[–—])\s")
ENDS_UNIT = re.compile(r"[.!?:;,…。！？；：؟؛।॥۔][\"'”’»«)\]}」』】）*_`]*$")


@dataclass(frozen=True, slots=True)
class Segment:
    """`text[start:end]` holds whole sentences; `whole` says that it is one unit and must not be split further."""

    start: int
    end: int
    whole: bool = False


@dataclass(slots=True)
class _Line:
    start: int
    end: int
    text: str
    numbered: bool = False


def segments(text: str) -> Iterator[Segment]:
    """Yield the segments of `text` in order; together they cover every character that is not white space.

    Blank lines end a paragraph; list items begin a segment and keep their wrapped lines; Markdown headings, table rows
    and lines of fenced code are whole. A wrapped line of prose ends nothing. Linear in the length of the text.
    """
    paragraph: list[_Line] = []
    fenced = False
    for line in _lines(text):
        stripped = line.text.strip()
        fence = bool(FENCE.match(line.text))
        whole = bool(stripped) and (fenced or fence or _is_row(stripped) or HEADING.match(line.text) is not None)
        if stripped and not whole:
            paragraph.append(line)
            continue
        yield from _paragraph(paragraph)
        paragraph = []
        if whole:
            yield Segment(line.start, line.end, whole=True)
        fenced ^= fence
    yield from _paragraph(paragraph)


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    while start < len(text):
        newline = text.find("\n", start)
        end = len(text) if newline < 0 else newline
        yield _Line(start, end, text[start:end])
        start = end + 1


def _is_row(stripped: str) -> bool:
    return stripped.startswith("|") or " | " in stripped or stripped.count("\t") > 1


def _paragraph(lines: list[_Line]) -> Iterator[Segment]:
    """Split the lines between two blank ones at list items, deliberate short lines and underlines."""
    if not lines:
        return
    width = max((len(line.text.rstrip()) for line in lines if " " in line.text.strip()), default=0)
    for line in lines:
        line.numbered = NUMBER.match(line.text) is not None
    several = sum(line.numbered for line in lines) > 1
    start, fresh, listed = lines[0].start, True, _begins_item(lines[0])
    for previous, line in pairwise(lines):
        expected = several or listed or _ended(previous)
        breaks = _breaks(previous, line, expected) or (fresh and _stands_alone(previous, line, width))
        if breaks:
            yield Segment(start, previous.end)
            start, listed = line.start, _begins_item(line)
        fresh = breaks
    yield Segment(start, lines[-1].end)


def _begins_item(line: _Line) -> bool:
    return line.numbered or BULLET.match(line.text) is not None


def _ended(line: _Line) -> bool:
    return ENDS_UNIT.search(line.text.rstrip()[-8:]) is not None


def _breaks(previous: _Line, line: _Line, expected: bool) -> bool:
    """Return whether a list item or an underline separates two lines; a number counts where it is `expected`."""
    if UNDERLINE.match(line.text):
        return False  # belongs to the heading above it
    if UNDERLINE.match(previous.text) or BULLET.match(line.text):
        return True
    return line.numbered and expected


def _stands_alone(previous: _Line, line: _Line, width: int) -> bool:
    """Return whether a short line is a heading: its break was not forced by the width of the paragraph."""
    before, after = previous.text.strip(), line.text.strip()
    if _ended(previous) or _begins_item(previous) or before[-1] in ",-–—&/(" or UNDERLINE.match(line.text):
        return False
    next_word = after.split(maxsplit=1)[0]
    if not (before[0].isupper() or before[0].isdigit()) or not (next_word[0].isupper() or next_word[0].isdigit()):
        return False
    words = before.split()
    roomy = len(before) <= 60 and 2 * (len(before) + 1 + len(next_word)) < width
    return roomy and len(words) <= 8 and words[-1].rstrip(".").casefold() not in CONNECTING
