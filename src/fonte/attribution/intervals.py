"""How sure an effect is: the bootstrap over ablations, never narrower than the numeric noise."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from fonte.attribution.designs import FloatArray
from fonte.attribution.estimators import Estimator, Observations

LEVEL = 0.95
RESAMPLES = 200
# The half width of a normal 95 % interval in standard deviations.
DEVIATIONS = 1.96
# An effect below this share of the largest is not worth further ablations.
TOLERANCE = 0.1


def bootstrap(estimator: Estimator, seen: Observations, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """Return low and high [passage, span] of an estimate, by resampling ablations; row 0 always stays.

    The interval is that of percentiles at 95 %. A resample is a reweighting, so that every passage keeps its rows; the
    weights are exponential (Bayesian bootstrap, Rubin 1981), because a plain resample can lose a passage's only row. A
    fit with nearly as many coefficients as ablations follows its ablations too closely, and so do its resamples; the
    interval is therefore stretched about the estimate by sqrt(m / (m - p)), as residuals are in least squares.
    """
    value = estimator(seen)
    generator = np.random.default_rng(seed)
    drawn = []
    for _ in range(RESAMPLES):
        share = generator.exponential(size=len(seen.keep))
        share[0] = 1.0
        drawn.append(estimator(seen.reweighted(share)))
    tails = (1 - LEVEL) / 2
    low, high = np.quantile(np.stack(drawn), [tails, 1 - tails], axis=0)
    rows = int((seen.weights > 0).sum())
    coefficients = 1 + np.count_nonzero(value, axis=0)
    stretch = np.sqrt(rows / np.maximum(rows - coefficients, 1))
    return value + (low - value) * stretch, value + (high - value) * stretch


def widened(low: FloatArray, high: FloatArray, value: FloatArray, noise: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the interval made to hold `value` and to reach `noise` [span] to both sides of it at the least.

    `noise` is the half width that is there whatever was sampled.
    """
    return np.minimum(low, value - noise), np.maximum(high, value + noise)


def settled(value: FloatArray, low: FloatArray, high: FloatArray, tolerance: float = TOLERANCE) -> bool:
    """Return whether further ablations would change neither who matters nor in which order.

    For every span: each interval excludes zero, or lies within `tolerance` times the largest effect; and passages that
    matter and follow each other in order have intervals apart, or values within that tolerance. Arrays are
    [passage, span].
    """
    return all(_settled(value[:, span], low[:, span], high[:, span], tolerance) for span in range(value.shape[1]))


def _settled(value: FloatArray, low: FloatArray, high: FloatArray, tolerance: float) -> bool:
    small = tolerance * float(np.abs(value).max(initial=0.0))
    matters = (low > 0) | (high < 0)
    if not np.all(matters | ((high <= small) & (low >= -small))):
        return False
    order = [passage for passage in np.argsort(-value, kind="stable") if matters[passage]]
    return all(low[first] >= high[second] or value[first] - value[second] <= small for first, second in pairwise(order))
