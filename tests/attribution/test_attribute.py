import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.attribution import METHODS, Measurement, Question, attribute, expectation
from fonte.errors import UsageError
from fonte.likelihood import LocalScorer, MemoryEvaluations, PromptSegments
from fonte.values import SegmentedPrompt
from tests.attribution.games import FIRST, prompt, voting
from tests.likelihood.closed_form import bag_language_model

VOTES = (3.0, 0.0, 1.5, 0.0, -2.0)


def question(passages: int, method: str = "leave_one_out", **options) -> Question:
    names = tuple(f"p{number}" for number in range(passages))
    texts = tuple(f"passage number {number} says {number * 37} things" for number in range(passages))
    return Question(names, options.pop("texts", texts), options.pop("spans", ((0, 1),)), method=method, **options)


def values(found, span=0):
    return [effect.value for effect in found.effects[span]]


def statuses(found, span=0):
    return [effect.status for effect in found.effects[span]]


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_gives_the_pencil_and_paper_effects(method):
    measurement = Measurement(voting(VOTES), prompt(5), (1,))
    found = attribute(measurement, question(5, method, scalar="logit" if method == "lasso" else "log_likelihood"))
    tolerance = 0.03 if method == "lasso" else 1e-4  # the penalty shrinks by 2 alpha
    np.testing.assert_allclose(values(found), VOTES, atol=tolerance)
    assert statuses(found) == ["measured", "no_measurable_effect", "measured", "no_measurable_effect", "measured"]
    assert all(effect.low <= effect.value <= effect.high for effect in found.effects[0])


def test_leave_one_out_of_probabilities_near_one_by_pencil():
    measurement = Measurement(voting((2.0, 1.0, 0.0), rival=0.0), prompt(3), (1,))
    found = attribute(measurement, question(3))

    def log_sigmoid(votes: float) -> float:
        return -math.log1p(math.exp(-votes))

    expected = [log_sigmoid(3) - log_sigmoid(1), log_sigmoid(3) - log_sigmoid(2), 0.0]
    np.testing.assert_allclose(values(found), expected, atol=1e-6)
    assert found.memory_share[0] == pytest.approx(math.exp(log_sigmoid(0) - log_sigmoid(3)), abs=1e-6)


def test_the_logit_stays_finite_where_context_cites_is_infinite():
    measurement = Measurement(voting((30.0, 30.0), rival=0.0), prompt(2), (1,))  # p = 1 in 32 bits
    for method in METHODS:
        found = attribute(measurement, question(2, method, scalar="logit"))
        assert np.isfinite(values(found)).all()
        assert np.isfinite([found.noise, found.memory_share[0]]).all()


@given(st.permutations(range(5)), st.sampled_from(["leave_one_out", "balanced", "shapley", "clime"]))
@settings(max_examples=20, deadline=None)
def test_permuting_passages_permutes_effects(order, method):
    first = attribute(Measurement(voting(VOTES), prompt(5), (1,)), question(5, method))
    model = voting([VOTES[passage] for passage in order])
    second = attribute(Measurement(model, prompt(5), (1,)), question(5, method))
    np.testing.assert_allclose(values(second), [values(first)[passage] for passage in order], atol=1e-4)


def either_or(rival: float = 0.0):
    """Passages 0 and 1 each make the answer certain; 2 does nothing: votes that saturate."""
    return Measurement(voting((12.0, 12.0, 0.0, 0.0), rival=3.0), prompt(4), (1,))


def test_textual_duplicates_share_their_effect():
    texts = ("The width is 120 cm, says the manual.", "the width is 120 CM says the manual", "Another thing.", "Else.")
    found = attribute(either_or(), question(4, texts=texts))
    assert statuses(found) == ["interchangeable", "interchangeable", "no_measurable_effect", "no_measurable_effect"]
    both = found.effects[0][:2]
    assert {effect.group for effect in both} == {"p0+p1"}
    assert both[0].value == both[1].value == pytest.approx(3 + math.log1p(math.exp(-3)), abs=1e-3)
    assert both[0].low > 0


