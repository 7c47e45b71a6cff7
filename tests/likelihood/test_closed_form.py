import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import ModelError
from fonte.likelihood import LocalScorer, PromptSegments, score
from fonte.values import SegmentedPrompt
from tests.likelihood.closed_form import bag_language_model, bag_log_probability
from tests.likelihood.prompts import ids, random_prompt


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 5), st.integers(0, 2**32 - 1), st.sampled_from(["depth", "breadth", "naive"]))
def test_any_engine_gives_the_formulas_numbers(passages: int, seed: int, engine: str) -> None:
    rng = np.random.default_rng(seed)
    votes, bias = rng.normal(size=(12, 12)), rng.normal(size=12)
    prompt = random_prompt(rng, passages, vocabulary=12)
    answers = [ids(rng, 4, 12), ids(rng, 1, 12)]
    keep = rng.random((5, 2 * passages)) < 0.5
    scores = score(LocalScorer(bag_language_model(votes, bias), engine=engine), prompt, answers, keep)
    segments = PromptSegments.from_prompt(prompt)
    for row in range(5):
        for column, answer in enumerate(answers):
            expected = bag_log_probability(votes, bias, segments.kept(scores.keep[row]), answer)
            np.testing.assert_allclose(scores.tokens[column][row], expected, rtol=1e-6, atol=1e-5)


def test_leave_one_out_by_pencil() -> None:
    # two next tokens; passages vote 2, 1 and 0 for token 1: p = sigmoid(sum of votes)
    votes = np.zeros((6, 2 + 4))
    votes[3, 1], votes[4, 1] = 2.0, 1.0
    bias = np.full(6, -1e4)
    bias[:2] = 0
    prompt = SegmentedPrompt((2,), (((), (3,)), ((), (4,)), ((), (5,))), ())
    keep = np.repeat(np.vstack([np.ones((1, 3), dtype=bool), ~np.eye(3, dtype=bool)]), 2, axis=1)
    sums = score(LocalScorer(bag_language_model(votes, bias)), prompt, [(1,)], keep).sums[:, 0]

    def log_sigmoid(votes_for: float) -> float:
        return -math.log1p(math.exp(-votes_for))

    np.testing.assert_allclose(sums, [log_sigmoid(3), log_sigmoid(1), log_sigmoid(2), log_sigmoid(3)], atol=1e-6)


def test_an_answer_that_is_certain_has_a_finite_score() -> None:
    votes, bias = np.zeros((4, 4)), np.array([0.0, 200.0, 0.0, 0.0])
    scores = score(
        LocalScorer(bag_language_model(votes, bias)), SegmentedPrompt((2,), (), ()), [(1, 1)], np.ones((1, 0), bool)
    )
    assert scores.sums[0, 0] == pytest.approx(0.0, abs=1e-6)


def test_an_impossible_answer_is_an_error_not_an_infinity() -> None:
    votes, bias = np.zeros((4, 4)), np.array([0.0, -np.inf, 0.0, 0.0])
    with pytest.raises(ModelError, match="not finite"):
        score(
            LocalScorer(bag_language_model(votes, bias)), SegmentedPrompt((2,), (), ()), [(1,)], np.ones((1, 0), bool)
        )


def test_a_model_of_nan_is_an_error() -> None:
    model = bag_language_model(np.full((4, 4), np.nan), np.zeros(4))
    with pytest.raises(ModelError, match="not finite"):
        score(LocalScorer(model), SegmentedPrompt((2,), (), ()), [(1,)], np.ones((1, 0), bool))
