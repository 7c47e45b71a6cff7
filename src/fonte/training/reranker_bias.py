"""What a re-ranker's order depends on beside the content: where a passage stood, how long it is, where it comes from.

Training on a model's own behaviour can strengthen its habits, such as reading the beginning of a prompt best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr

from fonte.training.reranker_targets import FloatArray

TOP = 10


@dataclass(frozen=True, slots=True)
class Ordered:
    """The candidates of a question in the order of retrieval: the `scores` that order them now, texts and documents."""

    scores: FloatArray
    texts: tuple[str, ...]
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bias:
    """`position` and `length` are mean rank correlations (-1 to 1) of the score with an early place and a long text.

    `source` is the mean share of the ten best that come from their most frequent document, minus that share among
    retrieval's ten: above 0, the re-ranker gathers sources. None where no question had enough candidates.
    """

    position: float | None
    length: float | None
    source: float | None
    questions: int


def bias(ordered: Sequence[Ordered]) -> Bias:
    """Measure the habits of an order over questions; those with fewer than three candidates are left out."""
    usable = [one for one in ordered if len(one.scores) > 2]
    position = [_correlation(one.scores, -np.arange(len(one.scores), dtype=np.float64)) for one in usable]
    length = [_correlation(one.scores, np.array([len(text) for text in one.texts], np.float64)) for one in usable]
    source = [_gathered(one) for one in usable]
    return Bias(_mean(position), _mean(length), _mean(source), len(usable))


def _gathered(one: Ordered) -> float:
    best = np.argsort(-one.scores, kind="stable")[:TOP]
    return _share([one.documents[number] for number in best]) - _share(one.documents[:TOP])


def _share(documents: Sequence[str]) -> float:
    return Counter(documents).most_common(1)[0][1] / len(documents)


def _correlation(first: FloatArray, second: FloatArray) -> float | None:
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(spearmanr(first, second).statistic)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
