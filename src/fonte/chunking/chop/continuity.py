"""From evidence to a probability that a new document begins, and how that is calibrated from a person's own files."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fonte.chunking.chop.evidence import Evidence, Present
from fonte.settings import ChopSettings

# Logistic regression (L2, C = 3) on joined judgments, confidentiality agreements, sample documents and twelve device
# manuals, judged on other manuals; `benchmarks/chop_fit.py` fits such weights and says what each kind of evidence is
# worth. Of several fits this one was kept, because it trusts repetition more and so finds a bare cover without a digit.
WEIGHTS = (-1.02, 1.61, 1.4, 0.8, 1.11, 0.97, 2.36, 6.8, 2.18, 1.67, -4.01)
INTERCEPT = -5.92
ENOUGH_FILES = 8  # fewer say nothing about a threshold


@dataclass(frozen=True, slots=True)
class Continuity:
    """A logistic model of evidence, and the band in which it does not decide alone.

    A gap with a probability of a new document of at least `new` is one; below `same` it is none; in between a language
    model may be asked, and where none is, the document goes on (a wrong name does more harm than a missing one).
    A text is taken for several documents only where one gap is beyond doubt (`certain`): most files are one document.
    `slope` and `shift` calibrate the log-odds: p = 1 / (1 + exp(-(slope * odds + shift))).
    """

    weights: tuple[float, ...] = WEIGHTS
    intercept: float = INTERCEPT
    slope: float = 1.0
    shift: float = 0.0
    new: float = 0.4
    same: float = 0.15
    certain: float = 0.97

    def log_odds(self, evidence: NDArray[np.float64]) -> float:
        """Return the calibrated log-odds of a new document for evidence in the order of `evidence.NAMES`."""
        return self.slope * (self.intercept + float(evidence @ np.array(self.weights))) + self.shift

    def probability(self, evidence: NDArray[np.float64]) -> float:
        """Return the probability of a new document, 0 to 1."""
        return float(1.0 / (1.0 + np.exp(-np.clip(self.log_odds(evidence), -50, 50))))


def continuity_of(settings: ChopSettings) -> Continuity:
    """Return the model with the calibration of `settings`."""
    return Continuity(slope=settings.slope, shift=settings.shift)


def calibrated(documents: Sequence[Sequence[str]], base: Continuity | None = None, seed: int = 0) -> Continuity:
    """Return `base` with slope and shift that fit these documents, each given as its units in order.

    Labels are free: the documents are joined in three random orders, and where one ends is known. Platt scaling of the
    log-odds, drawn towards doing nothing (L2 on the change). Fewer than `ENOUGH_FILES` documents give `base` back.
    """
    base = base or Continuity()
    if len(documents) < ENOUGH_FILES:
        return base
    orders = [random.Random(seed + turn).sample(range(len(documents)), len(documents)) for turn in range(3)]
    pairs = [pair for order in orders for pair in _labelled([documents[at] for at in order], base)]
    odds, labels = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
    if labels.all() or not labels.any():
        return base
    slope, shift = _platt(odds, labels)
    return replace(base, slope=base.slope * slope, shift=base.shift * slope + shift)


def _labelled(documents: Sequence[Sequence[str]], model: Continuity) -> list[tuple[float, bool]]:
    texts = [unit for document in documents for unit in document]
    starts = set(np.cumsum([len(document) for document in documents]).tolist())
    evidence = Evidence(texts)
    present, found = Present(), []
    for gap in range(len(texts)):
        if gap:
            found.append((model.log_odds(evidence.at(gap, present)), gap in starts))
        if gap == 0 or gap in starts:
            present = Present(gap, evidence.openings[gap].name)
    return found


def _platt(odds: NDArray[np.float64], labels: NDArray[np.bool_]) -> tuple[float, float]:
    from scipy.optimize import minimize

    def loss(parameters: NDArray[np.float64]) -> float:
        scaled = np.clip(parameters[0] * odds + parameters[1], -50, 50)
        fit = np.logaddexp(0.0, np.where(labels, -scaled, scaled)).sum()
        return float(fit + (parameters[0] - 1.0) ** 2 + 0.1 * parameters[1] ** 2)

    found = minimize(loss, np.array([1.0, 0.0]), method="L-BFGS-B", bounds=[(0.2, 5.0), (-5.0, 5.0)])
    return float(found.x[0]), float(found.x[1])
