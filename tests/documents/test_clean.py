import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonte.documents.clean import clean, control_share, has_text, one_line, readable_name, storable
from tests.documents.making import SCRIPTS

ANY_TEXT = st.text(st.characters(exclude_categories=[]))


@given(ANY_TEXT)
def test_clean_changes_line_ends_controls_and_surrogates_only(text):
    cleaned = clean(text)
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    assert len(cleaned) == len(unified)
    for before, after in zip(unified, cleaned, strict=True):
        if "\ud800" <= before <= "\udfff":
            assert after == "\ufffd"
        elif (before < " " and before not in "\n\t") or "\x7f" <= before <= "\x9f":
            assert after == " "
        else:
            assert after == before
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize("text", SCRIPTS)
def test_scripts_stay_as_they_are(text):
    assert clean(text) == text


def test_line_and_paragraph_separators_stay():
    assert clean("a\u2028b\u2029c") == "a\u2028b\u2029c"


@pytest.mark.parametrize("text", ["", " \n\t", "\u00a0\u3000", "\ufeff", "\u200b\u200d\u2060"])
def test_what_cannot_be_seen_is_no_text(text):
    assert not has_text(text)


@pytest.mark.parametrize("text", ["a", "。", "\u0301", "☃", "-", "1"])
def test_whatever_can_be_seen_is_text(text):
    assert has_text(f"  {text}\n")


def test_one_line_collapses_and_shortens():
    assert one_line("  a\n\t b\x00c ") == "a b c"
    assert one_line("x" * 400, 10) == "x" * 9 + "…"


def test_control_share_of_random_bytes_is_that_of_controls():
    assert control_share("") == 0
    assert control_share("a\r\nb") == 0
    assert control_share("\x00\x01ab") == 0.5


@given(ANY_TEXT)
def test_names_can_be_stored_and_printed_on_one_line(name):
    readable_name(name).encode("utf-8")
    assert len(readable_name(name).splitlines()) <= 1
    storable(name).encode("utf-8")


def test_names_keep_what_is_no_danger():
    assert readable_name("Gro\u0308ße 说明 👩‍🔧.pdf") == "Gro\u0308ße 说明 👩‍🔧.pdf"
    assert readable_name("a\nb\udce9\u202e.txt") == "a\\nb\\xe9\\u202e.txt"
    assert storable("a\nb\udce9") == "a\nb\\xe9"
