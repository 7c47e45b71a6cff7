import re

from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.citations.support_windows import relevant_text, text_windows, window_spans

WORD = st.sampled_from(["filter", "water", "valve", "it", "is", "clean", "30", "°C", "东京"])
SENTENCE = st.lists(WORD, min_size=1, max_size=12).map(lambda words: " ".join(words).capitalize() + ".")
TEXT = st.lists(SENTENCE, max_size=10).map(" ".join)


def offsets(text):
    """A tokenizer of three letters at most, inside of words."""
    return [match.span() for match in re.finditer(r"\S{1,3}", text)]


@given(TEXT, st.integers(4, 60))
@settings(max_examples=200, deadline=None)
def test_windows_fit_and_cover_everything(text, tokens):
    position = 0
    for start, end in window_spans(text, tokens, offsets):
        assert len(offsets(text[start:end])) <= tokens
        assert not text[position:start].strip()
        assert end > position or not text
        position = end
    assert not text[position:].strip()


def test_a_text_that_fits_is_one_window():
    assert text_windows("Short. Text.", 100, offsets) == ["Short. Text."]
    assert text_windows("", 10, offsets) == [""]


def test_windows_begin_with_sentences_and_share_some():
    text = " ".join(f"Sentence number {at:02d} is here." for at in range(20))
    windows = text_windows(text, 60, offsets)
    assert len(windows) > 2
    assert all(window.startswith("Sentence") and window.endswith(".") for window in windows)


PREMISE = "The filter must be cleaned every 30 days. Use a dry cloth for this."
CLAIM = "Clean the filter after 30 days."


def test_what_is_beside_the_point_is_not_read():
    kept = relevant_text(PREMISE, CLAIM)
    irrelevant = "Bananas grow in warm countries. They would like to have more rain there."
    for padded in (
        f"{PREMISE}\n\n{irrelevant}",
        f"{irrelevant}\n\n{PREMISE}",
        f"{irrelevant}\n\n{PREMISE}\n\n{irrelevant * 50}",
        f"\n\n   {PREMISE}  \n \n",
    ):
        assert relevant_text(padded, CLAIM) == kept == PREMISE


def test_forms_numbers_and_other_scripts_count_as_shared():
    assert relevant_text("Valves leak.\n\nNothing else.", "the valve leaks") == "Valves leak."
    assert relevant_text("It is 30.\n\nNothing else.", "within 30") == "It is 30."
    assert relevant_text("东京是首都。\n\nNothing else.", "东京") == "东京是首都。"


def test_where_nothing_is_shared_everything_is_read():
    assert relevant_text("One thing.\n\n Another  thing.", "xyz") == "One thing. Another thing."
    assert relevant_text("", "xyz") == ""
