"""The fitted weights of the quote mode: few numbers in a file beside this one, made by `benchmarks/fit_quote.py`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

FEATURES = (
    "cosine",
    "cosine_in_context",
    "coverage",
    "document_coverage",
    "codes",
    "own_codes",
    "kind",
    "question_gain",
)
"""The columns of a feature table. The last one needs a language model on this machine."""

WITHOUT_MODEL = FEATURES[:-1]

Table = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Linear:
    """A weighted sum of features: `intercept + table @ weights`."""

    weights: tuple[float, ...]
    intercept: float = 0.0

    @classmethod
    def of(cls, weights: Mapping[str, float], intercept: float = 0.0) -> Linear:
        """Build from weights by feature name; a feature left out weighs nothing."""
        return cls(tuple(float(weights.get(name, 0.0)) for name in FEATURES), intercept)

    def __call__(self, table: Table) -> NDArray[np.float64]:
        """Return one value per row of `table` [candidate, feature]; a narrower table lacks the last feature."""
        return np.asarray(table @ np.array(self.weights[: table.shape[1]]) + self.intercept)


@dataclass(frozen=True, slots=True)
class QuoteWeights:
    """What the quote mode knows from the sample questions.

    `choice` orders the sentences of one question (softmax over them: the share of belief in each), `answerable` gives
    the log-odds that the best one answers. At most `most` sentences are quoted, those with at least `ratio` of the
    best one's share.
    """

    choice: Linear
    answerable: Linear
    ratio: float
    most: int

    def probability(self, row: Table) -> float:
        """Return the probability that the sentence with features `row` answers its question."""
        return float(1 / (1 + np.exp(-self.answerable(row[None, :])[0])))


@cache
def load_weights(with_model: bool) -> QuoteWeights:
    """Read the weights for a language model on this machine, or for one that gives no log-probabilities."""
    text = files("fonte.generation").joinpath("quote_weights.json").read_text(encoding="utf-8")
    values = json.loads(text)["with_model" if with_model else "without_model"]
    answerable = dict(values["answerable"])
    intercept = answerable.pop("intercept")
    choice = Linear.of(values["choice"])
    return QuoteWeights(choice, Linear.of(answerable, intercept), float(values["ratio"]), int(values["most"]))


def shares(scores: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the softmax of `scores`: how much of the belief each sentence gets; no scores give none."""
    values = np.asarray(scores, dtype=np.float64)
    if not values.size:
        return values
    weights = np.exp(values - values.max())
    return np.asarray(weights / weights.sum())
