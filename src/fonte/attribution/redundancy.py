"""Passages that replace each other without looking alike: alone none matters, together they do.

Leave-one-out calls both of two sources of the same fact useless. So the passages without measurable effect are
removed together; if that matters, the ones behind it are found by halving (as delta debugging does).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fonte.attribution.effects import Group

# How much of the joint effect a smaller group must keep to take its place.
SHARE_KEPT = 0.8
# More passages than this do not replace each other: each adds a little.
MOST = 4

# Removing these passages together gives this effect and half width on one span; None where it cannot be measured.
Joint = Callable[[Sequence[int]], tuple[float | None, float]]


def redundant_group(useless: Sequence[int], joint: Joint) -> Group | None:
    """Return the smallest group found among `useless` passages that matters together; None where none does.

    A group has two to `MOST` passages: where an effect is spread over more, the search gives up as soon as that shows.
    `joint` is asked for about 2 k log2(n / k) removals, for k passages of n. What cannot be measured counts as needed.
    """
    members = list(useless)
    if len(members) < 2:
        return None
    whole, half = joint(members)
    if whole is None or abs(whole) <= half:
        return None
    piece = len(members) // 2
    while piece and len(members) > 2:
        pieces = -(-len(members) // piece)
        members, shrunk = _without_a_piece(members, piece, whole, joint)
        if not shrunk and pieces > MOST:
            return None  # every piece is needed, so the group has more members than `MOST`
        piece = min(piece, len(members) // 2) if shrunk else piece // 2
    return Group(tuple(members), same_text=False) if len(members) <= MOST else None


def _without_a_piece(members: list[int], piece: int, whole: float, joint: Joint) -> tuple[list[int], bool]:
    """Drop each run of `piece` members that the effect can do without; say whether any was."""
    kept = list(members)
    for start in range(0, len(members), piece):
        fewer = [member for member in kept if member not in members[start : start + piece]]
        if len(fewer) < 2 or len(fewer) == len(kept):
            continue
        value, _ = joint(fewer)
        if value is not None and value * whole > 0 and abs(value) >= SHARE_KEPT * abs(whole):
            kept = fewer
    return kept, len(kept) < len(members)
