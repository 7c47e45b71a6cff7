"""Repetition at gaps."""

import random

from fonte.chunking.chop.windows import AHEAD, SHINGLE, WINDOW, Windows
from tests.timing import grows_linearly


def text(chance, vocabulary, length):
    return " ".join(chance.choice(vocabulary) for _ in range(length))


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