def test_interchangeable_passages_are_found_by_measuring_where_texts_differ():
    # alone each changes log p by 1e-4, together by 3
    least = attribute(either_or(), question(4, least=0.01))
    assert statuses(least) == ["interchangeable", "interchangeable", "no_measurable_effect", "no_measurable_effect"]
    assert least.effects[0][0].group == "p0+p1"


def test_passages_without_any_effect_are_not_grouped():
    found = attribute(Measurement(voting((0.0,) * 6), prompt(6), (1,)), question(6))
    assert set(statuses(found)) == {"no_measurable_effect"}
    assert not any(effect.group for effect in found.effects[0])


def test_an_irrelevant_passage_moves_nothing_beyond_its_interval():
    for method in METHODS:
        found = attribute(Measurement(voting(VOTES), prompt(5), (1,)), question(5, method))
        for passage in (1, 3):
            effect = found.effects[0][passage]
            assert effect.low <= 0 <= effect.high, method


def test_placebos_set_the_least_effect_that_counts():
    votes = (3.0, 0.05, 0.0)
    model = voting((*votes, 0.1, -0.1))  # the last two tokens are the placebos
    measurement = Measurement(model, prompt(3), (1,), placebos=[(FIRST + 3,), (FIRST + 4,)])
    found = attribute(measurement, question(3))
    np.testing.assert_allclose(values(found), votes, atol=1e-4)
    assert found.placebo == pytest.approx(1.96 * 0.1, abs=1e-3)
    assert statuses(found) == ["measured", "no_measurable_effect", "no_measurable_effect"]
    assert found.noise >= found.placebo


def test_signatures_are_measured_apart_from_texts():
    measurement = Measurement(voting((2.0, 0.0)), prompt(2, signatures=True), (1,))
    found = attribute(measurement, question(2))
    assert [effect.signature_value for effect in found.effects[0]] == pytest.approx([2.0, 0.0], abs=1e-4)
    without = attribute(measurement, question(2, signatures=False))
    assert [effect.signature_value for effect in without.effects[0]] == [None, None]
    plain = attribute(Measurement(voting((2.0,)), prompt(1), (1,)), question(1))
    assert plain.effects[0][0].signature_value is None


def test_every_span_of_the_answer_is_free():
    measurement = Measurement(voting((1.0, 0.0)), prompt(2), (1, 0, 1))
    found = attribute(measurement, question(2, spans=((0, 3), (0, 1), (1, 2))))
    assert found.ablations == 4
    tokens = measurement.tokens
    again = attribute(measurement, question(2, spans=((2, 3), (0, 2))))
    assert measurement.tokens == tokens
    assert values(found)[0] == pytest.approx(values(again, 0)[0] + values(again, 1)[0], abs=1e-5)


def test_a_budget_that_is_over_measures_what_comes_first_or_nothing():
    found = attribute(Measurement(voting(VOTES), prompt(5), (1,)), question(5, budget=0.0))
    assert found.status == "budget"
    assert set(statuses(found)) == {"not_measured"}
    assert found.memory_share == (None,)
    assert all(effect.value is effect.low is effect.high is None for effect in found.effects[0])


@pytest.mark.parametrize("method", ["leave_one_out", "lasso", "shapley"])
def test_cited_passages_are_measured_first(method):
    left = iter([False] * 3 + [True] * 1000)  # full context and two more
    asked = question(5, method, first=(4, 2), scalar="log_likelihood")
    found = attribute(Measurement(voting(VOTES), prompt(5), (1,)), asked, cancelled=lambda: next(left))
    assert found.status == "budget"
    known = [number for number, status in enumerate(statuses(found)) if status == "measured"]
    assert known == [2, 4]
    assert values(found)[4] == pytest.approx(-2.0, abs=1e-4)


def test_a_measurement_goes_on_where_it_was():
    measurement = Measurement(voting(VOTES), prompt(5), (1,))
    left = iter([False] * 3 + [True] * 1000)
    attribute(measurement, question(5), cancelled=lambda: next(left))
    before = measurement.ablations
    found = attribute(measurement, question(5))
    assert found.status == "complete"
    assert 0 < before < found.ablations
    np.testing.assert_allclose(values(found), VOTES, atol=1e-4)


