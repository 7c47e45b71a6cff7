"""Which sentences may be quoted."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.generation.quote_candidates import candidates
from fonte.values import Chunk, Passage
from tests.timing import grows_linearly


def passage(text: str, start: int = 0, whole: str | None = None, **fields) -> Passage:
    end = start + len(text)
    return Passage(Chunk("doc", "v", "p", 0, start, end, text, **fields), "manual.md", 0.5)


def texts(*passages: Passage) -> list[str]:
    return [candidate.text for candidate in candidates(passages)]


def test_headings_and_header_rows_are_no_answers():
    text = "## 4 Operation\n\nPress the key.\n\nSafety\n\nCode | Meaning\nE1 | Door open"
    assert texts(passage(text, heading=("Safety",), header="Code | Meaning")) == ["Press the key.", "E1 | Door open"]


def test_bullets_and_outer_bars_are_not_part_of_a_sentence():
    text = "- Tighten the nut to 16 Nm.\n- Close the lid.\n\n| Code | Meaning |\n| --- | --- |\n| E1 | Door open |\n"
    assert texts(passage(text, header="| Code | Meaning |")) == [
        "Tighten the nut to 16 Nm.",
        "Close the lid.",
        "E1 | Door open",
    ]


def test_overlapping_passages_give_a_sentence_once():
    whole = "The first one is short. The second one is longer. The third ends it."
    first, second = passage(whole[:49]), passage(whole[24:], start=24)
    assert texts(first, second) == [
        "The first one is short.",
        "The second one is longer.",
        "The third ends it.",
    ]


def test_offsets_are_those_of_the_document():
    found = candidates([passage("Wait. Then open the door.", start=100)])
    assert [(one.start, one.end, one.text) for one in found] == [(106, 125, "Then open the door.")]


def test_line_breaks_are_shown_as_spaces():
    (found,) = candidates([passage("Let it cool\nfor 20 minutes.")])
    assert found.text == "Let it cool\nfor 20 minutes."
    assert found.shown == "Let it cool for 20 minutes."


def test_chinese_sentences_have_no_spaces():
    assert texts(passage("请在三小时后清洗滤网。然后关闭电源。")) == ["请在三小时后清洗滤网。", "然后关闭电源。"]


def test_no_passages_and_blank_passages():
    assert candidates([]) == []
    assert texts(passage(" \n\t\n")) == []


def test_hostile_texts_take_linear_time():
    for text in ("1. {}", "{}"):
        for repeated in ("a ", "| ", "1 ", "- ", " "):
            assert grows_linearly(
                lambda length, text=text, repeated=repeated: candidates([passage(text.format(repeated * length))]),
                5_000,
                80_000,
            )


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab .\n|-#*1?é字\u202e\u0301\U0001f600"), max_size=120), st.integers(0, 50))
def test_candidates_are_slices_and_do_not_overlap(text, start):
    found = candidates([passage(text, start=start)])
    for one in found:
        assert text[one.start - start : one.end - start] == one.text == one.text.strip()
    assert all(first.end <= second.start for first, second in pairwise(found))
