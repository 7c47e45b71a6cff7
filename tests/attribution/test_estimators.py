import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Lasso, LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fonte.attribution import METHODS, all_subsets, balanced, bernoulli, clime, leave_one_out, local_shapley
from fonte.attribution.designs import Design
from fonte.attribution.estimators import (
    Observations,
    difference,
    lasso,
    linear,
    local_shapley_values,
    shapley,
    sparse_linear,
)
from fonte.errors import UsageError
from tests.attribution.games import additive, brute_force_shapley, observe, random_game

EFFECTS = [3.0, 0.0, -1.5, 0.25, 0.0, 2.0, 0.0]


@pytest.mark.parametrize("name", [name for name in METHODS if name != "lasso"])
def test_every_method_is_exact_where_effects_add_up(name):
    method = METHODS[name]
    seen = observe(method.design(len(EFFECTS), 0), additive(EFFECTS))
    np.testing.assert_allclose(method.estimator(seen)[:, 0], EFFECTS, atol=1e-9)


def test_lasso_without_penalty_is_exact_and_with_it_shrinks_by_alpha():
    design = balanced(len(EFFECTS))
    seen = observe(design, additive(EFFECTS))
    np.testing.assert_allclose(lasso(1e-9)(seen)[:, 0], EFFECTS, atol=1e-6)
    # orthogonal columns of deviation 1/2: coefficients per deviation shrink by alpha, so effects by 2 alpha
    shrunk = [np.sign(effect) * max(abs(effect) - 0.02, 0) for effect in EFFECTS]
    np.testing.assert_allclose(lasso(0.01)(seen)[:, 0], shrunk, atol=1e-5)


