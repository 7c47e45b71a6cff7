"""Reciprocal rank fusion: one order from several."""

from __future__ import annotations

from collections.abc import Sequence


def reciprocal_rank_fusion(rankings: Sequence[Sequence[str]], constant: int = 60) -> list[tuple[str, float]]:
    """Fuse rankings of ids: score(d) = sum over rankings r of 1 / (constant + rank of d in r), ranks from 1.

    Cormack, Clarke and Büttcher (2009), "Reciprocal rank fusion outperforms Condorcet and individual rank learning
    methods", section 2, constant 60. An id counts once per ranking, at its best rank. Returns ids with their scores,
    best first, equal scores ordered by id; [] for nothing to fuse. Errors: ValueError for a constant below 0.
    """
    if constant < 0:
        raise ValueError(f"The constant of reciprocal rank fusion is {constant}; it must be 0 or more.")
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            scores[item] = scores.get(item, 0.0) + 1.0 / (constant + rank)
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))
