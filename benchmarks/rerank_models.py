"""Two language models side by side: do their re-rankers agree, and does one serve the other?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rerank_cache import FloatArray
from rerank_retrieval import Candidates
from rerank_rows import similarities_of
from rerank_scores import CrossEncoders
from scipy.stats import spearmanr

from fonte.training.reranker_evaluator import concordance
from fonte.training.reranker_targets import QuestionTargets

Models = Mapping[str, Mapping[str, Path]]
Measured = Mapping[str, Mapping[str, QuestionTargets]]


def agreement(
    encoders: CrossEncoders, models: Models, measured: Measured, evaluated: Sequence[Candidates]
) -> dict[str, float | None]:
    """Return Spearman's correlation of two language models: of their re-rankers' scores, and of their raw targets.

    Means over questions; None with one language model only.
    """
    if len(models) < 2:
        return {"rerankers": None, "raw": None}
    first, second = list(models)[:2]
    scores = [
        [encoders.scores(models[name][one.item.id], one, "retrieved") for name in (first, second)] for one in evaluated
    ]
    raw = [[measured[name][one.item.id].effects for name in (first, second)] for one in evaluated]
    return {"rerankers": _correlation(scores), "raw": _correlation(raw)}


def transfer(
    encoders: CrossEncoders, models: Models, measured: Measured, evaluated: Sequence[Candidates]
) -> list[dict[str, Any]]:
    """Return how well each re-ranker orders the passages of each language model by what that one used.

    `concordance` of the re-ranker and of retrieval with the targets of `applied_to`, 0 to 1; see `concordance`.
    """
    found = []
    for trained_on in models:
        for applied_to in models:
            rows = []
            for one in evaluated:
                targets = measured[applied_to][one.item.id]
                places = [one.keys.index(passage.id) for passage in targets.passages]
                scores = encoders.scores(models[trained_on][one.item.id], one, "retrieved")[places]
                similar = similarities_of(one, "retrieved")[places]
                rows.append((concordance(scores, targets.effects), concordance(similar, targets.effects)))
            own, plain = np.mean(rows, axis=0) if rows else (0.5, 0.5)
            head = {"trained_on": trained_on, "applied_to": applied_to}
            found.append({**head, "concordance": round(float(own), 4), "retrieval": round(float(plain), 4)})
    return found


def _correlation(pairs: Sequence[Sequence[FloatArray]]) -> float | None:
    usable = [pair for pair in pairs if len(pair[0]) > 2 and np.ptp(pair[0]) > 0 and np.ptp(pair[1]) > 0]
    return round(float(np.mean([spearmanr(*pair).statistic for pair in usable])), 4) if usable else None
