"""Orders made of others: the re-ranker's fused with retrieval's, and the measured effects themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rerank_cache import FloatArray
from rerank_retrieval import Candidates
from rerank_rows import keys_of, similarities_of
from rerank_scores import CrossEncoders

from fonte.training.reranker_guard import HeldBack
from fonte.training.reranker_targets import QuestionTargets
from fonte.training.reranker_weight import choose_weight


@dataclass(frozen=True)
class Choice:
    """What chooses the weight of a re-ranker: questions, and for each the re-ranker that has not seen it."""

    encoders: CrossEncoders
    models: Mapping[str, Path]
    questions: Sequence[Candidates]

    def weight(self) -> float:
        """Choose it against retrieval by gold, as the product does."""
        ordered = sorted(self.questions, key=lambda one: str(self.models[one.item.id]))  # a model is loaded once
        scores = {one.item.id: self.encoders.scores(self.models[one.item.id], one, "retrieved") for one in ordered}
        return choose_weight([_held_back(one) for one in self.questions], scores)


def _held_back(one: Candidates) -> HeldBack:
    gold = frozenset(number for number, key in enumerate(one.keys) if key in one.item.gold)
    return HeldBack(one.item.id, one.item.question, one.keys, one.keys, one.similarities, {}, gold)


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