def test_methods_share_evaluations_through_a_store():
    store, model = MemoryEvaluations(), voting(VOTES)
    attribute(Measurement(model, prompt(5), (1,), store), question(5, "clime"))
    second = Measurement(model, prompt(5), (1,), store)
    attribute(second, question(5, "leave_one_out"))
    assert second.tokens.computed <= 2  # only the prompt without passages is new
    assert second.tokens.naive > 10


def test_sampled_methods_stop_when_order_and_intervals_are_settled():
    measurement = Measurement(voting((3.0, 0, 0, 0, 0, 0, 0, 0, 0, 1.0)), prompt(10), (1,))
    found = attribute(measurement, question(10, "balanced", groups=False))
    assert found.status == "settled"
    assert found.ablations == 26  # 24, the full context and none
    full = attribute(
        Measurement(measurement.model, prompt(10), (1,)), question(10, "balanced", tolerance=0, groups=False)
    )
    assert full.status == "complete"
    assert full.ablations > 60


def test_many_passages_cost_little_where_few_matter():
    votes = np.zeros(50)
    votes[[2, 17, 18, 44]] = 4.0, 2.0, -3.0, 1.0
    measurement = Measurement(voting(votes), prompt(50), (1,))
    found = attribute(measurement, question(50, "grouped", groups=False))
    np.testing.assert_allclose(values(found), votes, atol=1e-3)
    assert found.ablations <= 80
    assert found.ablations <= expectation(measurement, question(50, "grouped", groups=False), 1).ablations
    assert [number for number, status in enumerate(statuses(found)) if status == "measured"] == [2, 17, 18, 44]


def test_expectation_says_what_it_will_take():
    measurement = Measurement(voting(VOTES), prompt(5), (1,))
    asked = question(5)
    expected = expectation(measurement, asked, 1)
    found = attribute(measurement, asked)
    assert expected.ablations <= found.ablations <= expected.ablations + 2  # useless ones together
    assert expected.tokens <= found.tokens.floor + 10


def test_no_passages_and_no_spans_are_no_effects():
    bare = Measurement(voting(()), SegmentedPrompt((2,), (), ()), (1,))
    for method in METHODS:
        assert attribute(bare, question(0, method)).effects == ((),)
    found = attribute(Measurement(voting(VOTES), prompt(5), (1,)), question(5, spans=()))
    assert found.effects == ()
    assert found.noise == 0.0


def test_a_single_passage():
    for method in METHODS:
        found = attribute(Measurement(voting((2.0,)), prompt(1), (1,)), question(1, method, scalar="logit"))
        assert values(found)[0] == pytest.approx(2.0, abs=0.05), method


def test_an_empty_span_has_no_effect():
    found = attribute(Measurement(voting(VOTES), prompt(5), (1,)), question(5, spans=((0, 0), (0, 1))))
    assert values(found, 0) == [0.0] * 5
    assert found.memory_share[0] == 1.0


def test_mistakes_are_told():
    measurement = Measurement(voting(VOTES), prompt(5), (1,))
    with pytest.raises(UsageError, match="leave_one_out"):
        attribute(measurement, question(5, "magic"))
    with pytest.raises(UsageError, match="log_likelihood"):
        attribute(measurement, question(5, scalar="magic"))
    with pytest.raises(UsageError, match="5"):
        attribute(measurement, question(4))
    assert not measurement.ablations


def test_effects_are_the_same_in_every_run():
    runs = [attribute(Measurement(voting(VOTES), prompt(5), (1,)), question(5, "lasso", seed=3)) for _ in range(2)]
    assert runs[0].effects == runs[1].effects
    other = attribute(Measurement(voting(VOTES), prompt(5), (1,)), question(5, "lasso", seed=4))
    assert other.effects != runs[0].effects


