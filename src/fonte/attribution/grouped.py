"""A design for many passages: neighbours are removed together first, and only groups that matter are taken apart.

Half of 50 passages is a long prompt, and a balanced design of 50 passages needs 120 of them. Most passages do nothing,
so groups of neighbours (which share prefixes) are treated as one passage in a balanced design of at most 24 ablations;
then the passages of the strongest groups get a balanced design of their own, in which all others are left out, so that
its prompts are short. One linear fit takes all ablations together. Up to `GROUPS` passages this is `balanced`.
"""

from __future__ import annotations

import numpy as np

from fonte.attribution.balanced import balanced
from fonte.attribution.designs import BoolArray, Design, FloatArray, distinct

# Sizes of the two balanced designs: 24 and 32 ablations at most.
GROUPS = 12
OPENED = 16


def grouped(passages: int, seed: int = 0) -> Design:
    """Return a balanced design of groups of neighbours; passages of one group stay or go together."""
    group = _group_of(passages)
    groups = balanced(int(group.max(initial=-1)) + 1, seed)
    return Design(groups.keep[:, group], groups.weights)


def opened(design: Design, value: FloatArray, low: FloatArray, high: FloatArray, seed: int = 0) -> Design:
    """Return `design` and a balanced design of the passages of its strongest groups; all others are removed there.

    `value`, `low` and `high` are [passage, span], as estimated from `design`. Groups are opened that matter for any
    span (or else the strongest), the strongest first, as long as they have `OPENED` passages together at most. The
    design stays as it is where every passage is its own group.
    """
    group = _group_of(design.passages)
    chosen = _strongest(group, np.abs(value), (low > 0) | (high < 0))
    if not len(chosen):
        return design
    inner = balanced(len(chosen), seed)
    keep = np.zeros((len(inner.keep), design.passages), bool)
    keep[:, chosen] = inner.keep
    drawn = inner.weights > 0
    return distinct(np.vstack([design.keep, keep[drawn]]), np.r_[design.weights, inner.weights[drawn]])


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
