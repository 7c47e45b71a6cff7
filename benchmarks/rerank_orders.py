"""Orders made of others: the re-ranker's fused with retrieval's, and the measured effects themselves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rerank_cache import FloatArray
from rerank_retrieval import Candidates
from rerank_rows import keys_of, similarities_of
from rerank_scores import CrossEncoders

from fonte.training.reranker_guard import HeldBack, choose_weight
from fonte.training.reranker_targets import QuestionTargets


def fusing_weight(encoders: CrossEncoders, model: Path, watched: Sequence[Candidates]) -> float:
    """Choose the weight of a re-ranker against retrieval by gold, as the product does, on the questions it watched."""
    held = [_held_back(one) for one in watched]
    known = {(one.item.question, one.keys): encoders.scores(model, one, "retrieved") for one in watched}
    return choose_weight(held, lambda question, keys: known[question, tuple(keys)])


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
