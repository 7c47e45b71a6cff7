"""Passages that say the same: each alone seems useless, because the other remains."""

from __future__ import annotations

from collections.abc import Sequence

WORDS_PER_SHINGLE = 3
SAME_SHARE = 0.7


def near_duplicates(texts: Sequence[str], share: float = SAME_SHARE) -> list[tuple[int, ...]]:
    """Return the groups (two or more) of texts of which one holds at least `share` of the other's word triples.

    Groups are joined through chains and listed by their first member. Case and punctuation do not count; texts of fewer
    than three words are compared whole; blank ones are in no group.
    """
    shingles = [_shingles(text) for text in texts]
    group = list(range(len(texts)))
    for first in range(len(texts)):
        for second in range(first + 1, len(texts)):
            if _share(shingles[first], shingles[second]) >= share:
                old, new = group[second], group[first]
                group = [new if label == old else label for label in group]
    members: dict[int, list[int]] = {}
    for number, label in enumerate(group):
        members.setdefault(label, []).append(number)
    return [tuple(numbers) for numbers in members.values() if len(numbers) > 1]


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = ["".join(filter(str.isalnum, word)) for word in text.casefold().split()]
    words = [word for word in words if word]
    if len(words) < WORDS_PER_SHINGLE:
        return {tuple(words)} if words else set()
    return {tuple(words[start : start + WORDS_PER_SHINGLE]) for start in range(len(words) - WORDS_PER_SHINGLE + 1)}


def _share(first: set[tuple[str, ...]], second: set[tuple[str, ...]]) -> float:
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller else 0.0
