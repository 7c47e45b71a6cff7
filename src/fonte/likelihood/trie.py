"""The order in which ablated prompts are visited so that every distinct prefix is computed once.

Sorted by the segments they keep, prompts are the leaves of a prefix trie in depth-first order, and all that a walk has
to know of the trie is how much each prompt shares with the one before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from fonte.likelihood.masks import BoolArray, PromptSegments

Path = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Visit:
    """One distinct prompt in the walk: keep the first `shared` tokens of the visit before, append `tokens`.

    `prompt` indexes the distinct prompts. `branches` are token counts, ascending, above `shared` and up to
    `length`, to which later visits come back. The tail is not part of it.
    """

    prompt: int
    shared: int
    tokens: tuple[int, ...]
    branches: tuple[int, ...]

    @property
    def length(self) -> int:
        """Tokens of the prompt without its tail."""
        return self.shared + len(self.tokens)


def distinct_paths(segments: PromptSegments, keep: BoolArray) -> tuple[list[Path], NDArray[np.int64]]:
    """Return the distinct prompts as lists of token-id segments, and for every ablation which one it is.

    Prompts are equal where their tokens per segment are: two copies of a passage are one. The head is the first
    entry of every path (where it is not empty), the tail is not part of it. The order does not depend on the order
    of the ablations.
    """
    rows = [tuple(int(j) for j in np.flatnonzero(row)) for row in keep]
    numbers: dict[Path, int] = {}
    for row in sorted(set(rows)):
        numbers.setdefault(_path(segments, row), len(numbers))
    return list(numbers), np.array([numbers[_path(segments, row)] for row in rows], dtype=np.int64)


def visits(paths: Sequence[Path], chosen: Sequence[int] | None = None) -> list[Visit]:
    """Order `paths` (those of the numbers `chosen`, else all) depth first; see `Visit`."""
    numbers = _depth_first(paths, range(len(paths)) if chosen is None else chosen)
    common = [0] + [_common(paths[a], paths[b]) for a, b in pairwise(numbers)]
    ends = [list(accumulate((len(segment) for segment in paths[number]), initial=0)) for number in numbers]
    walk = []
    for place, number in enumerate(numbers):
        start = common[place]
        tokens = tuple(token for segment in paths[number][start:] for token in segment)
        branches = tuple(ends[place][depth] for depth in _returns(common, place))
        walk.append(Visit(number, ends[place][start], tokens, branches))
    return walk


def _path(segments: PromptSegments, row: tuple[int, ...]) -> Path:
    parts = (segments.head, *(segments.segments[j] for j in row))
    return tuple(part for part in parts if part)


def _depth_first(paths: Sequence[Path], chosen: Sequence[int]) -> list[int]:
    """Sort by the rank of each segment's content, so that equal prefixes are neighbours."""
    rank: dict[tuple[int, ...], int] = {}
    for number in chosen:
        for segment in paths[number]:
            rank.setdefault(segment, len(rank))
    return sorted(chosen, key=lambda number: [rank[segment] for segment in paths[number]])


def _common(first: Path, second: Path) -> int:
    """Number of leading segments that two paths share."""
    for depth, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return depth
    return min(len(first), len(second))


def _returns(common: Sequence[int], place: int) -> list[int]:
    """Depths above what visit `place` shares, to which later visits return while its own path is still there."""
    depths: set[int] = set()
    for depth in common[place + 1 :]:
        lowest = min(depths | {depth})
        if lowest <= common[place]:
            break
        depths.add(lowest)
    return sorted(depths)
