"""Do probabilities mean what they say?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fonte.errors import UsageError
from fonte.measures.score import FloatArray


def calibration_error(probabilities: Sequence[float], labels: Sequence[int], bins: int = 10) -> float:
    r"""Expected calibration error (Naeini et al. 2015): $\sum_b \frac{n_b}{n} |\bar p_b - \bar y_b|$, 0 (best) to 1.

    `bins` of equal width over 0 to 1, the last one closed; empty bins count nothing. With few items the error is
    above 0 even for a calibrated scorer: compare at the same n. Errors: `UsageError` for no items, lengths that
    differ, or a probability outside 0 to 1.
    """
    values, truth = _checked(probabilities, labels)
    which = np.minimum((values * bins).astype(int), bins - 1)
    predicted = np.bincount(which, weights=values, minlength=bins)
    observed = np.bincount(which, weights=truth, minlength=bins)
    return float(np.abs(predicted - observed).sum() / len(values))


def brier_score(probabilities: Sequence[float], labels: Sequence[int]) -> float:
    r"""Brier score: $\frac{1}{n} \sum_i (p_i - y_i)^2$, 0 (best) to 1. Errors: as for `calibration_error`."""
    values, truth = _checked(probabilities, labels)
    return float(((values - truth) ** 2).mean())


def _checked(probabilities: Sequence[float], labels: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    values, truth = np.asarray(probabilities, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    if not len(values) or values.shape != truth.shape or values.ndim != 1:
        raise UsageError(f"Calibration needs one label per probability; got {values.shape} and {truth.shape}.")
    if not (np.isfinite(values).all() and (values >= 0).all() and (values <= 1).all()):
        raise UsageError("A probability lies between 0 and 1; one of these does not.")
    if not np.isin(truth, (0, 1)).all():
        raise UsageError("A label is 0 or 1; one of these is not.")
    return values, truth
