"""What the words on both sides of a gap say: do they go on, and does what follows begin over what was said before?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fonte.chunking.chop.words import words

WINDOW = 400  # words on each side of a gap; about three chunks together
AHEAD = 1200  # words that are read ahead of a gap before it is decided: a document does not repeat itself for so long
SHINGLE = 4  # words; shorter runs are common to all texts on a subject

Floats = NDArray[np.float64]


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
        # The unit in which a window ends belongs to it: a title before a long section is not a window.
        self._first = np.maximum(np.searchsorted(self._ends, starts - WINDOW, side="right") - 1, 0)
        self._last = np.minimum(np.searchsorted(self._ends, starts + WINDOW, side="left"), len(texts))
        self._ahead = np.minimum(np.searchsorted(self._ends, starts + AHEAD, side="left"), len(texts))
        self.cohesion = _cohesion(counted, self._first, self._last)
        self._seen = _previous(counted)

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self.sizes)

    def size(self, start: int, end: int) -> int:
        """Return the words of units `start` to `end`, the last one excluded."""
        return int(self._ends[end] - self._ends[start])

    def last(self, gap: int) -> int:
        """Return the unit after the window that follows `gap`."""
        return int(self._last[gap])

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


def _cohesion(counted: Sequence[list[str]], first: NDArray[Any], last: NDArray[Any]) -> Floats:
    """Return, per gap, the TF-IDF cosine of its two windows."""
    if not counted:
        return np.zeros(0)
    matrix = _tf_idf(counted)
    count = len(counted)
    position = np.arange(count)
    left = _band(first, position, count) @ matrix
    right = _band(position, last, count) @ matrix
    dots = np.asarray(left.multiply(right).sum(axis=1)).ravel()
    norms = sparse.linalg.norm(left, axis=1) * sparse.linalg.norm(right, axis=1)
    return np.asarray(np.divide(dots, norms, out=np.zeros(count), where=norms > 0))


def _tf_idf(counted: Sequence[list[str]]) -> sparse.csr_matrix:
    vocabulary: dict[str, int] = {}
    columns = [[vocabulary.setdefault(word, len(vocabulary)) for word in each] for each in counted]
    flat = np.fromiter((column for row in columns for column in row), np.int64)
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in columns])))
    counts = sparse.csr_matrix((np.ones(len(flat)), flat, offsets), shape=(len(counted), max(len(vocabulary), 1)))
    counts.sum_duplicates()
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    inverse = np.log((1 + len(counted)) / (1 + frequency))
    return (counts @ sparse.diags(inverse)).tocsr()


def _band(start: NDArray[Any], end: NDArray[Any], count: int) -> sparse.csr_matrix:
    """Return a 0/1 matrix [gap, unit] whose row i holds units start[i] to end[i], the last one excluded."""
    rows = [np.arange(a, b) for a, b in zip(start, end, strict=True)]
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    flat = np.concatenate(rows) if rows else np.empty(0, np.int64)
    return sparse.csr_matrix((np.ones(len(flat)), flat, offsets), shape=(count, count))


def _previous(counted: Sequence[list[str]]) -> list[NDArray[np.int32]]:
    """Return, per unit and shingle of it, the last unit before it that has the same shingle; -1 where none has."""
    latest: dict[int, int] = {}
    found = []
    for number, each in enumerate(counted):
        shingles = {hash(tuple(each[at : at + SHINGLE])) for at in range(max(len(each) - SHINGLE + 1, 0))}
        found.append(np.array([latest.get(shingle, -1) for shingle in sorted(shingles)], dtype=np.int32))
        latest.update(dict.fromkeys(shingles, number))
    return found
