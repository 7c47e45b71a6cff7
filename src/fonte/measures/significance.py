"""Is the difference between two systems more than chance, how large is it, and could it have been seen at all?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fonte.errors import UsageError
from fonte.measures.score import FloatArray, Summary, bootstrap, statistics


@dataclass(frozen=True, slots=True)
class Comparison:
    """System `b` against system `a` on the `n` items that have a value in both.

    `difference` is mean(b) - mean(a) with a 95 % paired bootstrap interval, `p` the two-sided permutation p-value,
    `p_holm` the same corrected for all measures compared at once. `effect_size` is Cohen's d of the paired
    differences (mean over standard deviation), None where all differences are equal. `smallest_detectable` is the
    difference that so many items would have shown in four of five cases. `status` is `compared`, or `not_compared`
    with a `reason`; then the numbers are None.
    """

    n: int
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    effect_size: float | None = None
    smallest_detectable: float | None = None
    status: str = "compared"
    reason: str = ""


def compare(a: Mapping[str, Summary], b: Mapping[str, Summary], seed: int = 0) -> dict[str, Comparison]:
    """Compare two systems in every measure that both have, and correct for their number."""
    results = {name: _compare(a[name].values, b[name].values, seed) for name in a if name in b}
    tested = {name: result.p for name, result in results.items() if result.p is not None}
    corrected = dict(zip(tested, holm(list(tested.values())), strict=True))
    return {name: _with_holm(result, corrected.get(name)) for name, result in results.items()}


def permutation_p(differences: Sequence[float], resamples: int = 9999, seed: int = 0) -> float:
    """Two-sided p-value of the paired (sign-flip) permutation test of a mean difference of zero (Fisher 1935).

    Exact where all sign patterns are fewer than `resamples`. One item, or no difference anywhere, gives 1. Errors:
    `UsageError` for no items or values that are not finite.
    """
    values = _finite(differences)
    if len(values) < 2 or not values.any():
        return 1.0
    result = statistics().permutation_test(
        (values,),
        np.mean,
        permutation_type="samples",
        n_resamples=resamples,
        batch=max(1, 2_000_000 // len(values)),
        rng=np.random.default_rng(seed),
    )
    return float(min(1.0, result.pvalue))


def paired_bootstrap(differences: Sequence[float], resamples: int = 2000, seed: int = 0) -> tuple[float, float]:
    """95 % bootstrap interval of a mean difference over paired items (at least two). Errors: as above."""
    values = _finite(differences)
    if len(values) < 2:
        raise UsageError("An interval needs at least two items.")
    return bootstrap(values, np.mean, resamples=resamples, seed=seed)


def effect_size(differences: Sequence[float]) -> float | None:
    """Cohen's d of paired differences, d_z: mean over standard deviation; None where all are equal."""
    values = _finite(differences)
    deviation = _deviation(values)
    return float(values.mean() / deviation) if deviation > 0 else None


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values of several measures (Holm 1979), in the order given; none gives an empty list.

    A corrected value below .05 keeps the chance of any false claim among all of them below 5 %.
    """
    count = len(p_values)
    corrected = [1.0] * count
    highest = 0.0
    for rank, index in enumerate(sorted(range(count), key=lambda index: p_values[index])):
        highest = max(highest, min(1.0, (count - rank) * p_values[index]))
        corrected[index] = highest
    return corrected


def smallest_detectable(differences: Sequence[float], level: float = 0.05, power: float = 0.8) -> float | None:
    r"""Return the mean difference that n items would have shown with `power` at `level`, two-sided.

    $(t_{1-\alpha/2, n-1} + t_{power, n-1}) \cdot s / \sqrt{n}$ with the standard deviation s of the paired
    differences (Bloom 1995). None for one item, or where all differences are equal: the spread is not known.
    """
    values = _finite(differences)
    deviation = _deviation(values)
    if deviation <= 0:
        return None
    student = statistics().t(len(values) - 1)
    return float((student.ppf(1 - level / 2) + student.ppf(power)) * deviation / math.sqrt(len(values)))


def _compare(a: Mapping[str, float], b: Mapping[str, float], seed: int) -> Comparison:
    shared = [name for name in a if name in b]
    if len(shared) < 2:
        return Comparison(len(shared), status="not_compared", reason="fewer than two items have a value in both")
    differences = [b[name] - a[name] for name in shared]
    low, high = paired_bootstrap(differences, seed=seed)
    return Comparison(
        len(shared),
        math.fsum(differences) / len(shared),
        low,
        high,
        permutation_p(differences, seed=seed),
        None,
        effect_size(differences),
        smallest_detectable(differences),
    )


def _with_holm(result: Comparison, p_holm: float | None) -> Comparison:
    if p_holm is None:
        return result
    return replace(result, p_holm=p_holm)


def _deviation(values: FloatArray) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 and np.ptp(values) > 0 else 0.0


def _finite(differences: Sequence[float]) -> FloatArray:
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise UsageError("A test needs a list of finite differences, at least one.")
    return values
