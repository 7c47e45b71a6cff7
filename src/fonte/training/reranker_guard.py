"""Is a new re-ranker worse than what a corpus uses now? On questions that neither was trained on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fonte.measures import paired_bootstrap
from fonte.ranking import fuse
from fonte.training.reranker_evaluator import concordance
from fonte.training.reranker_targets import FloatArray

LEAST_WITH_GOLD = 5  # fewer questions with a known gold passage are no measure of an order

# From (question, texts) to the scores of a re-ranker: float64 [text].
Scorer = Callable[[str, Sequence[str]], FloatArray]


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A question that was not trained on, with what retrieval finds for it, in that order.

    `effects` are the measured targets by number of the candidate, `gold` the candidates that hold the answer.
    """

    id: str
    question: str
    texts: tuple[str, ...]
    documents: tuple[str, ...]
    retrieval: tuple[float, ...]
    effects: Mapping[int, float]
    gold: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The means on `questions` held-back questions, and the paired difference new minus current with its interval.

    `measure` is `reciprocal rank of gold` or `concordance with effects`; both 0 to 1, higher is better. `current` is
    what the corpus uses now: its old re-ranker, or retrieval's order. `low` and `high` bound it at 95 % (bootstrap over
    questions); they are None below two questions. `left_out` counts further held-back questions that the old one may
    have learnt from; `note` tells of these, "" where there is nothing to tell.
    """

    questions: int
    measure: str
    retrieval: float
    current: float
    new: float
    difference: float
    low: float | None
    high: float | None
    accepted: bool
    reason: str
    left_out: int = 0
    note: str = ""


def measure_of(questions: Sequence[HeldBack]) -> str:
    """Return which measure these questions allow."""
    known = sum(bool(question.gold) for question in questions)
    return "reciprocal rank of gold" if known >= LEAST_WITH_GOLD else "concordance with effects"


def quality(question: HeldBack, scores: FloatArray, measure: str) -> float | None:
    """Return how good an order is, 0 to 1; None for a question about which the measure says nothing."""
    if measure == "reciprocal rank of gold":
        if not question.gold:
            return None
        order = np.argsort(-scores, kind="stable")
        return 1 / next(rank for rank, number in enumerate(order, start=1) if int(number) in question.gold)
    if len(question.effects) < 2:
        return None
    numbers = list(question.effects)
    return concordance(scores[numbers], np.array([question.effects[number] for number in numbers], np.float64))


def qualities(questions: Sequence[HeldBack], scorer: Scorer | None, weight: float, measure: str) -> dict[str, float]:
    """Return the quality by question of a re-ranker fused with retrieval; without a re-ranker of retrieval itself."""
    found = {}
    for question in questions:
        retrieval = np.array(question.retrieval, np.float64)
        scores = retrieval if scorer is None else fuse(retrieval, scorer(question.question, question.texts), weight)
        value = quality(question, scores, measure)
        if value is not None:
            found[question.id] = value
    return found


def judge(
    questions: Sequence[HeldBack],
    new: tuple[Scorer, float],
    current: tuple[Scorer | None, float],
    *,
    helps: bool = True,
) -> Verdict:
    """Compare a new re-ranker with its weight to the current one.

    It is accepted unless the whole 95 % interval of the paired difference is on the worse side, the questions that
    chose its weight did not show that it `helps`, or fewer than two questions can be compared on.
    """
    measure = measure_of(questions)
    plain = qualities(questions, None, 0.0, measure)
    before = qualities(questions, *current, measure)
    after = qualities(questions, *new, measure)
    differences = [after[name] - before[name] for name in after]
    low, high = paired_bootstrap(differences) if len(differences) > 1 else (None, None)
    reason = _reason(len(differences), low, high, helps=helps)
    return Verdict(
        len(differences),
        measure,
        _mean(plain),
        _mean(before),
        _mean(after),
        float(np.mean(differences)) if differences else 0.0,
        low,
        high,
        not reason,
        reason,
    )


def _reason(questions: int, low: float | None, high: float | None, *, helps: bool) -> str:
    if low is None or high is None:
        known = "one held-back question" if questions else "no held-back question"
        return f"there is {known} to compare on, and it takes at least two"
    if high < 0:
        return f"it is worse on the {questions} held-back questions (difference {low:.4f} to {high:.4f} at 95 %)"
    unsure = "the questions that chose the weight do not show that it helps retrieval's order; use more of them"
    return "" if helps else unsure


def _mean(values: Mapping[str, float]) -> float:
    return float(np.mean(list(values.values()))) if values else 0.0
