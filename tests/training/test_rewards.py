"""The rewards as functions of numbers: values computed by hand, and properties that hold for all inputs."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonte.errors import UsageError
from fonte.measures.score import not_applicable, not_scored, scored
from fonte.training.citing import citation_reward, spoken
from fonte.training.clr import contrastive_likelihood_reward, perplexity, squashed
from fonte.training.combining import hybrid_reward, weighted_reward
from fonte.training.contribution import Likelihoods, contribution
from fonte.training.correctness import accuracy
from fonte.training.reward import combined
from fonte.training.reward_settings import RewardSettings

SUMS = st.floats(-200, 0)
HAND = Likelihoods(-10.0, (-25.0, -12.0))


def value(score):
    assert score.status == "scored", score
    return score.value


def test_values_computed_by_hand():
    least = contribution(HAND)
    assert (value(least.value), least.critical) == (15, 0)
    assert value(contrastive_likelihood_reward(least.value, 16)) == 3.75
    mean = contribution(HAND, "mean")
    assert value(mean.value) == 8.5
    assert value(contrastive_likelihood_reward(mean.value, 16)) == 2.125
    assert value(contrastive_likelihood_reward(scored(15), 16, length="none")) == 15
    assert value(contrastive_likelihood_reward(scored(15), 16, length="tokens")) == 15 / 16
    assert value(contrastive_likelihood_reward(scored(15), 1)) == 15


def test_the_threshold_is_strict_and_nothing_is_negative():
    assert value(contrastive_likelihood_reward(scored(1.0), 16, threshold=1.0)) == 0
    assert value(contrastive_likelihood_reward(scored(math.nextafter(1.0, 2)), 1, threshold=1.0)) > 1
    assert value(contrastive_likelihood_reward(scored(-3.0), 16)) == 0
    with pytest.raises(UsageError, match="threshold"):
        contrastive_likelihood_reward(scored(1.0), 4, threshold=-1)
    with pytest.raises(UsageError, match="threshold"):
        contrastive_likelihood_reward(scored(1.0), 4, threshold=math.nan)


def test_a_wrong_completion_gets_nothing_whatever_it_depends_on():
    for contributed in (scored(0.0), scored(3.75), scored(1e9), not_scored("gated")):
        assert value(hybrid_reward(contributed, scored(0.0))) == 0
    assert value(hybrid_reward(scored(3.75), scored(1.0))) == 3.75
    assert value(hybrid_reward(scored(3.75), scored(0.5))) == 1.875
    assert value(hybrid_reward(scored(0.0), scored(1.0), floor=0.1)) == 0.1
    assert value(hybrid_reward(scored(0.0), scored(0.0), floor=0.1)) == 0


def test_what_is_undefined_stays_undefined_with_its_reason():
    nothing = contribution(Likelihoods(-3.0))
    assert (nothing.value.status, nothing.critical) == ("not_applicable", None)
    assert "supporting" in nothing.value.reason
    clr = contrastive_likelihood_reward(nothing.value, 5)
    assert clr == nothing.value
    for right in (0.0, 1.0):
        assert hybrid_reward(squashed(clr, "tanh"), scored(right)).status == "not_applicable"
    assert weighted_reward(clr, scored(1.0)).status == "not_applicable"
    assert value(weighted_reward(clr, scored(1.0), weight=0.0)) == 1
    assert hybrid_reward(scored(2.0), not_applicable("no gold answer")).reason == "no gold answer"
    assert hybrid_reward(not_scored("gone"), scored(1.0)).status == "not_scored"
    assert contrastive_likelihood_reward(scored(3.0), 0).status == "not_applicable"
    assert contribution(Likelihoods(-math.inf, (-3.0,))).value.status == "not_scored"
    assert contribution(Likelihoods(-1.0, (math.nan,))).value.status == "not_scored"
    assert perplexity(-1.0, 0).status == "not_applicable"
    assert perplexity(-1e9, 1).status == "not_applicable"


def test_redundant_evidence_shows_only_when_all_of_it_goes():
    twice = Likelihoods(-2.0, (-2.1, -2.05), -30.0)
    assert value(contribution(twice).value) == pytest.approx(0.1)
    assert value(contribution(twice, "all").value) == 28
    assert value(contribution(twice, "max").value) == 28
    assert contribution(Likelihoods(-2.0, (-3.0, -4.0)), "all").value.status == "not_scored"
    assert value(contribution(Likelihoods(-2.0, (-5.0,)), "max").value) == 3


@given(SUMS, st.lists(SUMS, min_size=1, max_size=5), SUMS)
def test_modes_are_ordered(full, without, without_all):
    found = {
        mode: contribution(Likelihoods(full, tuple(without), without_all), mode).value.value
        for mode in ("min", "mean", "all", "max")
    }
    assert found["mean"] <= found["min"] + 1e-9
    assert found["max"] == max(found["min"], found["all"])
    if len(without) == 1:
        assert found["mean"] == pytest.approx(found["min"])


@given(st.floats(-50, 50), st.integers(1, 2000), st.floats(0, 5), st.sampled_from(["clip", "tanh", "exponential"]))
def test_rewards_are_finite_and_squashed_ones_lie_in_range(gain, tokens, threshold, how):
    clr = contrastive_likelihood_reward(scored(gain), tokens, threshold)
    assert value(clr) == (gain / math.sqrt(tokens) if gain > threshold else 0)
    shaped = squashed(clr, how, 2.0)
    assert 0 <= value(shaped) <= 1
    assert (value(shaped) == 0) == (value(clr) == 0)
    assert 0 <= value(weighted_reward(shaped, scored(1.0), 0.3)) <= 1


def test_squashing_by_hand():
    assert value(squashed(scored(2.0), "none")) == 2
    assert value(squashed(scored(2.0), "clip", 4)) == 0.5
    assert value(squashed(scored(9.0), "clip", 4)) == 1
    assert value(squashed(scored(4.0), "tanh", 4)) == pytest.approx(math.tanh(1))
    assert value(squashed(scored(4.0), "exponential", 4)) == pytest.approx(1 - math.exp(-1))
    with pytest.raises(UsageError, match="scale"):
        squashed(scored(1.0), "tanh", 0)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, 0.5 * (1 - math.exp(-3.75 / 4)) + 0.5),  # 0.8042
        ({"weight": 0.25}, 0.25 * (1 - math.exp(-3.75 / 4)) + 0.75),
        ({"scale": 3.75}, 0.5 * (1 - math.exp(-1)) + 0.5),
        ({"squash": "clip", "scale": 5.0}, 0.5 * 0.75 + 0.5),
        ({"squash": "tanh"}, 0.5 * math.tanh(3.75 / 4) + 0.5),
        ({"squash": "none"}, 0.5 * 3.75 + 0.5),
        ({"reward": "hybrid"}, 3.75),
        ({"reward": "clr"}, 3.75),
        ({"reward": "hybrid", "squash": "clip", "scale": 5.0}, 0.75),
    ],
)
def test_the_weighted_sum_is_squashed_unless_told_otherwise(settings, expected):
    clr = contrastive_likelihood_reward(contribution(HAND).value, 16)  # 15 / 4
    chosen = RewardSettings(**{"reward": "weighted", **settings})
    assert value(combined(chosen, clr, scored(1.0), scored(0.0))) == pytest.approx(expected, abs=1e-12)


def test_perplexity_by_hand():
    assert value(perplexity(-8.0, 4)) == pytest.approx(math.exp(2))
    assert value(perplexity(0.0, 4)) == 1


def test_accuracy_does_not_find_no_in_not():
    assert value(accuracy("It is not known.", ["no"])) == 0
    assert value(accuracy("It is not known.", ["no"], "substring")) == 1
    assert value(accuracy("<think>no</think>Paris, France", ["paris"])) == 1
    assert value(accuracy("<think>Paris", ["paris"])) == 0
    assert value(accuracy("Paris, France", ["paris"], "token_f1")) == pytest.approx(2 / 3)
    assert value(accuracy("Paris, France", ["paris"], "exact_match")) == 0
    assert accuracy("x", []).status == "not_applicable"
    with pytest.raises(UsageError, match="support model"):
        accuracy("x", ["x"], "entailment")
    asked = []

    def support(pairs):
        asked.extend(pairs)
        return [0.25, 0.75]

    assert value(accuracy("He said 7.", ["6", "7"], "entailment", question="How many?", support=support)) == 0.75
    assert asked == [("He said 7.", "How many? 6"), ("He said 7.", "How many? 7")]


def test_citations_by_hand():
    said = spoken("Paris [b4]. Also [c5][z9].", ("b4", "c5", "d6"))
    assert (said.text, said.cited, said.invented) == ("Paris . Also .", ("b4", "c5"), 1)
    assert value(citation_reward(("b4", "c5"), {"b4", "d6"}, 1)) == pytest.approx(2 / 5)
    assert value(citation_reward(("b4",), {"b4"})) == 1
    assert value(citation_reward((), {"b4"})) == 0
    assert citation_reward(("b4",), set()).status == "not_applicable"


def test_settings_refuse_what_is_no_choice():
    with pytest.raises(UsageError, match=r"reward is 'best'; choose one of: hybrid, clr"):
        RewardSettings(reward="best")
    with pytest.raises(UsageError, match="span"):
        RewardSettings(span="half")
    with pytest.raises(UsageError, match="auto, none, clip, tanh, exponential"):
        RewardSettings(squash="half")
    for wrong in ({"threshold": -1}, {"scale": 0}, {"weight": 2}, {"floor": -0.1}, {"threshold": math.nan}):
        with pytest.raises(UsageError):
            RewardSettings(**wrong)
