"""Designs: which passages each ablation keeps, as a boolean array [ablation, passage]; the first row keeps all.

A design is the first half of an attribution method, an estimator (`estimators.py`) the second; the mask is all that
they share. Rows are distinct: what is drawn twice carries its weight once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from math import ceil, comb

import numpy as np
from numpy.typing import NDArray

from fonte.errors import UsageError

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
# Above this, all subsets are more prompts than any estimate needs.
SUBSETS_AT_MOST = 12
# Context-cite numbers its draws from 0; other seeds begin far from there.
DRAWS_APART = 100_003


@dataclass(frozen=True, eq=False)
class Design:
    """`keep` is bool [ablation, passage], `weights` float64 [ablation], at least 0; row 0 keeps every passage.

    `sampled` is False where the estimate is what it is defined to be, with nothing left to draw: its only error is
    that of the arithmetic.
    """

    keep: BoolArray
    weights: FloatArray
    sampled: bool = True

    @property
    def passages(self) -> int:
        """Number of passages."""
        return int(self.keep.shape[1])


def leave_one_out(passages: int) -> Design:
    """Return all passages, then each left out: `passages` + 1 ablations of equal weight."""
    keep = np.vstack([np.ones((1, passages), bool), ~np.eye(passages, dtype=bool)])
    return distinct(keep, np.ones(len(keep)), sampled=False)


def clime(passages: int, seed: int = 0, most_removed: int = 2, oversampling: float = 10) -> Design:
    """Return C-LIME's design (MExGen, Paes et al. 2024; icx360 0.1.0): few removals, all near the full context.

    The removal sets of size 0, 1, … `most_removed` share about `oversampling * passages` ablations; a size whose sets
    are more than its share is drawn from without replacement. Every size class has the same total weight, so the full
    context weighs as much as all pairs together.
    """
    sizes = range(1, min(most_removed, passages) + 1)
    generator = np.random.default_rng(seed)
    wanted = ceil(oversampling * passages)
    left = wanted
    removed: list[tuple[int, ...]] = [()]
    for size in sizes:
        quota = round(left / (len(sizes) + 1 - size))
        drawn = _removal_sets(passages, size, quota, generator)
        removed += drawn
        left -= len(drawn)
    counts = np.bincount([len(each) for each in removed], minlength=1)
    classes = int((counts > 0).sum())
    total = wanted / classes if passages else 1.0
    weights = np.array([total / counts[len(each)] for each in removed])
    return Design(_without(passages, removed), weights)


def pairs(passages: int, budget: int, seed: int = 0) -> Design:
    """Return leave-one-out and as many pairs, drawn by `seed`, as `budget` ablations allow; of equal weight."""
    single = leave_one_out(passages)
    room = min(max(budget - len(single.keep), 0), comb(passages, 2))
    drawn = _removal_sets(passages, 2, room, np.random.default_rng(seed)) if room else []
    keep = np.vstack([single.keep, _without(passages, drawn)]) if drawn else single.keep
    return distinct(keep, np.ones(len(keep)))


def bernoulli(passages: int, ablations: int, seed: int = 0, share_kept: float = 0.5) -> Design:
    """Return `ablations` subsets, each passage kept with `share_kept`: ContextCite's design (alpha .5).

    With `seed` 0 the draws are those of context-cite 0.0.4; a larger design begins with the smaller one. Equal draws
    become one row whose weight counts them; the full context comes first, with weight 0 where it was not drawn. Errors:
    `UsageError` for a share outside ]0, 1[.
    """
    if not 0 < share_kept < 1:
        raise UsageError(f"share_kept is {share_kept}; it must lie between 0 and 1, both excluded.")
    chances = [1 - share_kept, share_kept]
    seeds = range(seed * DRAWS_APART, seed * DRAWS_APART + ablations)
    drawn = [np.random.RandomState(each % 2**32).choice([False, True], passages, p=chances) for each in seeds]
    keep = np.vstack([np.ones((1, passages), bool), *drawn])
    return distinct(keep, np.array([0.0] + [1.0] * len(drawn)))


def permutations(passages: int, count: int, seed: int = 0) -> Design:
    """Return the prefixes of `count` random orders, for Shapley values by marginal contributions (Castro et al. 2009).

    An order and its reverse are drawn together, which halves the variance of near-additive effects at no cost.
    """
    generator = np.random.default_rng(seed)
    rows: list[BoolArray] = [np.ones(passages, bool), np.zeros(passages, bool)]
    for order in islice(_orders(passages, generator), count):
        kept = np.zeros(passages, bool)
        for passage in order:
            kept = kept.copy()
            kept[passage] = True
            rows.append(kept)
    keep = np.array(rows)
    return distinct(keep, np.ones(len(keep)))


def local_shapley(passages: int, neighbours: int = 2, most_removed: int = 2) -> Design:
    """Return L-SHAP's design (Chen et al. 2019; MExGen): each passage against removal sets of its neighbours.

    The neighbours of a passage are the `neighbours` before and after it; with the passage itself kept and removed.
    """
    removed: set[tuple[int, ...]] = {()}
    for passage in range(passages):
        around = near(passage, passages, neighbours)
        for size in range(min(most_removed, len(around)) + 1):
            for each in combinations(around, size):
                removed |= {each, tuple(sorted((*each, passage)))}
    listed = sorted(removed, key=lambda each: (len(each), each))
    return Design(_without(passages, listed), np.ones(len(listed)), sampled=False)


def all_subsets(passages: int) -> Design:
    """Return every subset. Errors: `UsageError` above `SUBSETS_AT_MOST` passages."""
    if passages > SUBSETS_AT_MOST:
        raise UsageError(f"{passages} passages have 2^{passages} subsets. Use at most {SUBSETS_AT_MOST}, or sample.")
    listed = [each for size in range(passages + 1) for each in combinations(range(passages), size)]
    return Design(_without(passages, listed), np.ones(len(listed)), sampled=False)


def near(passage: int, passages: int, neighbours: int) -> list[int]:
    """Return the passages at most `neighbours` places from `passage`, in order, without itself."""
    window = range(max(passage - neighbours, 0), min(passage + neighbours + 1, passages))
    return [other for other in window if other != passage]


def _orders(passages: int, generator: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    while True:
        order = generator.permutation(passages)
        yield order
        yield order[::-1]


def _removal_sets(passages: int, size: int, most: int, generator: np.random.Generator) -> list[tuple[int, ...]]:
    """Return all sets of `size` passages, or `most` of them drawn without replacement; in lexicographic order."""
    total = comb(passages, size)
    if total <= most:
        return list(combinations(range(passages), size))
    drawn: set[tuple[int, ...]] = set()
    while len(drawn) < most:
        drawn.add(tuple(sorted(generator.choice(passages, size, replace=False).tolist())))
    return sorted(drawn)


def _without(passages: int, removed: list[tuple[int, ...]]) -> BoolArray:
    keep = np.ones((len(removed), passages), bool)
    for row, each in enumerate(removed):
        keep[row, list(each)] = False
    return keep


def distinct(keep: BoolArray, weights: FloatArray, *, sampled: bool = True) -> Design:
    """Join equal rows, adding their weights; the order is that of first occurrence."""
    rows: dict[bytes, int] = {}
    for number, row in enumerate(keep):
        rows.setdefault(row.tobytes(), number)
    totals = dict.fromkeys(rows, 0.0)
    for row, weight in zip(keep, weights, strict=True):
        totals[row.tobytes()] += float(weight)
    return Design(keep[list(rows.values())], np.array(list(totals.values())), sampled)
