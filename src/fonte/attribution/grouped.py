"""A design for many passages: neighbours are removed together first, and only groups that matter are taken apart.

A balanced design of 50 passages needs 120 long prompts. Most passages do nothing, so groups of neighbours (which share
prefixes) are treated as one passage in a balanced design of at most 24 ablations; then the passages of the strongest
groups, each by itself, and the other groups, as groups, get a second balanced design. One linear fit takes all
ablations together. Up to `GROUPS` passages this is `balanced`.
"""

from __future__ import annotations

import numpy as np

from fonte.attribution.balanced import balanced
from fonte.attribution.designs import BoolArray, Design, FloatArray, distinct

# With these the two balanced designs have 24 and 56 ablations at most.
GROUPS = 12
OPENED = 16


def grouped(passages: int, seed: int = 0) -> Design:
    """Return a balanced design of groups of neighbours; passages of one group stay or go together."""
    group = _group_of(passages)
    groups = balanced(int(group.max(initial=-1)) + 1, seed)
    return Design(groups.keep[:, group], groups.weights)


def opened(design: Design, value: FloatArray, low: FloatArray, high: FloatArray, seed: int = 0) -> Design:
    """Return `design` and a balanced design of the passages of its strongest groups beside all other groups.

    `value`, `low` and `high` are [passage, span], as estimated from `design`. Groups are opened that matter for any
    span (or else the strongest), the strongest first, as long as they have `OPENED` passages together at most. The
    design stays as it is where every passage is its own group.

    The other groups go on being drawn: with all of them removed, an effect is one in a prompt that no held-out half
    looks like.
    """
    group = _group_of(design.passages)
    chosen = _strongest(group, np.abs(value), (low > 0) | (high < 0))
    if not chosen:
        return design
    unit = group + design.passages
    unit[chosen] = chosen
    _, unit = np.unique(unit, return_inverse=True)
    inner = balanced(int(unit.max()) + 1, seed + 1)
    drawn = inner.weights > 0
    return distinct(np.vstack([design.keep, inner.keep[drawn][:, unit]]), np.r_[design.weights, inner.weights[drawn]])


def _group_of(passages: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the group of each passage: neighbours, in at most `GROUPS` groups of nearly equal size."""
    return np.arange(passages) * min(GROUPS, passages) // max(passages, 1)


def _strongest(
    group: np.ndarray[tuple[int], np.dtype[np.int64]], strength: FloatArray, matters: BoolArray
) -> list[int]:
    members = {int(number): np.flatnonzero(group == number) for number in np.unique(group)}
    several = [number for number in members if len(members[number]) > 1]
    strengths = {number: float(strength[members[number]].sum(axis=0).max(initial=0.0)) for number in several}
    order = sorted(several, key=lambda number: (-strengths[number], number))
    wanted = [number for number in order if matters[members[number]].any()] or order[:1]
    chosen: list[int] = []
    for number in wanted:
        if len(chosen) + len(members[number]) <= OPENED or not chosen:
            chosen += members[number].tolist()
    return sorted(chosen)
