"""What a measure gives for one item, and what a set of items gives: numbers, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from fonte.errors import MissingExtraError, UsageError

FloatArray = npt.NDArray[np.float64]

BIAS_CORRECTED = 1000  # items; above, the percentile bootstrap gives the same interval at a fraction of the work


@dataclass(frozen=True, slots=True)
class Score:
    """One item's value; `value` is None exactly where `status` is not `scored`.

    `status` is `scored`, `not_applicable` (the measure says nothing about such an item, for example a question
    without gold answers) or `not_scored` (something that it needs is missing). `reason` says what, and may also
    qualify a value ("no answer in the file").
    """

    value: float | None
    status: str = "scored"
    reason: str = ""

    def __post_init__(self) -> None:
        """Hold value and status together: no NaN, no value without the status for it."""
        if (self.status == "scored") != (self.value is not None):
            raise UsageError(f"A score of {self.value!r} cannot have the status {self.status!r}.")
        if self.value is not None and not math.isfinite(self.value):
            raise UsageError(f"A score must be a finite number, not {self.value!r}.")


def scored(value: float, reason: str = "") -> Score:
    """Return a score with a value."""
    return Score(float(value), "scored", reason)


def not_applicable(reason: str) -> Score:
    """Return the score of an item about which the measure says nothing."""
    return Score(None, "not_applicable", reason)


def not_scored(reason: str) -> Score:
    """Return the score of an item that lacks something that the measure needs."""
    return Score(None, "not_scored", reason)


@dataclass(frozen=True)
class Summary:
    """A set of items: `mean` over the `n_scored` of `n` that have a value, with a 95 % interval.

    `status` is `scored` (all have a value), `partial` (some have not) or `not_scored` (none has; then `mean`, `low`
    and `high` are None). `low` and `high` are None too where one value alone bounds nothing. `reason` tells what the
    items without a value lack. `items` holds every item's score by id, in the order given.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int
    n_scored: int
    status: str
    reason: str = ""
    items: Mapping[str, Score] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Freeze the items."""
        object.__setattr__(self, "items", MappingProxyType(dict(self.items)))

    @property
    def values(self) -> dict[str, float]:
        """The values by item id, of the items that have one."""
        return {name: score.value for name, score in self.items.items() if score.value is not None}

    def to_json(self) -> dict[str, Any]:
        """Return the public shape, without the items."""
        names = ("mean", "low", "high", "n", "n_scored", "status", "reason")
        return {name: getattr(self, name) for name in names}


def summarise(
    items: Mapping[str, Score],
    *,
    bounds: tuple[float, float] | None = (0.0, 1.0),
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Summary:
    """Summarise the scores of a set.

    The interval is a bootstrap over items (Efron and Tibshirani 1993; bias-corrected and accelerated up to
    `BIAS_CORRECTED` items, else percentile). Values that are only 0 and 1 get Wilson's interval instead, which does
    not collapse when all are equal. `bounds` is the measure's range, None where it has none: with one item, about
    which resampling says nothing, the interval is the whole range. No item gives status `not_scored`.
    """
    values = np.array([score.value for score in items.values() if score.value is not None], dtype=np.float64)
    reason = _missing(items)
    if not len(values):
        return Summary(None, None, None, len(items), 0, "not_scored", reason or "there are no items", items)
    low, high = _interval(values, bounds, confidence, resamples, seed)
    status = "scored" if len(values) == len(items) else "partial"
    mean = float(values.mean())
    low = None if low is None else min(low, mean)
    high = None if high is None else max(high, mean)
    return Summary(mean, low, high, len(items), len(values), status, reason, items)


def _missing(items: Mapping[str, Score]) -> str:
    """Count the reasons of the items without a value, the most frequent first."""
    counts: dict[str, int] = {}
    for score in items.values():
        if score.value is None:
            counts[score.reason] = counts.get(score.reason, 0) + 1
    frequent = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return "; ".join(f"{count} without a value: {reason}" for reason, count in frequent[:3])


def _interval(
    values: FloatArray, bounds: tuple[float, float] | None, confidence: float, resamples: int, seed: int
) -> tuple[float | None, float | None]:
    if bounds == (0.0, 1.0) and np.isin(values, (0.0, 1.0)).all():
        return wilson(int(values.sum()), len(values), confidence)
    if len(values) == 1:
        return bounds if bounds else (None, None)
    return bootstrap(values, np.mean, confidence, resamples, seed)


def wilson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval of a share (Wilson 1927); `trials` must be at least 1."""
    interval = statistics().binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    return float(interval.low), float(interval.high)


def bootstrap(
    values: FloatArray,
    statistic: Callable[..., Any],
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the bootstrap interval of `statistic` over the first axis of `values` (at least two items).

    `statistic` takes `axis`. Values that are all equal give an interval of no width.
    """
    if bool((values == values[0]).all()):
        value = float(statistic(values, axis=0))
        return value, value
    result = statistics().bootstrap(
        (values,),
        statistic,
        n_resamples=resamples,
        batch=max(1, 2_000_000 // len(values)),
        confidence_level=confidence,
        method="BCa" if len(values) <= BIAS_CORRECTED else "percentile",
        rng=np.random.default_rng(seed),
    )
    low, high = result.confidence_interval
    if math.isfinite(low) and math.isfinite(high):
        return float(low), float(high)
    # The correction is undefined where almost all values are equal; the plain percentiles are not.
    low, high = np.quantile(result.bootstrap_distribution, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def statistics() -> Any:
    """Return `scipy.stats`. Errors: `MissingExtraError`."""
    try:
        from scipy import stats
    except ImportError:
        raise MissingExtraError("scipy", "measures") from None
    return stats
