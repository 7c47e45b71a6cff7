"""Cohesion at gaps, against a plain computation."""

import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.chunking.chop.cohesion import cohesion
from fonte.chunking.chop.windows import WINDOW
from fonte.chunking.chop.words import words


def text(chance, vocabulary, length):
    return " ".join(chance.choice(vocabulary) for _ in range(length))


def naive_cosine(texts, gap):
    """The cosine of the two windows, from dictionaries."""
    counted = [words(each) for each in texts]
    frequency = {word: sum(word in set(each) for each in counted) for each in counted for word in each}
    left, right = gap, gap
    while left > 0 and sum(map(len, counted[left:gap])) < WINDOW:
        left -= 1
    while right < len(texts) and sum(map(len, counted[gap:right])) < WINDOW:
        right += 1

    def weights(units):
        said = [word for each in units for word in each]
        return {word: said.count(word) * np.log((1 + len(texts)) / (1 + frequency[word])) for word in said}

    a, b = weights(counted[left:gap]), weights(counted[gap:right])
    norm = np.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values()))
    return sum(a[word] * b.get(word, 0.0) for word in a) / norm if norm else 0.0


@given(st.integers(0, 1000))
@settings(max_examples=4, deadline=None)
def test_cohesion_is_the_tf_idf_cosine_of_the_windows(seed):
    chance = random.Random(seed)
    texts = [text(chance, "abcdefghij", chance.randint(1, 300)) for _ in range(8)]
    found = cohesion(texts)
    for gap in range(1, 8):
        assert abs(found[gap] - naive_cosine(texts, gap)) < 1e-9


def test_nothing_and_one_unit_have_no_gap_to_look_at():
    assert cohesion([]).shape == (0,)
    assert cohesion(["one unit"]).tolist() == [0.0]
    assert cohesion(["", ""]).tolist() == [0.0, 0.0]
