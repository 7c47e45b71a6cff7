"""Optical reading of a page that has no text (extra `ocr`): rapidocr with the models its package carries."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from fonte.documents.clean import clean
from fonte.documents.pdf.line import Line, Run
from fonte.documents.transport import HUNDREDTHS
from fonte.errors import MissingExtraError
from fonte.values import Box

try:
    from rapidocr import RapidOCR
except ImportError:
    raise MissingExtraError("rapidocr", "ocr") from None

_DOTS_PER_INCH, _POINTS_PER_INCH = 200, 72
_MOST_PIXELS = 40_000_000


def recognise(page: Any, number: int) -> list[Line]:
    """Return the lines recognised on a pypdfium2 page, from top to bottom; [] if there are none.

    Boxes of words are parts of their line's box, in proportion to their letters.
    """
    width, height = page.get_size()
    scale = min(_DOTS_PER_INCH / _POINTS_PER_INCH, (_MOST_PIXELS / max(width * height, 1)) ** 0.5)
    result = _engine()(page.render(scale=scale).to_numpy())
    if result.boxes is None or result.txts is None:
        return []
    found = zip(result.boxes, result.txts, strict=True)
    lines = [_line(corners / scale, clean(text), number, height) for corners, text in found]
    return sorted(filter(lambda line: line.runs, lines), key=lambda line: (round(line.top / 5), line.left))


@lru_cache(maxsize=1)
def _engine() -> Any:
    return RapidOCR(params={"Global.log_level": "error"})


def _line(corners: Any, text: str, number: int, height: float) -> Line:
    left, top = map(float, corners.min(axis=0))
    right, bottom = map(float, corners.max(axis=0))
    step = (right - left) / max(len(text), 1)
    runs = [
        Run(" ", match[0], _box(number, left + match.start() * step, top, left + match.end() * step, bottom))
        for match in re.finditer(r"\S+", text)
    ]
    return Line(runs, height)


def _box(number: int, *edges: float) -> Box:
    left, top, right, bottom = (round(edge * HUNDREDTHS) / HUNDREDTHS for edge in edges)
    return Box(number, left, top, right, bottom)
