"""Orders made of others: the re-ranker's fused with retrieval's, and the measured effects themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from rerank_cache import FloatArray
from rerank_retrieval import Candidates
from rerank_rows import Scores, keys_of, similarities_of

from fonte.ranking import fuse
from fonte.training.reranker_targets import QuestionTargets

WEIGHTS = tuple(round(0.1 * step, 1) for step in range(11))


def fusing_weights(trained: Scores, evaluated: Sequence[Candidates], fold_of: Mapping[str, int]) -> dict[str, float]:
    """Choose the weight of the re-ranker for each question by gold, on the questions of the other folds.

    `fold_of` is empty where there are no folds: then on all other questions.
    """
    ranks: dict[str, list[float]] = {}
    for one in evaluated:
        if one.found:
            scores = trained(one, "retrieved")
            similar = similarities_of(one, "retrieved")
            ranks[one.item.id] = [_reciprocal(one, fuse(similar, scores, weight)) for weight in WEIGHTS]
    chosen = {}
    for one in evaluated:
        fold = fold_of.get(one.item.id)
        others = [row for name, row in ranks.items() if name != one.item.id and (fold is None or fold_of[name] != fold)]
        chosen[one.item.id] = WEIGHTS[int(np.argmax(np.mean(others, axis=0)))] if others else 0.5
    return chosen


def measured_first(one: Candidates, pool: str, targets: QuestionTargets) -> FloatArray:
    """Return scores that put the measured passages first, by effect, and the others after them by similarity."""
    effects = {passage.id: passage.target for passage in targets.passages}
    lowest = min(effects.values(), default=0.0)
    similar = similarities_of(one, pool)
    return np.array(
        [
            effects.get(key, lowest - 10.0 + float(similarity))
            for key, similarity in zip(keys_of(one, pool), similar, strict=True)
        ]
    )


def _reciprocal(one: Candidates, scores: FloatArray) -> float:
    order = np.argsort(-scores, kind="stable")
    return 1 / next(rank for rank, number in enumerate(order, start=1) if one.keys[int(number)] in one.item.gold)