@given(st.integers(1, 6), st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_shapley_is_the_mean_over_all_orders(passages, seed):
    game = random_game(passages, seed)
    found = shapley(observe(all_subsets(passages), game))[:, 0]
    np.testing.assert_allclose(found, brute_force_shapley(passages, game), atol=1e-9)
    everything, nothing = np.ones(passages, bool), np.zeros(passages, bool)
    assert found.sum() == pytest.approx(game(everything) - game(nothing))


def test_sampled_shapley_comes_near_the_exact_values():
    game = random_game(7, 5)
    method = METHODS["shapley"]
    exact = brute_force_shapley(7, game)
    found = method.estimator(observe(method.design(7, 0, 400), game))[:, 0]
    np.testing.assert_allclose(found, exact, atol=0.12)


def test_shapley_shares_between_duplicates():
    def either(row):  # passages 0 and 1 say the same
        return float(row[0] or row[1])

    found = shapley(observe(all_subsets(3), either))[:, 0]
    np.testing.assert_allclose(found, [0.5, 0.5, 0.0], atol=1e-12)


def test_shapley_without_pairs_is_an_error():
    with pytest.raises(UsageError, match="differ in it alone"):
        shapley(observe(Design(np.array([[True, True], [False, False]]), np.ones(2)), additive([1, 2])))


def test_leave_one_out_without_a_passage_is_an_error():
    with pytest.raises(UsageError):
        difference(observe(Design(np.ones((1, 2), bool), np.ones(1)), additive([1, 2])))


@given(st.integers(2, 25), st.integers(0, 100))
@settings(max_examples=25, deadline=None)
def test_clime_is_icx360s_weighted_regression(passages, seed):
    design = clime(passages, seed)
    values = np.random.default_rng(seed).normal(size=(len(design.keep), 2))
    found = linear(Observations(design.keep, design.weights, values, np.ones(2, np.int64)))
    fit = LinearRegression().fit((~design.keep).astype(float), values, sample_weight=design.weights)
    np.testing.assert_allclose(found, -fit.coef_.T, atol=1e-9)


@given(st.integers(2, 12), st.integers(0, 100), st.integers(1, 60))
@settings(max_examples=25, deadline=None)
def test_lasso_is_context_cites_solver(passages, seed, tokens):
    draws = [np.random.RandomState(number).choice([False, True], passages, p=[0.5, 0.5]) for number in range(64)]
    design = bernoulli(passages, 64)
    game = random_game(passages, seed)
    scaler, model = StandardScaler(), Lasso(alpha=0.01, random_state=0, fit_intercept=True)
    outputs = np.array([20 * game(row) for row in draws])
    make_pipeline(scaler, model).fit(np.array(draws, np.float64), outputs / tokens)
    expected = model.coef_ / scaler.scale_ * tokens
    seen = Observations(
        design.keep, design.weights, np.array([[20 * game(row)] for row in design.keep]), np.array([tokens])
    )
    np.testing.assert_allclose(lasso()(seen)[:, 0], expected, atol=2e-2 * max(1, np.abs(expected).max()))


def test_weights_count_repetitions():
    keep = bernoulli(4, 30).keep
    values = np.random.default_rng(0).normal(size=(len(keep), 1))
    weights = np.arange(1.0, len(keep) + 1)
    rows = np.repeat(np.arange(len(keep)), weights.astype(int))
    once = Observations(keep, weights, values, np.ones(1, np.int64))
    often = Observations(keep[rows], np.ones(len(rows)), values[rows], np.ones(1, np.int64))
    for estimator in (linear, lasso()):
        np.testing.assert_allclose(estimator(once), estimator(often), atol=1e-6)


def test_sparse_clime_finds_the_passages_that_matter():
    seen = observe(clime(12), additive([0, 0, 4, 0, 0, 0, -2, 0, 0, 0, 0.01, 0]))
    found = sparse_linear(2)(seen)[:, 0]
    assert np.flatnonzero(found).tolist() == [2, 6]
    np.testing.assert_allclose(found[[2, 6]], [4, -2], atol=0.05)


def test_local_shapley_by_pencil():
    def both(row):  # worth 1 while both are there
        return float(row[0] and row[1])

    found = local_shapley_values()(observe(local_shapley(2), both))[:, 0]
    np.testing.assert_allclose(found, [0.5, 0.5])  # (1 - 0) with the other, (0 - 0) without: mean of both sizes


def test_local_shapley_means_stay_means_with_few_neighbours():
    # icx360 0.1.0 divides by K + 1 = 3 although a single neighbour allows two sizes only
    found = local_shapley_values()(observe(local_shapley(2), additive([3.0, 6.0])))[:, 0]
    np.testing.assert_allclose(found, [3.0, 6.0])


@given(st.integers(1, 8), st.integers(0, 500), st.sampled_from(sorted(METHODS)))
@settings(max_examples=60, deadline=None)
def test_permuting_passages_permutes_effects(passages, seed, name):
    method = METHODS[name]
    if name == "local_shapley":
        return  # neighbours change with the order
    order = np.random.default_rng(seed).permutation(passages)
    game = random_game(passages, seed)
    design = method.design(passages, 0)
    moved = Design(design.keep[:, order], design.weights, design.sampled)

    def moved_game(row):
        original = np.zeros(passages, bool)
        original[order] = row
        return game(original)

    first = method.estimator(observe(design, game))
    second = method.estimator(observe(moved, moved_game))
    np.testing.assert_allclose(second, first[order], atol=1e-3)


def test_fewer_ablations_than_passages_stay_finite():
    design = Design(np.array([[True] * 5, [False, True, True, True, True]]), np.ones(2))
    for estimator in (linear, lasso(), sparse_linear(2)):
        assert np.isfinite(estimator(observe(design, additive([1, 2, 3, 4, 5])))).all()


def test_no_spans_give_no_columns():
    for method in METHODS.values():
        assert method.estimator(observe(method.design(4, 0))).shape == (4, 0), method.name


def test_leave_one_out_is_the_difference():
    game = random_game(5, 1)
    found = difference(observe(leave_one_out(5), game))[:, 0]
    full = np.ones(5, bool)
    for passage in range(5):
        without = full.copy()
        without[passage] = False
        assert found[passage] == pytest.approx(game(full) - game(without))
