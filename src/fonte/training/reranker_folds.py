"""Sides of a training on which nothing is shared: questions with a common gold passage or cited case stay together."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from fonte.errors import UsageError


def together(groups: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the questions (ids) that must stay together, through others too; sorted, so that order does not matter.

    `groups` gives the names of what a question shares with others, such as its gold passages or the case it cites. A
    question without any is on its own.
    """
    parent = {question: question for question in groups}

    def root(question: str) -> str:
        while parent[question] != question:
            parent[question] = parent[parent[question]]
            question = parent[question]
        return question

    first: dict[str, str] = {}
    for question, names in groups.items():
        for name in names:
            parent[root(question)] = root(first.setdefault(name, question))
    found: dict[str, list[str]] = {}
    for question in sorted(groups):
        found.setdefault(root(question), []).append(question)
    return sorted(found.values())


def grouped_folds(groups: Mapping[str, Sequence[str]], folds: int = 5, seed: int = 0) -> dict[str, int]:
    """Return the fold, from 0, of each question; sizes differ as little as whole groups allow.

    The largest group goes first, each to the smallest fold so far; `seed` decides between equals. Errors: `UsageError`
    where there are fewer groups than folds, or fewer than two folds.
    """
    members = together(groups)
    if folds < 2 or len(members) < folds:
        raise UsageError(
            f"{len(groups)} questions in {len(members)} groups that share no gold passage cannot make {folds} folds. "
            "Use at least two folds, and more questions than folds."
        )
    sizes = [0] * folds
    fold_of: dict[str, int] = {}
    for group in sorted(members, key=lambda group: (-len(group), place(group[0], seed))):
        smallest = min(range(folds), key=lambda fold: (sizes[fold], fold))
        sizes[smallest] += len(group)
        fold_of |= dict.fromkeys(group, smallest)
    return fold_of


def place(name: str, seed: int) -> float:
    """Return a number from 0 to 1 that `name` and `seed` alone decide."""
    digest = hashlib.blake2b(f"{seed}:{name}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
