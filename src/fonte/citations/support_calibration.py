"""From a model's score to a probability: Platt's two numbers, kept beside the weights."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fonte.errors import MissingExtraError, ModelError, UsageError

FILE = "support.json"
LIMIT = 30.0  # of a log-odds: beyond, a double is 0 or 1


@dataclass(frozen=True, slots=True)
class Calibration:
    """p = sigmoid(slope * log-odds + intercept) (Platt 1999), from `n` labelled pairs; `trained_on` says which."""

    slope: float = 1.0
    intercept: float = 0.0
    n: int = 0
    trained_on: str = ""

    def probability(self, log_odds: float) -> float:
        """Return the calibrated probability of a log-odds."""
        exponent = max(-LIMIT, min(LIMIT, self.slope * log_odds + self.intercept))
        return 1 / (1 + math.exp(-exponent))

    def save(self, folder: Path) -> None:
        """Write the two numbers beside the weights."""
        (folder / FILE).write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")


def fit_calibration(log_odds: Sequence[float], labels: Sequence[int], trained_on: str = "") -> Calibration:
    """Fit Platt's scaling on labelled pairs that the model was not trained on.

    Order is kept: a slope that would turn it round means a broken model. Errors: `UsageError` for fewer than ten pairs,
    one label only, or such a slope; `MissingExtraError`.
    """
    if len(log_odds) != len(labels) or len(labels) < 10 or len(set(labels)) < 2:
        raise UsageError(f"Calibration needs at least ten pairs with both labels; got {len(labels)}.")
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise MissingExtraError("scikit-learn", "measures") from None
    fitted: Any = LogisticRegression(C=1e6).fit(np.asarray(log_odds, dtype=np.float64).reshape(-1, 1), list(labels))
    slope, intercept = float(fitted.coef_[0, 0]), float(fitted.intercept_[0])
    if slope <= 0:
        raise UsageError("The scores fall where support rises: the wrong output of the model is taken for support.")
    return Calibration(slope, intercept, len(labels), trained_on)


def read_calibration(folder: Path) -> Calibration | None:
    """Return the calibration beside the weights in `folder`, or None where there is none. Errors: `ModelError`."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        found = Calibration(**{name: values[name] for name in ("slope", "intercept", "n", "trained_on")})
    except (OSError, ValueError, KeyError, TypeError):
        raise ModelError(f"{path} is damaged. Calibrate the model again, or remove the file.") from None
    if not (math.isfinite(found.slope) and math.isfinite(found.intercept) and found.slope > 0):
        raise ModelError(f"{path} holds numbers that cannot be. Calibrate the model again, or remove the file.")
    return found
