import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import StoreError
from fonte.records.word_map import pack_words, unpack_words
from fonte.values import Box, Word

integers = st.integers(-(2**40), 2**40)
decimals = st.integers(-200_000, 200_000).map(lambda number: number / 100)
singles = st.floats(width=32, allow_nan=False)
doubles = st.floats(allow_nan=False)


def words(numbers):
    boxes = st.builds(Box, page=st.integers(-5, 5000), left=numbers, top=numbers, right=numbers, bottom=numbers)
    return st.lists(st.builds(Word, start=integers, end=integers, box=boxes), max_size=30)


@settings(max_examples=150, deadline=None)
@given(st.one_of(words(decimals), words(singles), words(doubles)))
def test_words_come_back_equal(made):
    loaded = unpack_words(pack_words(made))
    assert loaded == tuple(made)
    assert hash(loaded) == hash(tuple(made))
    assert all(type(word.start) is int and type(word.box.left) is float for word in loaded)
    assert all(type(word.box.page) is int for word in loaded)


@pytest.mark.parametrize("number", [0.1 + 0.2, 1e-300, 1e300, 2.0**53 + 1, math.inf, -math.inf, -0.0, 1 / 3])
def test_numbers_stay_exact(number):
    word = Word(0, 1, Box(1, 0.5, number, 1.25, 7.0))
    assert unpack_words(pack_words([word])) == (word,)


def test_no_words_take_no_room():
    assert pack_words(()) == b""
    assert unpack_words(b"") == ()


def test_damage_is_an_error():
    data = pack_words([Word(0, 1, Box(1, 0, 0, 1, 1))] * 50)
    for broken in (b"x", data[:40], data[:-30], data[:100] + b"\0" * 50 + data[150:]):
        with pytest.raises(StoreError, match="damaged"):
            unpack_words(broken)


def test_a_page_takes_a_few_bytes_for_each_word():
    page = [
        Word(
            i * 7,
            i * 7 + 6,
            Box(
                1 + i // 500,
                72 + i % 10 * 45.25,
                72 + i % 500 // 10 * 12.3,
                110 + i % 10 * 45.25,
                84 + i % 500 // 10 * 12.3,
            ),
        )
        for i in range(20_000)
    ]
    page = [
        Word(
            w.start, w.end, Box(w.box.page, *(round(n, 2) for n in (w.box.left, w.box.top, w.box.right, w.box.bottom)))
        )
        for w in page
    ]
    assert len(pack_words(page)) < 4 * len(page)
