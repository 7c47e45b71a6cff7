"""What the words on both sides of a gap say: does what follows begin over what was said before?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fonte.chunking.chop.words import words

WINDOW = 400  # words on each side of a gap; about three chunks together
AHEAD = 1200  # words that are read ahead of a gap before it is decided: a document does not repeat itself for so long
SHINGLE = 4  # words; shorter runs are common to all texts on a subject


class Windows:
    """The units of a text (paragraphs or chunks, in order), measured once so that every gap can be looked at.

    Gap `i` lies before unit `i`; gap 0 is the beginning. On each side of a gap stand the units that together have
    `WINDOW` words (at least one unit, fewer words at the ends). Time and memory grow linearly with the text.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        counted = [words(text) for text in texts]
        self.sizes = np.array([len(each) for each in counted], dtype=np.int64)
        self._ends = np.concatenate(([0], np.cumsum(self.sizes)))
        starts = self._ends[:-1]
        self._first = first_units(self._ends)
        self._ahead = np.minimum(np.searchsorted(self._ends, starts + AHEAD, side="left"), len(texts))
        self._seen = _previous(counted)

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self.sizes)

    def size(self, start: int, end: int) -> int:
        """Return the words of units `start` to `end`, the last one excluded."""
        return int(self._ends[end] - self._ends[start])

    def first(self, gap: int) -> int:
        """Return the first unit of the window before `gap`."""
        return int(self._first[gap])

    def restart(self, gap: int, begin: int) -> float:
        """Return by how much more the window after `gap` repeats the document so far than the window before it does.

        In -1 to 1; the document so far is the units from `begin` on. Repetition is the share of runs of `SHINGLE`
        words that stood in it before the window. A document seldom repeats itself: where what follows repeats what
        came long before, another document of the same kind has begun. 0 where either side is empty.
        """
        before = max(self.first(gap), begin)
        if before >= gap:
            return 0.0
        return self._repeated(gap, int(self._ahead[gap]), begin) - self._repeated(before, gap, begin)

    def _repeated(self, start: int, end: int, begin: int) -> float:
        previous = np.concatenate(self._seen[start:end]) if end > start else np.empty(0, np.int32)
        # What stood in the window itself says nothing about the document before it.
        counted = previous < start
        return float(np.mean(previous[counted] >= begin)) if counted.any() else 0.0


def first_units(ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, per gap, the first unit of the window before it; `ends` are the words up to each unit, from 0 on.

    The unit in which a window ends belongs to it: a title before a long section is not a window.
    """
    first: NDArray[np.int64] = np.maximum(np.searchsorted(ends, ends[:-1] - WINDOW, side="right") - 1, 0)
    return first


def _previous(counted: Sequence[list[str]]) -> list[NDArray[np.int32]]:
    """Return, per unit and shingle of it, the last unit before it that has the same shingle; -1 where none has."""
    latest: dict[int, int] = {}
    found = []
    for number, each in enumerate(counted):
        shingles = {hash(tuple(each[at : at + SHINGLE])) for at in range(max(len(each) - SHINGLE + 1, 0))}
        found.append(np.array([latest.get(shingle, -1) for shingle in sorted(shingles)], dtype=np.int32))
        latest.update(dict.fromkeys(shingles, number))
    return found
