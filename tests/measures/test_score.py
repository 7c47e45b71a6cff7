import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import UsageError
from fonte.measures import Score, not_applicable, not_scored, scored, summarise

VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def items(values):
    return {str(number): scored(value) for number, value in enumerate(values)}


def test_a_score_is_a_value_or_a_reason():
    for bad in ((None, "scored"), (0.5, "not_scored"), (float("nan"), "scored"), (float("inf"), "scored")):
        with pytest.raises(UsageError):
            Score(*bad)
    assert scored(True).value == 1.0


@given(VALUES)
@settings(max_examples=60, deadline=None)
def test_the_interval_holds_the_mean_and_stays_in_range(values):
    found = summarise(items(values), resamples=200)
    assert found.mean == pytest.approx(np.mean(values))
    assert 0 <= found.low <= found.mean <= found.high <= 1
    assert (found.n, found.n_scored, found.status) == (len(values), len(values), "scored")


def test_items_without_a_value_are_counted_never_averaged():
    found = summarise({"a": scored(1), "b": not_scored("no passage"), "c": not_applicable("no gold"), "d": scored(0)})
    assert (found.mean, found.n, found.n_scored, found.status) == (0.5, 4, 2, "partial")
    assert "no passage" in found.reason
    assert list(found.values) == ["a", "d"]
    nothing = summarise({"a": not_scored("x")})
    assert (nothing.mean, nothing.low, nothing.high, nothing.status) == (None, None, None, "not_scored")
    assert summarise({}).status == "not_scored"


def test_shares_do_not_collapse():
    perfect = summarise(items([1] * 5))
    assert (perfect.mean, perfect.high) == (1, 1)
    assert 0.4 < perfect.low < 0.7
    assert summarise(items([0.5])).low == 0
    assert summarise(items([3.0]), bounds=None).low is None


def test_the_bootstrap_covers_and_is_repeatable():
    random = np.random.default_rng(0)
    hits = 0
    for trial in range(100):
        found = summarise(items(random.beta(2, 5, 40)), resamples=500, seed=trial)
        hits += found.low <= 2 / 7 <= found.high
    assert hits >= 88
    values = items(random.random(50))
    assert summarise(values, seed=1) == summarise(values, seed=1)
    assert summarise(values, seed=1).low != summarise(values, seed=2).low


def test_many_items_are_summarised_quickly():
    found = summarise(items(np.random.default_rng(0).random(20000)), resamples=500)
    assert found.high - found.low < 0.02


def test_json_has_no_items():
    assert set(summarise(items([0.5, 1])).to_json()) == {"mean", "low", "high", "n", "n_scored", "status", "reason"}
