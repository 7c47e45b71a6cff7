"""What words say of support: features by hand, trees as scikit-learn has them, and a file that cannot do harm."""

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonte.citations.support_calibration import Calibration, fit_calibration, read_calibration
from fonte.citations.support_words import FEATURES, Tree, WordTrees, word_features
from fonte.errors import ModelError
from fonte.training.support_pairs import LabelledPair
from fonte.training.support_words import fit_words

PREMISE = "The Ventalba filter is cleaned every 200 hours. It must not be washed. The lamp is green."


def features(claim, premise=PREMISE):
    return dict(zip(FEATURES, word_features([(premise, claim)])[0], strict=True))


def labelled(count=160):
    chance = random.Random(0)
    pairs = []
    for number in range(count):
        right, hours = number % 2, chance.randint(2, 900)
        premise = f"The pump number {number} is oiled after {hours} hours of work in the cellar."
        claim = f"Pump {number} is oiled after {hours if right else hours + 7} hours."
        pairs.append(LabelledPair(str(number), claim, (premise,), right, "WiCE"))
    return pairs


def test_numbers_names_and_negation_by_hand():
    good = features("The Ventalba filter is cleaned every 200 hours.")
    assert (good["content"], good["missing"], good["missing_numbers"], good["negation"]) == (1, 0, 0, 0)
    assert good["numbers"] == pytest.approx(np.log(2))
    assert features("The Ventalba filter is cleaned every 300 hours.")["missing_numbers"] == pytest.approx(np.log(2))
    assert features("Every 200 hours the Corvessa filter is cleaned.")["missing_names"] == pytest.approx(np.log(2))
    assert features("It must be washed.")["negation"] == 1
    assert features("It must not be washed.")["negation"] == 0


def test_blank_texts_and_no_pairs():
    assert not word_features([("", "claim"), ("premise", " \n")]).any()
    assert word_features([]).shape == (0, len(FEATURES))


@given(padding=st.sampled_from(["Bananas grow in warm countries.", "\n\n", "Tea is drunk at five; milk comes first."]))
def test_padding_changes_nothing(padding):
    claim = "The filter is cleaned every 200 hours."
    assert features(claim) == features(claim, f"{padding}\n\n{PREMISE}\n\n{padding}")


@given(premise=st.text(max_size=80), claim=st.text(max_size=40))
def test_any_text_gives_finite_features(premise, claim):
    assert np.isfinite(word_features([(premise, claim)])).all()


def test_trees_are_those_of_scikit_learn():
    from sklearn.ensemble import GradientBoostingClassifier

    chance = np.random.default_rng(0)
    inputs = chance.random((400, len(FEATURES)))
    labels = (inputs[:, 0] + 0.3 * chance.random(400) > 0.6).astype(int)
    model = GradientBoostingClassifier(n_estimators=10, learning_rate=0.05, random_state=0).fit(inputs, labels)
    trees = [
        Tree(
            feature=tuple(grown.feature.tolist()),
            threshold=tuple(grown.threshold.tolist()),
            left=tuple(grown.children_left.tolist()),
            right=tuple(grown.children_right.tolist()),
            value=tuple(0.05 * grown.value[:, 0, 0]),
        )
        for grown in (one.tree_ for one in model.estimators_[:, 0])
    ]
    share = labels.mean()
    found = np.log(share / (1 - share)) + sum(tree.values(inputs) for tree in trees)
    np.testing.assert_allclose(found, model.decision_function(inputs), atol=1e-9)


def test_what_was_learnt_is_kept_and_read(tmp_path):
    pairs = labelled()
    words = fit_words(pairs)
    told = words.log_odds([(pair.premise, pair.claim) for pair in pairs])
    labels = [pair.label for pair in pairs]
    assert told[np.array(labels) == 1].mean() > told[np.array(labels) == 0].mean() + 1
    chance = random.Random(1)
    model = [label - 0.5 + chance.gauss(0, 2) for label in labels]
    doubtful = [value + chance.gauss(0, 3) for value in told]
    fitted = fit_calibration(model, labels, "made up", words, doubtful)
    assert fitted.words_slope > 0
    fitted.save(tmp_path)
    assert read_calibration(tmp_path) == fitted
    assert WordTrees.from_json(json.loads(json.dumps(words.to_json()))) == words
    assert fit_words(pairs[:8]) is None


def test_words_that_would_turn_the_order_round_are_left_out():
    chance, labels = random.Random(2), [0, 1] * 40
    odds = [label + chance.gauss(0, 1) for label in labels]
    wrong = [-label + chance.gauss(0, 1) for label in labels]
    fitted = fit_calibration(odds, labels, "", WordTrees(0.0, ()), wrong)
    assert fitted.slope > 0
    assert fitted.words_slope == 0


def test_a_file_without_words_is_read_as_ever(tmp_path):
    (tmp_path / "support.json").write_text(json.dumps({"slope": 1.5, "intercept": -0.2, "n": 20, "trained_on": "x"}))
    assert read_calibration(tmp_path) == Calibration(1.5, -0.2, 20, "x")


@pytest.mark.parametrize(
    "change",
    [
        {"left": [0, -1, -1]},  # a loop
        {"left": [5, -1, -1]},
        {"right": [1, 2, -1]},
        {"feature": [99, -2, -2]},
        {"value": [0.0, 1.0]},
        {"value": [0.0, float("nan"), 1.0]},
    ],
)
def test_a_damaged_tree_is_refused(tmp_path, change):
    tree = {"feature": [0, -2, -2], "threshold": [0.5, -2, -2], "left": [1, -1, -1], "right": [2, -1, -1]}
    tree |= {"value": [0.0, -1.0, 1.0]}
    values = {"slope": 1.0, "intercept": 0.0, "n": 20, "trained_on": "x", "words_slope": 1.0}
    words = {"features": list(FEATURES), "base": 0.0, "trees": [tree | change]}
    (tmp_path / "support.json").write_text(json.dumps(values | {"words": words}))
    with pytest.raises(ModelError, match="damaged"):
        read_calibration(tmp_path)
    words["trees"] = [tree]
    (tmp_path / "support.json").write_text(json.dumps(values | {"words": words}))
    assert read_calibration(tmp_path).words.log_odds([("valve", "valve")]) == pytest.approx([1.0])
