"""Boosted trees over the words of claims and passages, from pairs that people labelled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fonte.citations.support_words import Tree, WordTrees, word_features
from fonte.errors import MissingExtraError
from fonte.training.support_pairs import LabelledPair

TREES, DEPTH, RATE, LEAST = 120, 3, 0.05, 20


def fit_words(pairs: Sequence[LabelledPair], seed: int = 0) -> WordTrees | None:
    """Return `TREES` trees of depth `DEPTH`; None for pairs too few for a leaf of `LEAST` on either side.

    Errors: `MissingExtraError` without scikit-learn.
    """
    try:
        from sklearn.ensemble import GradientBoostingClassifier
    except ImportError:
        raise MissingExtraError("scikit-learn", "measures") from None
    labels = [pair.label for pair in pairs]
    if min(labels.count(0), labels.count(1)) < LEAST:
        return None
    model = GradientBoostingClassifier(
        n_estimators=TREES,
        max_depth=DEPTH,
        learning_rate=RATE,
        subsample=0.7,
        min_samples_leaf=LEAST,
        random_state=seed,
    ).fit(word_features([(pair.premise, pair.claim) for pair in pairs]), labels)
    share = sum(labels) / len(labels)
    return WordTrees(float(np.log(share / (1 - share))), tuple(_tree(one.tree_) for one in model.estimators_[:, 0]))


def _tree(grown: Any) -> Tree:
    return Tree(
        feature=tuple(map(int, grown.feature)),
        threshold=tuple(map(float, grown.threshold)),
        left=tuple(map(int, grown.children_left)),
        right=tuple(map(int, grown.children_right)),
        value=tuple(RATE * float(value) for value in grown.value[:, 0, 0]),
    )
