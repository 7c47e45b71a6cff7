"""Abstention, reliance on documents, counterfactual documents, calibration."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, f1_score

from fonte.errors import UsageError
from fonte.measures import (
    Attempt,
    abstention_f1,
    brier_score,
    calibration_error,
    counterfactual,
    counterfactual_outcome,
    coverage,
    not_scored,
    reliance,
    right_silence,
    risk,
    risk_coverage,
    scored,
    wrong_silence,
)


def test_risk_and_coverage_of_single_questions():
    assert coverage(Attempt(True)).value == 1
    assert risk(Attempt(True, 0.75)).value == 0.25
    assert risk(Attempt(True, 1.0, answerable=False)).value == 1
    assert risk(Attempt(False)).status == "not_applicable"
    assert right_silence(Attempt(False, answerable=False)).value == 1
    assert right_silence(Attempt(False, answerable=True)).status == "not_applicable"
    assert wrong_silence(Attempt(False, answerable=True)).value == 1
    assert wrong_silence(Attempt(True, answerable=None)).status == "not_applicable"


def test_abstention_f1_equals_scikit_learn():
    random = np.random.default_rng(0)
    for _ in range(30):
        answered, answerable = random.random((2, 25)) < random.random()
        attempts = {
            str(i): Attempt(bool(a), 0, bool(b)) for i, (a, b) in enumerate(zip(answered, answerable, strict=True))
        }
        present = sorted({*answered.tolist(), *answerable.tolist()})
        theirs = f1_score(answerable, answered, average="macro", labels=present, zero_division=0)
        assert abstention_f1(attempts).value == pytest.approx(theirs)
    assert abstention_f1({"a": Attempt(True)}).status == "not_applicable"


def test_risk_coverage_curve_by_hand_and_by_brute_force():
    curve = risk_coverage([0.9, 0.8, 0.7, 0.6], [0, 1, 0, 1])
    assert curve.coverage == (0.25, 0.5, 0.75, 1.0)
    assert curve.risk == pytest.approx((0, 0.5, 1 / 3, 0.5))
    assert curve.area == pytest.approx((0 + 0.5 + 1 / 3 + 0.5) / 4)
    assert risk_coverage([0.5] * 4, [0, 1, 0, 1]).risk == (0.5,)
    random = np.random.default_rng(1)
    confidence, wrong = random.random(100), (random.random(100) < 0.3).astype(float)
    sorted_wrong = wrong[np.argsort(-confidence)]
    assert risk_coverage(confidence, wrong).area == pytest.approx((sorted_wrong.cumsum() / np.arange(1, 101)).mean())
    for bad in (([], []), ([0.1], [0, 1]), ([float("nan")], [0])):
        with pytest.raises(UsageError):
            risk_coverage(*bad)


def test_reliance_is_paired_and_shows_the_table():
    before = {"a": scored(0), "b": scored(1), "c": scored(1), "d": scored(0), "e": scored(1)}
    after = {"a": scored(1), "b": scored(1), "c": scored(0), "d": scored(0), "e": not_scored("lost")}
    found = reliance(before, after)
    assert (found.both, found.gained, found.lost, found.neither) == (1, 1, 1, 1)
    assert found.closed_book.mean == pytest.approx(0.6)
    assert found.with_documents.mean == 0.5
    assert found.reference_reliance.mean == 0
    assert found.reference_reliance.n_scored == 4
    assert -1 <= found.reference_reliance.low <= 0 <= found.reference_reliance.high <= 1


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("It was in Glendale, Arizona.", "followed"),
        ("Tampa, Florida", "memorised"),
        ("Not Tampa, Florida but Glendale, Arizona", "both"),
        ("I do not know", "neither"),
        ("", "neither"),
    ],
)
def test_counterfactual_outcomes(text, outcome):
    assert counterfactual_outcome(text, ["Glendale, Arizona"], ["Tampa, Florida"]) == outcome


def test_a_substituted_answer_that_holds_the_original_one_is_followed():
    assert counterfactual_outcome("in New York", ["New York"], ["York"]) == "followed"
    assert counterfactual_outcome("in New York, not York", ["New York"], ["York"]) == "both"
    assert counterfactual_outcome("in York", ["New York"], ["York"]) == "memorised"


def test_memorisation_ratio_is_over_decided_answers():
    found = counterfactual({"a": "followed", "b": "memorised", "c": "followed", "d": "both", "e": "neither"})
    assert found.following.mean == pytest.approx(0.4)
    assert found.memorisation.mean == pytest.approx(1 / 3)
    assert found.memorisation.n_scored == 3


def test_calibration_error_and_brier_score():
    random = np.random.default_rng(0)
    values = random.random(2000)
    labels = (random.random(2000) < values**2).astype(int)
    observed, predicted = calibration_curve(labels, values, n_bins=10)
    counts = np.bincount(np.minimum((values * 10).astype(int), 9), minlength=10)
    assert calibration_error(values, labels) == pytest.approx((np.abs(observed - predicted) * counts).sum() / 2000)
    assert brier_score(values, labels) == pytest.approx(brier_score_loss(labels, values))
    assert calibration_error([1.0, 0.0], [1, 0]) == 0
    assert calibration_error([1.0, 1.0], [0, 0]) == 1
    for bad in (([], []), ([0.5], [1, 0]), ([1.5], [1]), ([float("nan")], [1]), ([0.5], [2])):
        with pytest.raises(UsageError):
            calibration_error(*bad)
