import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.retrieval import reciprocal_rank_fusion

rankings = st.lists(st.permutations("abcdef").map(lambda order: order[:4]), max_size=4)


def test_formula_of_cormack():
    fused = dict(reciprocal_rank_fusion([["a", "b"], ["b", "c"]], 60))
    assert fused == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62})


def test_equal_scores_are_ordered_by_id():
    assert [item for item, _ in reciprocal_rank_fusion([["z"], ["a"], ["m"]])] == ["a", "m", "z"]


def test_nothing_to_fuse():
    assert reciprocal_rank_fusion([]) == []
    assert reciprocal_rank_fusion([[], []]) == []


def test_an_id_counts_once_per_ranking():
    assert reciprocal_rank_fusion([["a", "a", "b"]], 0) == [("a", 1.0), ("b", 0.5)]


def test_negative_constant_is_an_error():
    with pytest.raises(ValueError, match="0 or more"):
        reciprocal_rank_fusion([["a"]], -1)


@settings(max_examples=60, deadline=None)
@given(rankings, st.integers(0, 100))
def test_scores_are_sums_and_sorted(orders, constant):
    fused = reciprocal_rank_fusion(orders, constant)
    expected = {}
    for order in orders:
        for rank, item in enumerate(order, 1):
            expected[item] = expected.get(item, 0) + 1 / (constant + rank)
    assert dict(fused) == pytest.approx(expected)
    assert fused == sorted(fused, key=lambda scored: (-scored[1], scored[0]))
