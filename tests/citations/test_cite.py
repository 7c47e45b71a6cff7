"""Sentences, markers and citations of a whole answer, as they come and as a batch."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.citations import Citer, Invented, Numbered, Sentence
from fonte.values import Box, Chunk, Citation, Passage, Place

PUMP = "The Corvessa 12 pump holds 5 bar at most. Do not run the pump dry."
VALVE = "The valve opens at 2 bar. It is made of brass."


def passage(text, document, start):
    return Passage(Chunk(document, "v", "p", 0, start, start + len(text), text), document, 1.0)


PASSAGES = {"b4": passage(PUMP, "pump.md", 100), "k2": passage(VALVE, "valve.md", 40)}


def place(found, start, end):
    return Place(page=start, boxes=(Box(1, 0.0, float(start), 1.0, float(end)),))


def read(deltas):
    citer = Citer(PASSAGES, place)
    outputs = [output for delta in deltas for output in citer.feed(delta)]
    return [*outputs, *citer.finish()]


def told(deltas):
    """Return displayed text, citations, sentences and removed attempts."""
    outputs = read(deltas)
    text = "".join(getattr(output, "text", output) for output in outputs if isinstance(output, str | Numbered))
    return text, *(tuple(o for o in outputs if isinstance(o, kind)) for kind in (Citation, Sentence, Invented))


def table(answer):
    text, citations, *_ = told([answer])
    return text, [
        (text[c.answer_start : c.answer_end], text[c.marker_start : c.marker_end], c.status) for c in citations
    ]


@pytest.mark.parametrize(
    ("answer", "text", "citations"),
    [
        (
            "The Corvessa 12 pump holds 5 bar at most [b4].",
            "The Corvessa 12 pump holds 5 bar at most [1].",
            [("The Corvessa 12 pump holds 5 bar at most [1].", "[1]", "verbatim")],
        ),
        (
            "The valve opens at 2 bar. [k2] Do not run it dry.[b4][k2] Fine.",
            "The valve opens at 2 bar. [1] Do not run it dry.[2][1] Fine.",
            [
                ("The valve opens at 2 bar.", "[1]", "verbatim"),
                ("Do not run it dry.", "[2]", "paraphrase"),
                ("Do not run it dry.", "[1]", "no_quote"),
            ],
        ),
        (
            "[b4] Do not run the pump dry.",
            "[1] Do not run the pump dry.",
            [("Do not run the pump dry.", "[1]", "verbatim")],
        ),
        (
            "- It is made of brass [k2]\n- Do not run the pump dry [b4]\n",
            "- It is made of brass [1]\n- Do not run the pump dry [2]\n",
            [("- It is made of brass", "[1]", "verbatim"), ("- Do not run the pump dry", "[2]", "verbatim")],
        ),
        (
            "It is made of brass.\n[k2]\n[b4] Do not run the pump dry.",
            "It is made of brass.\n[1]\n[2] Do not run the pump dry.",
            [("It is made of brass.", "[1]", "verbatim"), ("Do not run the pump dry.", "[2]", "verbatim")],
        ),
        ("阀门在2巴打开。[k2]泵。", "阀门在2巴打开。[1]泵。", [("阀门在2巴打开。", "[1]", "no_quote")]),
        ("It is made [k2] of brass.", "It is made [1] of brass.", [("It is made [1] of brass.", "[1]", "verbatim")]),
        ("See e.g. Dr. No about 2.5 bar [k2].", "See e.g. Dr. No about 2.5 bar [1].", None),
        ("[b4]", "[1]", []),
        ("", "", []),
        ("Nothing is cited here.", "Nothing is cited here.", []),
    ],
)
def test_alce_26_markers_belong_to_their_sentence(answer, text, citations):
    shown, found = table(answer)
    assert shown == text
    if citations is not None:
        assert found == citations
    else:
        assert found[0][0] == text


def test_source_offsets_are_of_the_document_and_place_is_asked_for_the_quote():
    _, (citation,), *_ = told(["Do not run the pump dry [b4]."])
    assert citation.quote == "Do not run the pump dry."
    assert citation.source_start == 100 + PUMP.index("Do not")
    assert citation.source_end - citation.source_start == len(citation.quote)
    assert citation.page == citation.source_start
    assert citation.boxes[0].bottom == citation.source_end
    assert (citation.origin, citation.document, citation.passage_id) == ("model", "pump.md", PASSAGES["b4"].id)


def test_no_quote_is_an_empty_span_without_boxes():
    _, (citation,), *_ = told(["The moon is a cheese [b4]."])
    assert (citation.status, citation.quote, citation.boxes) == ("no_quote", "", ())
    assert citation.source_start == citation.source_end == 100


def test_a_citation_comes_after_the_text_and_the_marker_it_speaks_of():
    length = 0
    for output in read(["It is made of brass. [k2] Do not run the pump dry [b4]. The end of the story."]):
        if isinstance(output, Citation):
            assert max(output.answer_end, output.marker_end) <= length
        elif isinstance(output, str | Numbered):
            length += len(getattr(output, "text", output))


def test_a_sentence_can_be_cited_by_hand_right_after_it():
    citer = Citer(PASSAGES, place)
    outputs = []
    for output in citer.feed("It is made of brass. And so on, and on, and on, and on, until it ends."):
        outputs.append(output)
        if isinstance(output, Sentence):
            assert output == Sentence("It is made of brass.", False, "It is made of brass.")
            outputs += citer.cite("k2", "choice")
    outputs += citer.finish()
    text = "".join(getattr(output, "text", output) for output in outputs if isinstance(output, str | Numbered))
    assert text == "It is made of brass. [1] And so on, and on, and on, and on, until it ends."
    (citation,) = (output for output in outputs if isinstance(output, Citation))
    assert (citation.origin, citation.status, citation.quote) == ("choice", "verbatim", "It is made of brass.")
    assert text[citation.answer_start : citation.answer_end] == "It is made of brass."
    assert text[citation.marker_start : citation.marker_end] == "[1]"


PIECES = st.sampled_from(
    [
        "The pump",
        " holds",
        " 5 bar",
        ".",
        "!",
        "\n",
        " ",
        "[b4]",
        "[k2]",
        " [z9]",
        "- ",
        "e.g. ",
        "Dr. ",
        "A",
        "。",
        "`x`",
        '"',
        "3.5",
        "etc.",
        "1. ",
        " and then it goes on for quite a while, longer than one looks ahead",
        "...",
        "¹",
        "[b4",
        "\n\n",
    ]
)
ANSWERS = st.lists(PIECES, max_size=40).map("".join)


@settings(max_examples=200, deadline=None)
@given(ANSWERS, st.data())
def test_openai_agents_4252_folding_any_split_gives_the_batch_answer(answer, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(answer)), max_size=5)))
    batch = told([answer])
    assert told(list(answer)) == batch
    assert told([answer[start:end] for start, end in zip([0, *cuts], [*cuts, len(answer)], strict=True)]) == batch


@settings(max_examples=200, deadline=None)
@given(ANSWERS)
def test_spans_markers_and_numbers_hold_together(answer):
    text, citations, sentences, _ = told([answer])
    numbers = [int(text[c.marker_start + 1 : c.marker_end - 1]) for c in citations]
    first_uses = list(dict.fromkeys(numbers))
    assert first_uses == sorted(first_uses)
    assert len({(number, c.passage_id) for number, c in zip(numbers, citations, strict=True)}) == len(set(numbers))
    for citation in citations:
        assert 0 <= citation.answer_start < citation.answer_end <= len(text)
        source = next(p.chunk for p in PASSAGES.values() if p.id == citation.passage_id)
        assert source.text[citation.source_start - source.start : citation.source_end - source.start] == citation.quote
    assert all(sentence.text.strip() for sentence in sentences)


@pytest.mark.parametrize(
    "answer", ["A. " * 500, "word " * 5000, "." * 20_000, "\n" * 20_000, "x" * 20_000, "[b4]" * 2000]
)
def test_hostile_answers_end_in_time(answer):
    started = time.process_time()
    told([answer])
    assert time.process_time() - started < 80  # linear work takes a tenth of a second
