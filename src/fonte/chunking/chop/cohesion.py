"""Do the words go on at a gap? The likeness of what stands on its two sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fonte.chunking.chop.windows import WINDOW, first_units
from fonte.chunking.chop.words import words


def cohesion(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return, per gap, the TF-IDF cosine of the windows on its two sides, 0 to 1; gap 0 has nothing before it and 0.

    On each side of a gap stand the units that together have `WINDOW` words (at least one unit, fewer words at the
    ends). Time and memory grow linearly with the text.
    """
    counted = [words(text) for text in texts]
    if not counted:
        return np.zeros(0)
    ends = np.concatenate(([0], np.cumsum([len(each) for each in counted], dtype=np.int64)))
    first = first_units(ends)
    last = np.minimum(np.searchsorted(ends, ends[:-1] + WINDOW, side="left"), len(texts))
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
