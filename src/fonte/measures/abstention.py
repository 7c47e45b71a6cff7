"""Does a system answer where it can, and stay silent where it cannot?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fonte.errors import UsageError
from fonte.measures.score import Score, not_applicable, scored


@dataclass(frozen=True, slots=True)
class Attempt:
    """One question: could it be answered (None: not known), was it, and is the answer right (0 to 1)?"""

    answered: bool
    correct: float = 0.0
    answerable: bool | None = None


def coverage(attempt: Attempt) -> Score:
    """1 if the system answered, else 0; the mean is its coverage (El-Yaniv and Wiener 2010)."""
    return scored(attempt.answered)


def risk(attempt: Attempt) -> Score:
    """1 minus correctness of an answer that was given; its mean is the selective risk. 0 to 1, lower is better.

    An answer to a question that cannot be answered is wrong, whatever it says. A question without an answer is not
    applicable: silence bears no risk, and shows in the coverage.
    """
    if not attempt.answered:
        return not_applicable("the system did not answer")
    return scored(1.0 if attempt.answerable is False else 1.0 - attempt.correct)


def right_silence(attempt: Attempt) -> Score:
    """1 if the system stayed silent on a question that cannot be answered, else 0; others are not applicable."""
    if attempt.answerable is not False:
        return not_applicable("the question can be answered" if attempt.answerable else "answerable is not stated")
    return scored(not attempt.answered)


def wrong_silence(attempt: Attempt) -> Score:
    """1 if the system stayed silent on a question that can be answered, else 0; others are not applicable."""
    if attempt.answerable is not True:
        return not_applicable("the question cannot be answered" if attempt.answerable is False else "not stated")
    return scored(not attempt.answered)


def abstention_f1(attempts: Mapping[str, Attempt]) -> Score:
    """Macro F1 of "answered" and "silent" against what can be answered (Trust-Score, Song et al. 2025): 0 to 1.

    A class that neither occurs nor is predicted is left out of the mean. Questions that do not state whether they can
    be answered are left out; without any other the measure is not applicable.
    """
    known = [attempt for attempt in attempts.values() if attempt.answerable is not None]
    if not known:
        return not_applicable("no question states whether it can be answered")
    parts = []
    for kind in (True, False):
        hits = sum(attempt.answered is kind and attempt.answerable is kind for attempt in known)
        total = sum((attempt.answered is kind) + (attempt.answerable is kind) for attempt in known)
        parts += [2 * hits / total] if total else []
    return scored(sum(parts) / len(parts))


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """Risk at each coverage when the least certain answers are withheld first; `area` is the mean risk (AURC)."""

    coverage: tuple[float, ...]
    risk: tuple[float, ...]
    area: float


def risk_coverage(confidence: Sequence[float], wrong: Sequence[float]) -> RiskCoverage:
    """Return the risk-coverage curve (Geifman and El-Yaniv 2017) of items with a `confidence`, each `wrong` or not.

    One point per distinct confidence, since answers of the same confidence are withheld together. `wrong` is 0 to 1.
    Errors: `UsageError` for no items, lengths that differ, or numbers that are not finite.
    """
    if not len(confidence) or len(confidence) != len(wrong):
        raise UsageError(f"A curve needs one confidence per item; got {len(confidence)} for {len(wrong)} items.")
    certain, losses = np.asarray(confidence, dtype=np.float64), np.asarray(wrong, dtype=np.float64)
    if not (np.isfinite(certain).all() and np.isfinite(losses).all()):
        raise UsageError("A confidence or a loss is not a finite number.")
    levels, first, counts = np.unique(-certain, return_inverse=True, return_counts=True)
    kept = counts.cumsum()
    risks = np.bincount(first, weights=losses, minlength=len(levels)).cumsum() / kept
    shares = kept / len(losses)
    area = float((risks * counts).sum() / len(losses))
    return RiskCoverage(tuple(shares.tolist()), tuple(risks.tolist()), area)
