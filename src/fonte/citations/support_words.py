"""What the words of a claim say of its support: how many stand in the passage, and which numbers and names do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fonte.chunking.sentences import sentences
from fonte.citations.support import Pair, QuoteOverlap
from fonte.citations.support_windows import content_words, relevant_text
from fonte.citations.words import Word, read_words

FEATURES = (
    "content",  # share of the claim's content words that stand in the passage
    "missing",  # log(1 + how many do not)
    "pairs",  # share of its neighbouring pairs of words that do
    "triples",
    "sentence",  # share of its content words that stand in the best single sentence
    "quote",  # what `QuoteOverlap` gives
    "numbers",  # log(1 + how many numbers it says)
    "missing_numbers",  # log(1 + how many of them the passage does not say)
    "names",  # capitalised words that do not begin a sentence, likewise
    "missing_names",
    "negation",  # 1 where either the claim or the best sentence negates, but not both
    "length",  # log(1 + words of the claim)
)
_QUOTE = QuoteOverlap()
Features = NDArray[np.float64]


def word_features(pairs: Sequence[Pair]) -> Features:
    """Return the features of (premise, claim) pairs: float64 [pair, `FEATURES`]; zeros where either is blank.

    Of a premise only the sentences that have to do with the claim are read, so padding changes nothing.
    """
    rows = [_features(*pair) if all(text.strip() for text in pair) else [0.0] * len(FEATURES) for pair in pairs]
    return np.array(rows, np.float64).reshape(len(rows), len(FEATURES))


def _features(premise: str, claim: str) -> list[float]:
    text = relevant_text(premise, claim)
    said, told = read_words(claim), read_words(text)
    best = max((text[start:end] for start, end in sentences(text)), key=lambda one: _content(claim, one), default="")
    numbers = [word for word in said if word.number]
    values = frozenset[str]().union(*(word.number for word in told))
    names = [word for word in said if word.capital and not _begins_sentence(claim, word)]
    known = {word.text for word in told}
    lost = [word for word in names if word.text not in known]
    negated = any(word.negates for word in said) != any(word.negates for word in read_words(best))
    return [
        _content(claim, text),
        np.log1p(len(content_words(claim) - content_words(text))),
        _share(_runs(said, 2), _runs(told, 2)),
        _share(_runs(said, 3), _runs(told, 3)),
        _content(claim, best),
        _QUOTE([(text, claim)])[0],
        np.log1p(len(numbers)),
        np.log1p(sum(not word.number & values for word in numbers)),
        np.log1p(len(names)),
        np.log1p(len(lost)),
        float(negated),
        np.log1p(len(said)),
    ]


def _content(claim: str, text: str) -> float:
    return _share(content_words(claim), content_words(text))


def _runs(words: Sequence[Word], length: int) -> set[tuple[str, ...]]:
    texts = [word.text for word in words]
    return set(zip(*(texts[start:] for start in range(length)), strict=False))


def _share(wanted: frozenset[Any] | set[Any], found: frozenset[Any] | set[Any]) -> float:
    return len(wanted & found) / len(wanted) if wanted else 1.0


def _begins_sentence(text: str, word: Word) -> bool:
    before = text[: word.start].rstrip()
    return not before or before[-1] in ".!?"


@dataclass(frozen=True, slots=True)
class Tree:
    """A regression tree from node 0; `left` is taken where the feature is at most the threshold, -1 is a leaf."""

    feature: tuple[int, ...]
    threshold: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    value: tuple[float, ...]

    def __post_init__(self) -> None:
        """Errors: `ValueError` for arrays that are no tree over `FEATURES`, in which a walk would not end."""
        size = len(self.value)
        if not size or {len(self.feature), len(self.threshold), len(self.left), len(self.right)} != {size}:
            raise ValueError("the arrays of a tree differ in length")
        for node, (feature, left, right) in enumerate(zip(self.feature, self.left, self.right, strict=True)):
            inner = node < left < size and node < right < size and 0 <= feature < len(FEATURES)
            if not inner and not left == right == -1:
                raise ValueError(f"node {node} of a tree leads nowhere")

    def values(self, features: Features) -> Features:
        """Return the value of each row: float64 [row]."""
        feature, threshold = np.array(self.feature), np.array(self.threshold)
        left, right = np.array(self.left), np.array(self.right)
        features = features.astype(np.float32)  # as they were when the thresholds were found
        nodes = np.zeros(len(features), np.int64)
        while (inner := left[nodes] >= 0).any():
            below = features[np.arange(len(nodes)), np.maximum(feature[nodes], 0)] <= threshold[nodes]
            nodes = np.where(inner, np.where(below, left[nodes], right[nodes]), nodes)
        return np.array(self.value)[nodes]


@dataclass(frozen=True, slots=True)
class WordTrees:
    """Log-odds of support from `FEATURES`: `base` and the sum of boosted trees (Friedman 2001)."""

    base: float
    trees: tuple[Tree, ...]

    def log_odds(self, pairs: Sequence[Pair]) -> Features:
        """Return the log-odds of support of each pair: float64 [pair]."""
        features = word_features(pairs)
        return self.base + sum((tree.values(features) for tree in self.trees), np.zeros(len(features)))

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {"features": list(FEATURES), **asdict(self)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> WordTrees:
        """Read what `to_json` gives. Errors: `ValueError`, `KeyError`, `TypeError` for anything else."""
        if list(values["features"]) != list(FEATURES):
            raise ValueError("it reads other words than this version does")
        trees = tuple(Tree(**{name: tuple(tree[name]) for name in Tree.__slots__}) for tree in values["trees"])
        found = cls(float(values["base"]), trees)
        numbers = [number for tree in trees for number in (*tree.value, *tree.threshold)]
        if not np.isfinite([found.base, *numbers]).all():
            raise ValueError("it holds numbers that cannot be")
        return found
