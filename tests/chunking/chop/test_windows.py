"""Cohesion and repetition at gaps, against a plain computation."""

import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.chunking.chop.windows import AHEAD, SHINGLE, WINDOW, Windows
from fonte.chunking.chop.words import words
from tests.timing import grows_linearly


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
    windows = Windows(texts)
    for gap in range(1, 8):
        assert abs(windows.cohesion[gap] - naive_cosine(texts, gap)) < 1e-9


def test_what_begins_over_restarts_and_what_goes_on_does_not():
    chance = random.Random(1)
    vocabulary = [f"w{number}" for number in range(900)]
    first = [text(chance, vocabulary, 80) for _ in range(40)]
    windows = Windows([*first, *first])
    assert windows.restart(40, 0) > 0.9
    assert abs(windows.restart(20, 0)) < 0.05
    assert windows.restart(40, 40) == 0.0  # nothing has been said in a document that begins here
    assert abs(windows.restart(60, 40)) < 0.05  # nor is the other document counted


def test_the_ends_and_nothing():
    windows = Windows([])
    assert len(windows) == 0
    windows = Windows(["one", "", "two " * 2 * AHEAD])
    assert windows.cohesion.shape == (3,)
    assert windows.restart(1, 0) == windows.restart(2, 0) == 0.0
    assert windows.size(0, 3) == 1 + 2 * AHEAD
    assert SHINGLE < WINDOW < AHEAD


def test_time_grows_linearly():
    chance = random.Random(2)
    vocabulary = [f"w{number}" for number in range(3000)]
    texts = [text(chance, vocabulary, 60) for _ in range(3200)]

    def work(count):
        windows = Windows(texts[:count])
        for gap in range(1, count):
            windows.restart(gap, 0)

    assert grows_linearly(work, 100, 1600)
