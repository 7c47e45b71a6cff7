"""Boundaries in streams, against hand-counted cases and a loop over the definition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonte.errors import UsageError
from fonte.measures import (
    boundary_f1,
    boundary_precision,
    boundary_recall,
    boundary_window,
    perfect_stream,
    pk,
    window_diff,
)


@st.composite
def streams(draw):
    units = draw(st.integers(2, 40))
    gaps = st.sets(st.integers(1, units - 1))
    return draw(gaps), draw(gaps), units


def labels(gaps, units):
    """The segment of each unit, counted one unit after the other."""
    segment, out = 0, []
    for unit in range(units):
        segment += unit in gaps
        out.append(segment)
    return out


def loop(found, gold, units, window):
    """Pk and WindowDiff as their papers define them, pair by pair."""
    a, b = labels(found, units), labels(gold, units)
    pairs = [(i, i + window) for i in range(units) if i + window < units]
    together = sum((a[i] == a[j]) != (b[i] == b[j]) for i, j in pairs)
    counted = sum(
        sum(gap in found for gap in range(i + 1, j + 1)) != sum(gap in gold for gap in range(i + 1, j + 1))
        for i, j in pairs
    )
    return together / len(pairs), counted / len(pairs)


def test_hand_counted():
    # units 0 1 2 | 3 4 5 | 6 7 8 ; found 2 instead of 3, and 6, and a needless 8
    gold, found = {3, 6}, {2, 6, 8}
    assert boundary_precision(found, gold).value == pytest.approx(1 / 3)
    assert boundary_recall(found, gold).value == 0.5
    assert boundary_f1(found, gold).value == pytest.approx(0.4)
    assert boundary_window(gold, 9) == 2  # mean length 3, half of it 1.5
    # pairs 0-2 1-3 2-4 3-5 4-6 5-7 6-8: gold crosses 1-3 2-4 4-6 5-7, found crosses 0-2 1-3 4-6 5-7 6-8
    assert pk(found, gold, 9).value == pytest.approx(3 / 7)
    assert window_diff(found, gold, 9).value == pytest.approx(3 / 7)
    # two boundaries within one window where gold has one: only WindowDiff sees it
    assert pk({4, 5}, {4}, 8, window=3).value == pytest.approx(1 / 5)
    assert window_diff({4, 5}, {4}, 8, window=3).value == pytest.approx(3 / 5)


def test_extremes():
    assert pk([], [5], 10).value == pytest.approx(3 / 7)  # k = 3; of seven pairs three cross the gap
    assert pk(range(1, 10), [], 10).value == 1  # nothing belongs together, all of it does
    assert perfect_stream([3, 6], {6, 3}).value == 1
    assert perfect_stream([3], {6, 3}).value == 0
    assert perfect_stream([], []).value == 1


def test_empty_input():
    assert boundary_precision([], [3]).status == "not_applicable"
    assert boundary_recall([3], []).status == "not_applicable"
    assert boundary_f1([], []).status == "not_applicable"
    assert boundary_f1([3], []).value == boundary_f1([], [3]).value == 0
    for units in (0, 1):
        assert pk([], [], units).status == window_diff([], [], units).status == "not_applicable"
    assert pk([1], [1], 4, window=4).status == "not_applicable"
    assert pk([], [], 2).value == 0


@pytest.mark.parametrize("gaps", [[0], [-1], [10], [99]])
def test_gaps_that_do_not_exist_are_refused(gaps):
    for measure in (pk, window_diff):
        for pair in ((gaps, []), ([], gaps)):
            with pytest.raises(UsageError, match="the gaps 1 to 9"):
                measure(*pair, 10)
        with pytest.raises(UsageError, match="window of 0"):
            measure([], [], 10, window=0)


@given(streams(), st.none() | st.integers(1, 12))
def test_equal_to_the_loop_over_the_definition(stream, window):
    found, gold, units = stream
    size = window or boundary_window(gold, units)
    if size >= units:
        assert pk(*stream, window).status == "not_applicable"
        return
    expected = loop(found, gold, units, size)
    assert (pk(*stream, window).value, window_diff(*stream, window).value) == pytest.approx(expected)


@given(streams())
def test_window_is_half_the_mean_segment(stream):
    _, gold, units = stream
    lengths = [labels(gold, units).count(segment) for segment in range(len(gold) + 1)]
    half = sum(lengths) / len(lengths) / 2
    assert abs(boundary_window(gold, units) - half) <= 0.5
    assert 1 <= boundary_window(gold, units) < units


@given(streams())
def test_what_must_not_matter(stream):
    found, gold, units = stream
    mirrored = {units - gap for gap in found}, {units - gap for gap in gold}, units
    for measure in (pk, window_diff):
        value = measure(*stream).value
        assert measure(*mirrored).value == pytest.approx(value)
        assert measure(gold, found, units, boundary_window(gold, units)).value == value  # symmetric at one window
        assert measure([*sorted(found), *found], gold, units).value == value
        assert measure(gold, gold, units).value == 0
    assert pk(*stream).value <= window_diff(*stream).value
    assert boundary_f1(*mirrored[:2]) == boundary_f1(found, gold) == boundary_f1(gold, found)
    assert boundary_precision(found, gold).value == boundary_recall(gold, found).value
