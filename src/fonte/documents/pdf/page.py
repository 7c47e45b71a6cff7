"""A page of a PDF to lines, through pdfium's character calls: text and boxes come from one numbering.

Boxes are pdfium's loose ones (as high as the font, not the glyph), the union of a run's first and last character: two
calls per word instead of one per character.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from typing import Any

from fonte.documents.pdf.line import Line, Run
from fonte.documents.transport import HUNDREDTHS
from fonte.errors import MissingExtraError
from fonte.values import Box

try:
    import pypdfium2.raw as pdfium
except ImportError:
    raise MissingExtraError("pypdfium2", "pdf") from None

# Ideographs, kana and Hangul one by one, since they have no spaces to tell words; all else up to the next space.
_IDEOGRAPH = (
    "\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
    "\U0001b000-\U0001b2ff\U00020000-\U0003ffff"
)
_RUN = re.compile(rf"[{_IDEOGRAPH}]|[^\s{_IDEOGRAPH}]+")
_BROKEN_WORD, _BROKEN_WORD_IN_TEXT, _NO_CHARACTER = "\x02", "\ufffe", "\x00"
_LINE_END = re.compile(rf"(?<={_BROKEN_WORD})|[\r\n]+")
_UNPRINTABLE = re.compile(r"[\x01\x03-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_PRIVATE = re.compile(r"[\ue000-\uf8ff\ufffd\U000f0000-\U0010fffd]")
_READABLE_SHARE = 0.5


class Frame:
    """The visible part of a page: turns points of the file (origin bottom left, unrotated) into points as displayed."""

    def __init__(self, box: tuple[float, float, float, float], quarter_turns: int) -> None:
        left, bottom, right, top = box
        turned = quarter_turns % 2 == 1
        self.width, self.height = (top - bottom, right - left) if turned else (right - left, top - bottom)
        # x' = a x + b y + c and y' = d x + e y + f for 0, 90, 180 and 270 degrees clockwise
        self._matrix = (
            (1, 0, -left, 0, -1, top),
            (0, 1, -bottom, 1, 0, -left),
            (-1, 0, right, 0, 1, -bottom),
            (0, -1, top, -1, 0, right),
        )[quarter_turns % 4]

    def box(self, number: int, left: float, bottom: float, right: float, top: float) -> Box:
        """Return the box on page `number`, rounded to .01 points."""
        a, b, c, d, e, f = self._matrix
        x, other_x = round((a * left + b * bottom + c) * HUNDREDTHS), round((a * right + b * top + c) * HUNDREDTHS)
        y, other_y = round((d * left + e * bottom + f) * HUNDREDTHS), round((d * right + e * top + f) * HUNDREDTHS)
        if x > other_x:
            x, other_x = other_x, x
        if y > other_y:
            y, other_y = other_y, y
        return Box(number, x / HUNDREDTHS, y / HUNDREDTHS, other_x / HUNDREDTHS, other_y / HUNDREDTHS)


def page_lines(page: Any, number: int) -> list[Line]:
    """Return the lines of a pypdfium2 page in the order of the file; [] where it has no readable text."""
    frame = Frame(page.get_bbox(), page.get_rotation() // 90)
    text_page = page.get_textpage()
    try:
        handle = text_page.raw
        text = _UNPRINTABLE.sub(" ", _characters(handle))
        if not _is_readable(text):
            return []
        return [Line(runs, frame.height) for runs in _line_runs(text, _Boxes(handle, frame, number))]
    finally:
        text_page.close()


def _characters(handle: Any) -> str:
    """Return the text of a page with one code point per character index of pdfium."""
    count = pdfium.FPDFText_CountChars(handle)
    buffer = ctypes.create_string_buffer(2 * (count + 1))
    written = pdfium.FPDFText_GetText(handle, 0, count, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)))
    text = buffer.raw[: 2 * max(written - 1, 0)].decode("utf-16-le", "replace")
    if len(text) == count:
        return text.replace(_BROKEN_WORD_IN_TEXT, _BROKEN_WORD)
    # Characters that the font does not name are missing from the text above, so ask for each one.
    codes = (pdfium.FPDFText_GetUnicode(handle, index) for index in range(count))
    return "".join(chr(code) if code <= 0x10FFFF else "\ufffd" for code in codes)


class _Boxes:
    """Boxes of characters of one text page."""

    def __init__(self, handle: Any, frame: Frame, number: int) -> None:
        self._handle, self._frame, self._number = handle, frame, number
        self._rectangle = pdfium.FS_RECTF()
        self._reference = ctypes.byref(self._rectangle)

    def union(self, first: int, last: int) -> Box:
        """Return the box around the characters `first` and `last`."""
        edges = self._edges(first)
        if last != first:
            other = self._edges(last)
            edges = (
                min(edges[0], other[0]),
                min(edges[1], other[1]),
                max(edges[2], other[2]),
                max(edges[3], other[3]),
            )
        return self._frame.box(self._number, *edges)

    def _edges(self, index: int) -> tuple[float, float, float, float]:
        pdfium.FPDFText_GetLooseCharBox(self._handle, index, self._reference)
        rectangle = self._rectangle
        return rectangle.left, rectangle.bottom, rectangle.right, rectangle.top


def _line_runs(text: str, boxes: _Boxes) -> Iterator[list[Run]]:
    """Cut the page's text at line ends; pdfium marks a hyphen at a line end by U+0002 and leaves the line end out."""
    start = 0
    ends = [*(match.span() for match in _LINE_END.finditer(text)), (len(text), len(text))]
    for end, following in ends:
        runs = list(_runs(text, start, end, boxes))
        if runs:
            yield runs
        start = following


def _runs(text: str, start: int, end: int, boxes: _Boxes) -> Iterator[Run]:
    position = start
    for match in _RUN.finditer(text, start, end):
        first, last = match.start(), match.end() - 1
        content = match[0].replace(_BROKEN_WORD, "-").replace(_NO_CHARACTER, "")
        if content:
            gap = text[position:first].replace(_NO_CHARACTER, " ")
            yield Run(gap, content, boxes.union(first, last))
            position = last + 1


def _is_readable(text: str) -> bool:
    """Tell text from the codes of fonts that do not say which characters they draw."""
    visible = [character for character in text if not character.isspace()]
    unknown = sum(character == _NO_CHARACTER for character in visible) + len(_PRIVATE.findall(text))
    return len(visible) > unknown and unknown <= (1 - _READABLE_SHARE) * len(visible)
