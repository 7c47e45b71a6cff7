"""The lines of a page, as the steps of the PDF reader hand them on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from fonte.values import Box


class Run(NamedTuple):
    """A piece of text without white space and where it lies; `gap` is the white space before it on its line.

    A word is one run, or several without gaps: pieces of a word broken at a line end, ideographs one by one.
    """

    gap: str
    text: str
    box: Box


@dataclass(slots=True)
class Line:
    """Runs in the order of the file; `size` is the height of most of its letters in points, to half a point."""

    runs: list[Run]
    page_height: float
    size: float = field(init=False)

    def __post_init__(self) -> None:
        """Measure the letters: those of a name in another font must not decide for the line."""
        letters: dict[float, int] = {}
        for run in self.runs:
            height = round(2 * _height(run)) / 2
            letters[height] = letters.get(height, 0) + len(run.text)
        self.size = max(letters, key=letters.__getitem__)

    @property
    def page(self) -> int:
        """The page the line starts on, from 1."""
        return self.runs[0].box.page

    @property
    def text(self) -> str:
        """The text without white space around it."""
        return "".join(f"{run.gap}{run.text}" for run in self.runs).strip()

    @property
    def top(self) -> float:
        """The upper edge, in points from the top of the page."""
        return self.runs[0].box.top

    @property
    def bottom(self) -> float:
        """The lower edge, in points from the top of the page."""
        return self.runs[0].box.bottom

    @property
    def left(self) -> float:
        """The left edge of the first run."""
        return self.runs[0].box.left


def _height(run: Run) -> float:
    """Return the height of a run's letters: where text runs upwards, that is the width of its box."""
    width, height = run.box.right - run.box.left, run.box.bottom - run.box.top
    return min(width, height) if len(run.text) > 3 else height
