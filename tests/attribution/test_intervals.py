import numpy as np
import pytest

from fonte.attribution import balanced, bernoulli
from fonte.attribution.estimators import Observations, linear
from fonte.attribution.intervals import bootstrap, settled, widened


@pytest.mark.parametrize("design", [balanced(10, 0, 1), balanced(10, 0, 2), bernoulli(10, 32), bernoulli(10, 64)])
def test_intervals_hold_the_truth_as_often_as_they_say(design):
    generator = np.random.default_rng(7)
    effects = np.array([4.0, 2, 1, 0, 0, 0, 0, 0, 0, -1])
    games = 60
    noise = generator.normal(size=(len(design.keep), games))
    values = (design.keep @ effects)[:, None] + noise
    seen = Observations(design.keep, design.weights, values, np.ones(games, np.int64))
    low, high = bootstrap(linear, seen)
    held = ((low <= effects[:, None]) & (effects[:, None] <= high)).mean()
    assert 0.88 <= held <= 0.99


def test_an_interval_holds_its_value_and_the_noise():
    value = np.array([[1.0], [0.0]])
    low, high = widened(value + 0.2, value + 0.3, value, np.array([0.1]))
    np.testing.assert_allclose(low, value - 0.1)
    np.testing.assert_allclose(high, value + 0.3)


def test_exact_values_have_intervals_without_width():
    design = balanced(6)
    values = (design.keep @ np.arange(6.0))[:, None]
    seen = Observations(design.keep, design.weights, values, np.ones(1, np.int64))
    low, high = bootstrap(linear, seen)
    np.testing.assert_allclose(low, high, atol=1e-9)


@pytest.mark.parametrize(
    ("value", "half", "expected"),
    [
        ([5.0, 2.0, 0.0], [0.5, 0.5, 0.2], True),
        ([5.0, 2.0, 0.0], [0.5, 0.5, 1.0], False),  # the last may matter or not
        ([5.0, 4.0, 0.0], [0.9, 0.9, 0.1], False),  # the order of the first two is open
        ([5.0, 4.9, 0.0], [0.9, 0.9, 0.1], True),  # and does not matter where they are nearly equal
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], True),
    ],
)
def test_settled(value, half, expected):
    value, half = np.array(value)[:, None], np.array(half)[:, None]
    assert settled(value, value - half, value + half) is expected


def test_nothing_is_settled_trivially():
    empty = np.zeros((0, 2))
    assert settled(empty, empty, empty)
