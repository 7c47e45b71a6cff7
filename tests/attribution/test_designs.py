from itertools import pairwise
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.attribution import (
    METHODS,
    all_subsets,
    balanced,
    bernoulli,
    clime,
    leave_one_out,
    local_shapley,
    pairs,
    permutations,
)
from fonte.attribution.balanced import set_size
from fonte.attribution.grouped import grouped, opened
from fonte.errors import UsageError


@pytest.mark.parametrize(
    ("passages", "evaluations"), [(0, 1), (1, 2), (2, 4), (10, 56), (19, 191), (20, 201), (50, 501)]
)
def test_clime_evaluates_what_icx360_evaluates(passages, evaluations):
    assert len(clime(passages).keep) == evaluations


@pytest.mark.parametrize("passages", [2, 10, 19, 20, 50])
def test_clime_gives_every_size_class_the_same_weight(passages):
    design = clime(passages)
    removed = (~design.keep).sum(axis=1)
    totals = [design.weights[removed == size].sum() for size in (0, 1, 2)]
    np.testing.assert_allclose(totals, 10 * passages / 3)  # icx360: oversampling * m / (K + 1)
    for size in (0, 1, 2):
        assert len(set(design.weights[removed == size])) == 1


def test_clime_takes_all_pairs_up_to_19_passages_and_then_draws():
    assert ((~clime(19).keep).sum(axis=1) == 2).sum() == comb(19, 2)
    first, second = clime(20, seed=0), clime(20, seed=1)
    assert ((~first.keep).sum(axis=1) == 2).sum() == 180
    assert not np.array_equal(first.keep, second.keep)
    assert np.array_equal(first.keep, clime(20, seed=0).keep)


@pytest.mark.parametrize(("passages", "evaluations"), [(10, 69), (20, 159), (50, 429)])
def test_local_shapley_evaluates_what_icx360_evaluates(passages, evaluations):
    assert len(local_shapley(passages).keep) == evaluations


def test_bernoulli_draws_what_context_cite_draws():
    def mask(seed: int) -> np.ndarray:  # context-cite 0.0.4, utils._create_mask with alpha .5
        return np.random.RandomState(seed).choice([False, True], size=7, p=[0.5, 0.5])

    drawn = [mask(seed) for seed in range(64)]
    design = bernoulli(7, 64)
    assert design.weights.sum() == 64
    for row, weight in zip(design.keep[1:], design.weights[1:], strict=True):
        assert weight == sum(np.array_equal(row, other) for other in drawn)


def test_a_larger_sampled_design_holds_the_smaller():
    for method in METHODS.values():
        rows = [{row.tobytes() for row in method.design(9, 3, size).keep} for size in method.sizes]
        assert all(small <= large for small, large in pairwise(rows)), method.name


@given(st.integers(0, 30), st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_every_design_is_sound(passages, seed):
    for method in METHODS.values():
        design = method.design(passages, seed)
        assert design.keep.dtype == bool
        assert design.keep.shape == (len(design.weights), passages)
        assert design.keep[0].all()
        assert len({row.tobytes() for row in design.keep}) == len(design.keep)
        assert (design.weights >= 0).all()
        assert np.isfinite(design.weights).all()
        again = method.design(passages, seed)
        assert np.array_equal(design.keep, again.keep)
        assert np.array_equal(design.weights, again.weights)


@pytest.mark.parametrize("passages", [1, 2, 3, 7, 8, 10, 12, 13, 20, 33, 50, 100])
def test_balanced_is_balanced_to_the_third_order(passages):
    design = balanced(passages, seed=1)
    drawn = np.repeat(design.keep, design.weights.astype(int), axis=0)
    signs = np.where(drawn, 1, -1)
    assert len(signs) == set_size(passages)
    assert not signs.sum(axis=0).any()
    assert np.array_equal(signs.T @ signs, len(signs) * np.eye(passages))
    third = np.einsum("ri,rj,rk->ijk", signs, signs, signs)  # main effects free of interactions of two
    assert not third.any()


def test_balanced_follows_every_ablation_by_its_complement():
    design = balanced(10, seed=4)
    assert design.weights[0] == 0
    assert np.array_equal(design.keep[1::2], ~design.keep[2::2])


def test_shapley_orders_come_with_their_reverse():
    design = permutations(6, 2, seed=0)
    assert len(design.keep) == 2 + 2 * 5  # prefixes of one order and of its reverse, ends shared


def test_pairs_stay_within_the_budget():
    assert len(pairs(10, 30).keep) == 30
    assert len(pairs(10, 5).keep) == 11  # leave-one-out is the least
    assert len(pairs(4, 100).keep) == 1 + 4 + 6
    assert np.array_equal(leave_one_out(4).keep, pairs(4, 0).keep)


def test_all_subsets_stop_where_they_explode():
    assert len(all_subsets(6).keep) == 64
    with pytest.raises(UsageError, match="2\\^40"):
        all_subsets(40)


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5])
def test_a_share_that_keeps_all_or_nothing_is_refused(share):
    with pytest.raises(UsageError):
        bernoulli(5, 10, share_kept=share)


def test_grouped_takes_neighbours_together_and_opens_those_that_matter():
    design = grouped(50)
    assert len(design.keep) == 25
    assert len({column.tobytes() for column in design.keep.T}) == 12
    value = np.zeros((50, 1))
    value[[3, 30]] = 2.0
    after = opened(design, value, value - 0.1, value + 0.1)
    assert np.array_equal(after.keep[:25], design.keep)
    inner = after.keep[25:]
    assert len({column.tobytes() for column in inner.T}) == 12 - 2 + 5 + 4  # two groups are taken apart
    # every unit is kept in half of the new ablations, and independently of every other one
    units = np.unique(2.0 * inner - 1, axis=1)
    assert np.array_equal(units.T @ units, len(inner) * np.eye(units.shape[1]))


@pytest.mark.parametrize("passages", [0, 1, 5, 12])
def test_grouped_is_balanced_where_there_are_few_passages(passages):
    design = grouped(passages)
    assert np.array_equal(design.keep, balanced(passages).keep)
    value = np.ones((passages, 1))
    assert opened(design, value, value, value) is design
