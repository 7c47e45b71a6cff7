"""From a model's score, and what the words say, to a probability: Platt's numbers, kept beside the weights."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fonte.citations.support_words import WordTrees
from fonte.errors import MissingExtraError, ModelError, UsageError

FILE = "support.json"
_NUMBERS = ("slope", "intercept", "n", "trained_on", "words_slope")
LIMIT = 30.0  # of a log-odds: beyond, a double is 0 or 1


@dataclass(frozen=True, slots=True)
class Calibration:
    """p = sigmoid(slope * log-odds + words_slope * log-odds of the words + intercept) (Platt 1999).

    Fitted on `n` labelled pairs; `trained_on` says which. `words` None: the model judges alone.
    """

    slope: float = 1.0
    intercept: float = 0.0
    n: int = 0
    trained_on: str = ""
    words_slope: float = 0.0
    words: WordTrees | None = None

    def probability(self, log_odds: float, words: float = 0.0) -> float:
        """Return the calibrated probability of a log-odds of the model and one of the words."""
        exponent = self.slope * log_odds + self.words_slope * words + self.intercept
        return 1 / (1 + math.exp(-max(-LIMIT, min(LIMIT, exponent))))

    def save(self, folder: Path) -> None:
        """Write the numbers beside the weights."""
        values = {name: getattr(self, name) for name in _NUMBERS} | {"words": self.words and self.words.to_json()}
        (folder / FILE).write_text(json.dumps(values) + "\n", encoding="utf-8")


def fit_calibration(
    log_odds: Sequence[float],
    labels: Sequence[int],
    trained_on: str = "",
    words: WordTrees | None = None,
    words_log_odds: Sequence[float] = (),
) -> Calibration:
    """Fit Platt's scaling on labelled pairs that the model was not trained on; with `words`, of both log-odds.

    Order is kept: a slope that would turn it round means a broken model, and of two the one that would is left out.
    Errors: `UsageError` for fewer than ten pairs, one label only, or such a slope; `MissingExtraError`.
    """
    if len(log_odds) != len(labels) or len(labels) < 10 or len(set(labels)) < 2:
        raise UsageError(f"Calibration needs at least ten pairs with both labels; got {len(labels)}.")
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise MissingExtraError("scikit-learn", "measures") from None
    inputs = np.column_stack([log_odds, *([words_log_odds] if words else [])]).astype(np.float64)

    def fit(chosen: list[int]) -> tuple[NDArray[np.float64], float]:
        fitted: Any = LogisticRegression(C=1e6).fit(inputs[:, chosen], list(labels))
        slopes = np.zeros(2)
        slopes[chosen] = fitted.coef_[0]
        return slopes, float(fitted.intercept_[0])

    slopes, intercept = fit([0])
    if slopes[0] <= 0:
        raise UsageError("The scores fall where support rises: the wrong output of the model is taken for support.")
    if words:
        slopes, intercept = fit([0, 1])
        if slopes.min() < 0:
            slopes, intercept = fit([int(slopes.argmax())])
    return Calibration(float(slopes[0]), intercept, len(labels), trained_on, float(slopes[1]), words)


def read_calibration(folder: Path) -> Calibration | None:
    """Return the calibration beside the weights in `folder`, or None where there is none. Errors: `ModelError`."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        kept = values.get("words")
        words = WordTrees.from_json(kept) if kept else None
        found = Calibration(**{name: values[name] for name in _NUMBERS if name in values}, words=words)
    except (OSError, ValueError, KeyError, TypeError):
        raise ModelError(f"{path} is damaged. Calibrate the model again, or remove the file.") from None
    slopes = (found.slope, found.words_slope)
    if not (all(map(math.isfinite, (*slopes, found.intercept))) and min(slopes) >= 0 and max(slopes) > 0):
        raise ModelError(f"{path} holds numbers that cannot be. Calibrate the model again, or remove the file.")
    return found
