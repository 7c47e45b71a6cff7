"""Estimators: masks and values to one effect per passage; positive means that removing it lowers the value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fonte.attribution.designs import BoolArray, FloatArray, near
from fonte.errors import MissingExtraError, UsageError


@dataclass(frozen=True, eq=False)
class Observations:
    """What ablations gave: `keep` bool [ablation, passage], `weights` float64 [ablation], `values` [ablation, span].

    Row 0 keeps every passage. `lengths` int [span] is how many answer tokens a span has, at least 1.
    """

    keep: BoolArray
    weights: FloatArray
    values: FloatArray
    lengths: NDArray[np.int64]

    def reweighted(self, factors: FloatArray) -> Observations:
        """Return the same with weights multiplied by `factors` [ablation]."""
        other = replace(self, weights=self.weights * factors)
        other.__dict__["pairs"] = self.pairs
        return other

    @cached_property
    def pairs(self) -> tuple[NDArray[np.int64], ...]:
        """Per passage the ablations that differ in it alone: int64 [pair, (without it, with it)]."""
        rows = {row.tobytes(): number for number, row in enumerate(self.keep)}
        return tuple(_pairs(self.keep, rows, passage) for passage in range(self.keep.shape[1]))


# An estimator gives float64 [passage, span].
Estimator = Callable[[Observations], FloatArray]


def difference(seen: Observations) -> FloatArray:
    """Return v(all) - v(all without the passage): leave-one-out. Rows with other removals are not used.

    Errors: `UsageError` where a passage was never left out alone.
    """
    found = partial_difference(seen)
    if np.isnan(found).any():
        raise UsageError("Leave-one-out needs an ablation without each passage; the design lacks some.")
    return found


def partial_difference(seen: Observations) -> FloatArray:
    """Return leave-one-out with NaN for passages that were not left out alone; stays inside this room."""
    found = np.full((seen.keep.shape[1], seen.values.shape[1]), np.nan)
    for row in np.flatnonzero((~seen.keep).sum(axis=1) == 1):
        found[int(np.flatnonzero(~seen.keep[row])[0])] = seen.values[0] - seen.values[row]
    return found


def linear(seen: Observations) -> FloatArray:
    """Return the coefficients of a weighted least-squares fit on "passage kept", intercept free (C-LIME).

    With fewer distinct ablations than passages the solution of smallest norm around the weighted mean is taken.
    """
    keep, weights = seen.keep.astype(np.float64), seen.weights / seen.weights.sum()
    root = np.sqrt(weights)[:, None]
    features = (keep - weights @ keep) * root
    solution: FloatArray = np.linalg.lstsq(features, (seen.values - weights @ seen.values) * root, rcond=None)[0]
    return solution


def sparse_linear(most: int) -> Estimator:
    """Return C-LIME's sparse variant: `most` passages chosen by the LARS path, refitted without penalty.

    As icx360's `num_nonzeros` with `debias`, but centred by the weighted means of the weighted fit.
    """

    def fit(seen: Observations) -> FloatArray:
        lars_path = _sklearn("linear_model").lars_path
        keep, weights = seen.keep.astype(np.float64), seen.weights / seen.weights.sum()
        root = np.sqrt(weights)
        features = (keep - weights @ keep) * root[:, None]
        found = np.zeros((keep.shape[1], seen.values.shape[1]))
        for span, column in enumerate(seen.values.T):
            target = (column - weights @ column) * root
            active = list(lars_path(features, target, max_iter=most, method="lasso", return_path=False)[1])
            kept = replace(seen, keep=seen.keep[:, active], values=seen.values[:, [span]])
            found[active, span] = linear(kept)[:, 0] if active else 0.0
        return found

    return fit


def lasso(alpha: float = 0.01) -> Estimator:
    """Return ContextCite's estimator: LASSO with penalty `alpha`, on standardised masks and values per answer token.

    The coefficients are brought back to the values' own unit (Cohen-Wang et al. 2024; context-cite 0.0.4 `solver.py`).
    """

    def fit(seen: Observations) -> FloatArray:
        linear_model = _sklearn("linear_model")
        keep = seen.keep.astype(np.float64)
        weights = seen.weights / seen.weights.sum()
        mean = weights @ keep
        scale = np.sqrt(weights @ (keep - mean) ** 2)
        scale = np.where(scale > 0, scale, 1.0)
        features = (keep - mean) / scale
        found = np.zeros((keep.shape[1], seen.values.shape[1]))
        for span, column in enumerate(seen.values.T):
            target = column / seen.lengths[span]
            model = linear_model.Lasso(alpha=alpha).fit(features, target, sample_weight=seen.weights)
            found[:, span] = model.coef_ / scale * seen.lengths[span]
        return found

    return fit


def shapley(seen: Observations) -> FloatArray:
    """Return Shapley values from all subsets, or their estimate from prefixes of permutations.

    For each passage, marginal contributions v(S with it) - v(S) are averaged within each size of S (by the product of
    both ablations' weights), and the sizes are averaged: exact where every subset is there with equal weight (Shapley
    1953). Errors: `UsageError` where a passage has no pair of ablations that differ in it alone.
    """
    found = np.zeros((seen.keep.shape[1], seen.values.shape[1]))
    for passage, pairs in enumerate(seen.pairs):
        if not len(pairs):
            raise UsageError(f"Passage {passage} has no two ablations that differ in it alone: no Shapley value.")
        without, with_it = pairs.T
        gains = seen.values[with_it] - seen.values[without]
        weights = seen.weights[with_it] * seen.weights[without]
        sizes = seen.keep[without].sum(axis=1)
        means = [np.average(gains[sizes == size], axis=0, weights=weights[sizes == size]) for size in np.unique(sizes)]
        found[passage] = np.mean(means, axis=0)
    return found


def local_shapley_values(neighbours: int = 2, most_removed: int = 2) -> Estimator:
    """Return L-SHAP's estimator for the design `local_shapley` with the same arguments.

    score_i = mean over sizes k of the mean over sets A of k neighbours of v(A removed) - v(A and i removed). The means
    are means also where a passage has fewer neighbours than `most_removed` (icx360 0.1.0 divides by too much there).
    """

    def fit(seen: Observations) -> FloatArray:
        passages = seen.keep.shape[1]
        found = np.zeros((passages, seen.values.shape[1]))
        for passage in range(passages):
            around = near(passage, passages, neighbours)
            sizes = min(most_removed, len(around)) + 1
            for without, with_it in seen.pairs[passage]:
                removed = np.flatnonzero(~seen.keep[with_it]).tolist()
                if set(removed) <= set(around) and len(removed) <= most_removed:
                    gain = seen.values[with_it] - seen.values[without]
                    found[passage] += gain / (comb(len(around), len(removed)) * sizes)
        return found

    return fit


def _pairs(keep: BoolArray, rows: dict[bytes, int], passage: int) -> NDArray[np.int64]:
    found = []
    for number in np.flatnonzero(~keep[:, passage]):
        with_it = keep[number].copy()
        with_it[passage] = True
        partner = rows.get(with_it.tobytes())
        if partner is not None:
            found.append((int(number), partner))
    return np.array(found, np.int64).reshape(-1, 2)


def _sklearn(module: str) -> Any:
    try:
        return import_module(f"sklearn.{module}")
    except ImportError:
        raise MissingExtraError("scikit-learn", "attribution") from None