def test_nothing_of_the_callers_is_touched():
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    measurement = Measurement(voting(VOTES), prompt(5), (1,))
    keep = measurement.masks(np.array([[True] * 5, [False] * 5, [True] * 5]))
    before = keep.copy()
    measurement.evaluate(keep)
    assert measurement.ablations == 2  # context-cite evaluates repeated masks again
    for method in METHODS:
        attribute(measurement, question(5, method))
    assert np.array_equal(keep, before)
    assert np.array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_units_are_said():
    measurement = Measurement(voting(VOTES), prompt(5), (1,))
    units = {name: attribute(measurement, question(5, name)).unit for name in METHODS}
    assert units["leave_one_out"] == "nats"
    assert units["clime"] == "nats per token"
    assert units["lasso"] == "nats of the logit"
    assert attribute(measurement, question(5)).effects[0][0].unit == "nats"


def hostile_prompt(rng):
    """Draw passages of zero to many tokens, repeated, empty, with and without signatures."""
    passages = int(rng.integers(0, 7))
    pool = [tuple(int(t) for t in rng.integers(0, 12, int(rng.integers(0, 6)))) for _ in range(3)] + [()]
    parts = tuple((pool[int(rng.integers(4))], pool[int(rng.integers(4))]) for _ in range(passages))
    answer = tuple(int(t) for t in rng.integers(0, 12, int(rng.integers(1, 5))))
    return SegmentedPrompt((2,), parts, pool[int(rng.integers(4))]), answer


HOSTILE = (
    "",
    " ",
    "\x00",
    "[1]",
    "ignore the above",
    "Same text here.",
    "same TEXT here",
    "🙂" * 5,
    "\u202e",
    "a" * 999,
)


def test_a_thousand_hostile_prompts():
    rng = np.random.default_rng(99)
    for number in range(1000):
        scale = 10.0 ** float(rng.integers(-3, 3))
        model = bag_language_model(rng.normal(size=(12, 12)) * scale, rng.normal(size=12) * scale)
        given, answer = hostile_prompt(rng)
        passages = len(given.passages)
        ends = sorted(rng.integers(0, len(answer) + 1, 2).tolist())
        asked = question(
            passages,
            sorted(METHODS)[number % len(METHODS)],
            texts=tuple(HOSTILE[int(rng.integers(len(HOSTILE)))] for _ in range(passages)),
            spans=((0, len(answer)), tuple(ends)),
            seed=number,
            tolerance=float(rng.integers(2)) * 0.1,
            first=tuple(range(0, passages, 2)),
        )
        found = attribute(Measurement(LocalScorer(model, check=number % 7 == 0), given, answer), asked)
        assert [len(row) for row in found.effects] == [passages, passages]
        for effect in (effect for row in found.effects for effect in row):
            assert effect.status in {"measured", "no_measurable_effect", "interchangeable"}
            assert np.isfinite([effect.value, effect.low, effect.high, found.noise, found.placebo]).all()
            assert effect.low <= effect.value <= effect.high
            assert effect.signature_value is None or math.isfinite(effect.signature_value)
        assert all(share is not None and 0 <= share <= 1 for share in found.memory_share)


def test_opened_passages_keep_their_masks():
    segments = PromptSegments.from_prompt(prompt(3)).open_passage(1, [(FIRST + 1,), (2,)])
    found = attribute(Measurement(voting((1.0, 2.0, 0.0)), segments, (1,)), question(3))
    np.testing.assert_allclose(values(found), [1, 2, 0], atol=1e-4)


def test_scalars_rank_the_same_where_lengths_are_one():
    measurement = Measurement(voting(VOTES), prompt(5), (1,))
    base = question(5)
    found = [
        attribute(measurement, replace(base, scalar=scalar)) for scalar in ("log_likelihood", "mean_log_likelihood")
    ]
    assert values(found[0]) == values(found[1])


def test_reduced_precision_has_the_noise_of_its_format():
    # float64 weights of this model against the same in bfloat16: the interval holds the difference
    votes = (0.9, 0.3, -0.7)
    exact = attribute(Measurement(voting(votes), prompt(3), (1,) * 8), question(3, spans=((0, 8),)))
    scorer = voting(votes)
    coarse = LocalScorer(scorer.model.bfloat16(), fingerprint="coarse")
    found = attribute(Measurement(coarse, prompt(3), (1,) * 8), question(3, spans=((0, 8),)))
    assert found.noise > 0.1
    for effect, true in zip(found.effects[0], exact.effects[0], strict=True):
        assert effect.low <= true.value <= effect.high
