"""From rankings to the rows of the benchmark: measures with intervals, and what the chunking cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from chop_streams import Question

from fonte.measures import hit, ndcg, reciprocal_rank
from fonte.measures.significance import permutation_p

DEPTHS = (1, 3, 5, 10)
RESAMPLES = 1000


@dataclass(frozen=True)
class Scored:
    """One measure of all questions: values in [0, 1], the same order everywhere."""

    values: np.ndarray

    @property
    def mean(self) -> float:
        """The mean, rounded to four places."""
        return round(float(self.values.mean()), 4)


def measured(rankings: Sequence[list[int]], gold: Sequence[set[int]]) -> dict[str, Scored]:
    """Return every measure of every question; a question whose gold lies in no chunk counts as missed."""
    columns: dict[str, list[float]] = {}
    for ranking, wanted in zip(rankings, gold, strict=True):
        relevance = {str(chunk): 1 for chunk in wanted} or {"nowhere": 1}
        found = [str(chunk) for chunk in ranking]
        for depth in DEPTHS:
            columns.setdefault(f"hit@{depth}", []).append(hit(found, relevance, depth).value or 0.0)
            columns.setdefault(f"mrr@{depth}", []).append(reciprocal_rank(found, relevance, depth).value or 0.0)
            columns.setdefault(f"ndcg@{depth}", []).append(ndcg(found, relevance, depth).value or 0.0)
    return {name: Scored(np.array(values)) for name, values in columns.items()}


def interval(values: np.ndarray, questions: Sequence[Question], seed: int = 0) -> tuple[float, float]:
    """Return the 95 % interval of the mean: devices and questions are both drawn anew, because rows share both.

    Owen's product weights: each device and each question gets a weight (how often it was drawn), a row their product.
    """
    chance = np.random.default_rng(seed)
    devices, device_of = np.unique([question.device for question in questions], return_inverse=True)
    topics, topic_of = np.unique([question.topic for question in questions], return_inverse=True)
    means = []
    for _ in range(RESAMPLES):
        drawn = chance.multinomial(len(devices), np.full(len(devices), 1 / len(devices)))
        asked = chance.multinomial(len(topics), np.full(len(topics), 1 / len(topics)))
        weights = drawn[device_of] * asked[topic_of]
        if weights.sum():
            means.append(float(weights @ values / weights.sum()))
    low, high = np.quantile(means, (0.025, 0.975))
    return round(float(low), 4), round(float(high), 4)


def paired(a: Scored, b: Scored) -> dict[str, float]:
    """Return the difference of two means and the p of a paired permutation test."""
    differences = (a.values - b.values).tolist()
    return {"difference": round(float(np.mean(differences)), 4), "p": round(permutation_p(differences), 4)}
