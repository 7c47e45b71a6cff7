from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.models.reply import ReplyReader, TokenText
from tests.tiny import byte_tokenizer

TOKENIZER = byte_tokenizer()
PIECES = st.sampled_from(
    ["<think>", "</think>", "<thought>", "</thought>", "a", "<", " ", "\n", "STOP", "ST", "</", "é"]
)


def decode(ids):
    return TOKENIZER.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False)


def read(parts, stops=(), open_tag=""):
    reader = ReplyReader(stops, open_tag)
    pieces = [*(reader.feed(part) for part in parts), reader.finish()]
    return "".join(piece.text for piece in pieces), "".join(piece.thinking for piece in pieces), reader.stopped


@given(st.lists(st.integers(0, 255), max_size=30))
@settings(max_examples=200, deadline=None)
def test_tokens_decoded_one_by_one_join_to_the_decoding_of_all(ids):
    text = TokenText(decode)
    assert "".join([*(text.feed(token) for token in ids), text.finish()]) == decode(ids)


@given(st.text(max_size=20))
@settings(max_examples=100, deadline=None)
def test_no_half_character_is_ever_shown(string):
    string = string.replace("\ufffd", "")
    text = TokenText(decode)
    shown = ""
    for byte in string.encode("utf-8", "replace"):
        shown += text.feed(byte)
        assert "\ufffd" not in shown
        assert string.encode("utf-8", "replace").decode().startswith(shown)


@given(st.lists(PIECES, max_size=12), st.lists(st.integers(0, 40), max_size=6), st.sampled_from(["", "think"]))
@settings(max_examples=400, deadline=None)
def test_the_same_text_reads_the_same_however_it_is_split(pieces, cuts, open_tag):
    whole = "".join(pieces)
    places = sorted({0, len(whole), *(cut for cut in cuts if cut < len(whole))})
    parts = [whole[start:end] for start, end in itertools.pairwise(places)]
    expected = read([whole], ["STOP"], open_tag)
    assert read(parts, ["STOP"], open_tag) == expected
    assert read(list(whole), ["STOP"], open_tag) == expected
    assert "STOP" not in expected[0]


@pytest.mark.parametrize(
    ("text", "shown", "thinking"),
    [
        ("plain", "plain", ""),
        ("  leading space stays", "  leading space stays", ""),
        ("<think>a</think>\n\nb", "b", "a"),
        ("\n<think>\na\n</think> b", "b", "\na\n"),
        ("<thought>a</thought><think>c</think>b", "b", "ac"),
        ("The tag <think> is text</think> here", "The tag <think> is text</think> here", ""),
        ("<think>never ends", "", "never ends"),
        ("<think>a</think>", "", "a"),
        ("<thin", "<thin", ""),
        ("", "", ""),
    ],
)
def test_thinking_is_kept_apart_at_the_beginning_only(text, shown, thinking):
    assert read([text])[:2] == (shown, thinking)


def test_a_prompt_that_opened_the_tag():
    assert read(["so it is</think>\nyes"], open_tag="think")[:2] == ("yes", "so it is")


def test_stop_strings_end_the_text_at_the_first_of_them():
    assert read(["ab", "cXd", "Yef"], ["Y", "X"]) == ("abc", "", True)
    assert read(["<think>X</think>a", "X"], ["X"]) == ("a", "X", True)
    assert read(["abc"], ["bcd"]) == ("abc", "", False)
    assert read(["abc"], [""]) == ("abc", "", False)
