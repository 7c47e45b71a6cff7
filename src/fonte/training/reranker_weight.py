"""The weight of a re-ranker against retrieval's order, chosen on questions that it has not learnt from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import t

from fonte.models import Reranker
from fonte.ranking import fuse
from fonte.training.reranker_current import scorer_of
from fonte.training.reranker_guard import HeldBack, measure_of, quality
from fonte.training.reranker_targets import FloatArray

WEIGHTS = tuple(round(0.1 * step, 1) for step in range(11))
EVEN = 0.5
"""The weight where nothing chooses one."""
# Of ten chances to be wrong (Bonferroni): the best is taken.
SURE = 1 - 0.05 / (len(WEIGHTS) - 1)


def choose_weight(questions: Sequence[HeldBack], scores: Mapping[str, FloatArray]) -> float:
    """Return the weight of the re-ranker with the surest gain over retrieval's order; of equals the smallest.

    `scores` are the re-ranker's, float64 [text] by id of the question. The surest has the largest lower bound of the
    mean gain over `questions` (Student's t, one-sided, 95 % for the ten weights together, so 99.5 % each). Retrieval's
    own order, weight 0, has the bound 0, so the re-ranker counts as far as the questions show that it helps: the best
    of ten means of a few questions is often chance. One half where there are fewer than two questions to choose by.
    """
    measure = measure_of(questions)
    plain = {one.id: quality(one, _fused(one, scores[one.id], 0.0), measure) for one in questions}
    usable = [one for one in questions if plain[one.id] is not None]
    if len(usable) < 2:
        return EVEN
    before = np.array([plain[one.id] for one in usable], np.float64)
    bounds = []
    for weight in WEIGHTS:
        after = np.array([quality(one, _fused(one, scores[one.id], weight), measure) for one in usable], np.float64)
        bounds.append(_surely_gained(after - before))
    return WEIGHTS[int(np.argmax(bounds))]


def crosswise(questions: Sequence[HeldBack], models: Mapping[str, Path]) -> dict[str, FloatArray]:
    """Return the scores of each question by the re-ranker that has not seen it: `models` by id, see `cross_validate`.

    One re-ranker is in memory at a time. Errors: `ModelError`.
    """
    found: dict[str, FloatArray] = {}
    for path in sorted({models[question.id] for question in questions}):
        score = scorer_of(Reranker.from_pretrained(str(path)))
        found |= {one.id: score(one.question, one.texts) for one in questions if models[one.id] == path}
    return found


def _fused(question: HeldBack, scores: FloatArray, weight: float) -> FloatArray:
    return fuse(np.array(question.retrieval, np.float64), scores, weight)


def _surely_gained(gains: FloatArray) -> float:
    error = float(np.std(gains, ddof=1)) / len(gains) ** 0.5
    return float(np.mean(gains) - error * t.ppf(SURE, len(gains) - 1))
