import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fonte.errors import UsageError
from fonte.measures import (
    compare,
    effect_size,
    holm,
    paired_bootstrap,
    permutation_p,
    scored,
    smallest_detectable,
    summarise,
)


def brute_force_p(differences):
    observed = abs(np.mean(differences))
    signs = itertools.product([1, -1], repeat=len(differences))
    means = [abs(np.mean(np.multiply(sign, differences))) for sign in signs]
    return np.mean([mean >= observed - 1e-12 for mean in means])


def test_the_permutation_test_is_exact_on_few_items():
    random = np.random.default_rng(0)
    for _ in range(5):
        differences = random.normal(0.3, 1, 8)
        assert permutation_p(differences) == pytest.approx(brute_force_p(differences), abs=1e-9)
    assert permutation_p([0.0] * 10) == 1
    assert permutation_p([1.0]) == 1


def test_the_permutation_test_agrees_with_t_on_many_and_is_repeatable():
    differences = np.random.default_rng(1).normal(0.15, 1, 300)
    assert permutation_p(differences) == pytest.approx(stats.ttest_1samp(differences, 0).pvalue, abs=0.01)
    assert permutation_p(differences, seed=3) == permutation_p(differences, seed=3)


@given(st.lists(st.floats(0, 1), max_size=8))
@settings(max_examples=100, deadline=None)
def test_holm_by_its_definition(values):
    corrected = holm(values)
    ranked = sorted(values)
    for value, adjusted in zip(values, corrected, strict=True):
        steps = [min(1.0, (len(values) - rank) * p) for rank, p in enumerate(ranked) if p <= value]
        assert adjusted == pytest.approx(max(steps))


def test_effect_size_and_bootstrap():
    differences = np.random.default_rng(2).normal(0.5, 1, 100)
    assert effect_size(differences) == pytest.approx(differences.mean() / differences.std(ddof=1))
    assert effect_size([0.5, 0.5]) is None
    low, high = paired_bootstrap(differences)
    theirs = stats.t.interval(0.95, 99, differences.mean(), differences.std(ddof=1) / 10)
    assert (low, high) == pytest.approx(theirs, abs=0.05)
    with pytest.raises(UsageError):
        paired_bootstrap([1.0])


def test_the_smallest_detectable_difference_has_the_power_it_promises():
    differences = np.random.default_rng(3).normal(0, 1, 50)
    smallest = smallest_detectable(differences)
    noncentral = smallest * np.sqrt(50) / differences.std(ddof=1)
    critical = stats.t(49).ppf(0.975)
    power = 1 - stats.nct(49, noncentral).cdf(critical) + stats.nct(49, noncentral).cdf(-critical)
    assert power == pytest.approx(0.8, abs=0.01)
    assert smallest_detectable([1.0, 1.0]) is None


def test_compare_pairs_items_and_corrects_for_many_measures():
    random = np.random.default_rng(4)

    def summary(values, prefix="q"):
        return summarise({f"{prefix}{number}": scored(value) for number, value in enumerate(values)}, resamples=100)

    base = random.random(60) * 0.5
    a = {"good": summary(base), "same": summary(base), "other": summary(base), "only_a": summary(base)}
    b = {
        "good": summary(base + 0.3 + random.normal(0, 0.05, 60)),
        "same": summary(base),
        "other": summary(base, "x"),
    }
    found = compare(a, b)
    assert set(found) == {"good", "same", "other"}
    assert found["good"].difference == pytest.approx(0.3, abs=0.03)
    assert found["good"].p < found["good"].p_holm < 0.01
    assert found["same"].p == 1
    assert found["other"].status == "not_compared"
    assert found["other"].difference is None
