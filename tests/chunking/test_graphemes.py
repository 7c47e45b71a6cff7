"""Cuts fall where Unicode's grapheme clusters allow them; the `regex` package is the oracle."""

import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.chunking.graphemes import breaks_between, cut_near

PIECES = [
    "e\u0301",
    "👩\u200d👩\u200d👧",
    "🇮🇹",
    "🇩🇪🇫🇷",
    "👍🏽",
    "한",
    "ᄒ\u1161\u11ab",
    "क्ष",
    "ก็",
    "\r\n",
    "a",
    " ",
    "✈\ufe0f",
    "1\ufe0f\u20e3",
    "नि",
]
clustered = st.one_of(st.lists(st.sampled_from(PIECES), max_size=15).map("".join), st.text(max_size=40))


@settings(max_examples=300, deadline=None)
@given(clustered)
def test_every_break_is_a_boundary_of_the_oracle(text):
    edges = {0, len(text)} | {match.start() for match in regex.finditer(r"\X", text)}
    found = {offset for offset in range(len(text) + 1) if breaks_between(text, offset)}
    controls = {at for at in found - edges if text[at - 1] in "\u200b\u200c"}  # not worth tables of their own
    assert found - controls <= edges


@settings(max_examples=200, deadline=None)
@given(clustered, st.integers(0, 40), st.integers(1, 40))
def test_a_cut_lies_above_its_lower_limit_and_not_after_its_upper_one(text, low, length):
    low = min(low, max(len(text) - 1, 0))
    offset = min(low + length, len(text))
    if offset > low:
        cut = cut_near(text, low, offset)
        assert low < cut <= offset


def test_cuts_prefer_white_space_then_the_end_of_punctuation():
    text = "The valve, the ring (and more)"
    assert text[: cut_near(text, 0, 18)] == "The valve, the "
    assert cut_near("安全のため、電源を切って", 0, 9) == 6
    assert cut_near("x" * 100, 0, 50) == 50


def test_a_cluster_of_hundreds_of_marks_is_torn_rather_than_kept_for_ever():
    text = "a" + "\u0301" * 1000
    assert cut_near(text, 0, 500) == 500
