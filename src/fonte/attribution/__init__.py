"""How much an answer depends on each passage: designs (which masks) and estimators (masks and scores to effects)."""

from fonte.attribution.answer_spans import ScoredAnswer, scored_answer
from fonte.attribution.attribute import Expectation, attribute, expectation
from fonte.attribution.balanced import balanced
from fonte.attribution.designs import (
    Design,
    all_subsets,
    bernoulli,
    clime,
    leave_one_out,
    local_shapley,
    pairs,
    permutations,
)
from fonte.attribution.measurement import Measured, Measurement
from fonte.attribution.methods import METHODS, Method, method_named
from fonte.attribution.question import Attribution, Question, Tokens

__all__ = [
    "METHODS",
    "Attribution",
    "Design",
    "Expectation",
    "Measured",
    "Measurement",
    "Method",
    "Question",
    "ScoredAnswer",
    "Tokens",
    "all_subsets",
    "attribute",
    "balanced",
    "bernoulli",
    "clime",
    "expectation",
    "leave_one_out",
    "local_shapley",
    "method_named",
    "pairs",
    "permutations",
    "scored_answer",
]
