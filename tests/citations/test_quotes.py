"""Quotes: exact but for typesetting, in other words only where numbers and negation agree, offsets of the original."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.citations import find_quote, find_quote_around, quotes
from fonte.citations.folding import fold_text
from tests.timing import grows_linearly, seconds

SUPPORT = [json.loads(line) for line in (Path(__file__).parent / "support.jsonl").read_text("utf-8").splitlines()]
MANUAL = "The Corvessa 12 pump holds 5 bar at most. Do not run the pump dry. Clean the filter every six months."

TYPESETTING = [
    ('The so-called "valve" isn\'t open.', "The so‑called “valve” isn’t open."),
    ("Das „Ventil“ ist offen.", 'Das "Ventil" ist offen.'),
    ("La «pompa» è ferma.", 'La "pompa" è ferma.'),
    ("First fill the fluid.", "First ﬁll the ﬂuid."),
    ("The pressure is high today.", "The pres\u00adsure is\u00a0high  \n today."),
    ("The pressure is high today.", "The pres-\nsure is high today."),
    ("A well-known pump is here.", "A well-\nknown pump is here."),
    ("Il caffè è pronto ora.", "Il caffe\u0300 e\u0300 pronto ora."),
    ("Turn it off - then wait.", "Turn it off — then wait."),
    ("Wait ... then go on.", "Wait … then go on."),
    ("Ｆｕｌｌ width text here.", "Full width text here."),
    ("İstanbul pompası 5 bar tutar.", "İstanbul pompası 5 bar tutar."),
    ("The 👩‍🔧 checks the pump.", "The 👩🔧 checks the pump."),
    ("水泵的最大压力为5巴。", "水泵的最大压力为5巴。"),
    ("الضغط الأقصى للمضخة هو 5 بار.", "الضغط الأقصى للمضخة هو 5 بار."),
    ("A + B = 10⁵ pascal.", "A + B = 10⁵ pascal."),
]


@pytest.mark.parametrize("around", ["", "Something else came before. "])
@pytest.mark.parametrize(("one", "other"), [*TYPESETTING, *[(b, a) for a, b in TYPESETTING]])
def test_linkml_73_hermes_85749_castwright_1123_typesetting_both_ways(one, other, around):
    quote = find_quote(one, f"{around}{other} More follows.")
    assert (quote.status, quote.score) == ("verbatim", 1.0)
    assert quote.text == other.strip()
    assert quote.start == len(around)


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("The force is 105 newton.", "The force is 10⁵ newton."),
        ("It needs 11/2 litres.", "It needs 1½ litres."),
        ("The valve holds 12.5 bar.", "The valve holds 1 2.5 bar."),
        ("It weighs 2.5 kg.", "It weighs 12.5 kg."),
        ("It weighs 5 kg.", "It weighs 5.5 kg."),
        ("It weighs 5 kg.", "It weighs -5 kg."),
        ("He can go there.", "He cannot go there."),
        ("Art is here now.", "Part is here now."),
    ],
)
def test_typographic_folding_admits_no_paraphrase(sentence, passage):
    assert find_quote(sentence, passage).status != "verbatim"


@pytest.mark.parametrize(
    ("sentence", "status", "text"),
    [
        ("The Corvessa 12 pump holds 5 bar at most.", "verbatim", "The Corvessa 12 pump holds 5 bar at most."),
        ("“the Corvessa 12 pump holds 5 bar at most”", "verbatim", "The Corvessa 12 pump holds 5 bar at most"),
        ("The Corvessa 12 pump holds 5 bar", "verbatim", "The Corvessa 12 pump holds 5 bar"),
        ("You must not run the pump dry.", "paraphrase", "Do not run the pump dry."),
        ("Filters are cleaned every 6 months.", "paraphrase", "Clean the filter every six months."),
        ("The Corvessa 12 pump holds 6 bar at most.", "no_quote", ""),
        ("The Corvessa 14 pump holds 5 bar at most.", "no_quote", ""),
        ("The Corvessa 12 pump holds 5 psi at most.", "no_quote", ""),
        ("Run the pump dry.", "no_quote", ""),
        ("The pump may be run dry.", "no_quote", ""),
        ("The Corvessa 12 pump does not hold 5 bar.", "no_quote", ""),
        ("The weather is fine.", "no_quote", ""),
        ("Yes.", "no_quote", ""),
        ("", "no_quote", ""),
        ("…", "no_quote", ""),
    ],
)
def test_status_of_sentences_about_a_manual(sentence, status, text):
    quote = find_quote(sentence, MANUAL)
    assert (quote.status, quote.text) == (status, text)
    assert MANUAL[quote.start : quote.end] == quote.text


def test_no_as_an_abbreviation_and_inside_words_negates_nothing():
    passage = "Use fuse No. 5 and the knob notch."
    assert find_quote("Fuse no. 5 and the notch of the knob are used.", passage).status == "paraphrase"


def test_support_in_other_words_on_made_up_pairs():
    """The pairs chose THRESHOLD: below .5 nothing is won, above it support is lost; two look-alikes remain."""
    found = [(find_quote(row["sentence"], row["passage"]).status != "no_quote", row["supported"]) for row in SUPPORT]
    right = sum(got and wanted for got, wanted in found)
    assert right >= 22  # of 23
    assert sum(got and not wanted for got, wanted in found) <= 2  # of 31


@pytest.mark.parametrize("threshold", [0.3, 0.6, 0.7, 0.8])
def test_the_threshold_is_the_best_on_these_pairs(threshold, monkeypatch):
    def wrong():
        return sum(
            (find_quote(row["sentence"], row["passage"]).status != "no_quote") != row["supported"] for row in SUPPORT
        )

    chosen = wrong()
    monkeypatch.setattr(quotes, "THRESHOLD", threshold)
    assert wrong() > chosen


def test_context_gives_names_but_no_other_numbers():
    passage = "Pressure: at most 5 bar for this pump."
    assert find_quote("The pump of the Corvessa 12 has a pressure of at most 5 bar.", passage).status == "no_quote"
    context = "Corvessa 12 > Technical data"
    assert (
        find_quote("The pump of the Corvessa 12 has a pressure of at most 5 bar.", passage, context).status
        == "paraphrase"
    )
    assert (
        find_quote("The pump of the Corvessa 12 has a pressure of at most 12 bar.", passage, context).status
        == "no_quote"
    )
    assert (
        find_quote("The pump of the Corvessa 14 has a pressure of at most 5 bar.", passage, context).status
        == "no_quote"
    )


def test_lettucedetect_85_a_repeated_text_is_the_first_whole_sentence():
    passage = "He said the pump is red and left. The pump is red. Later on. The pump is red."
    quote = find_quote("The pump is red.", passage)
    assert (quote.start, quote.text) == (passage.index("The pump"), "The pump is red.")


def test_fojin_578_a_quote_over_a_chunk_border():
    document = (
        "Intro text stands here. The pump of the Corvessa holds five bar at most. It is red. " + "Filler words. " * 200
    )
    border = document.index("holds")
    sentence = "The pump of the Corvessa holds five bar at most."
    assert find_quote(sentence, document[:border]).status != "verbatim"
    for start, end in ((0, border), (border, border + 40)):
        quote = find_quote_around(sentence, document, start, end)
        assert (quote.status, document[quote.start : quote.end]) == ("verbatim", sentence)
    far = len(document) - 30
    assert find_quote_around(sentence, document, far, len(document)).status == "no_quote"


def test_luminary_129_the_quote_is_the_span_that_carries_and_not_the_beginning():
    passage = (
        "Filler about nothing in particular. " * 10
        + "The lid is opened with the silver key. "
        + "More filler text. " * 9
    )
    assert find_quote("The lid opens with the silver key.", passage).text == "The lid is opened with the silver key."


VOCABULARY = "pump İ valve 5 bar not 水泵 \u0301 é ﬁ ‑ “ ” . ; \n \u00ad 👩‍🔧 10⁵ - no. ß مضخة"
WORDS = st.lists(st.sampled_from(VOCABULARY.split(" ")), max_size=30)


@settings(max_examples=200, deadline=None)
@given(WORDS, WORDS, st.sampled_from(["", " "]))
def test_offsets_are_of_the_original_text(sentence, passage, glue):
    text = glue.join(passage)
    quote = find_quote(glue.join(sentence), text)
    assert 0 <= quote.start <= quote.end <= len(text)
    assert text[quote.start : quote.end] == quote.text
    assert (quote.text == "") == (quote.status == "no_quote")
    assert 0 <= quote.score <= 1


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80), st.booleans(), st.booleans())
def test_folding_maps_every_letter_back_in_order(text, loose, keep):
    folded = fold_text(text, loose=loose, keep_hyphens=keep)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(folded.starts, folded.ends, strict=True))
    assert list(folded.starts) == sorted(folded.starts)
    assert fold_text(folded.text, loose=loose).text == folded.text


def test_ten_sentences_by_ten_passages_take_milliseconds():
    passages = [f"{MANUAL} The valve number {i} opens the “inlet”; see page {i}. " * 7 for i in range(10)]
    sentences = [f"The Corvessa {i} holds {i} bar at most, and its valve opens the inlet." for i in range(10)]
    assert len(passages[0]) > 1000  # about 250 tokens

    def find_all():
        for sentence in sentences:
            for passage in passages:
                find_quote(sentence, passage)

    assert seconds(find_all) < 0.5  # measured .03 s; this is called for every sentence of every answer


@pytest.mark.parametrize(
    "text", ["a " * 10_000, "a. " * 4_000, "no; " * 4_000, "5" * 50_000, "\u0301" * 20_000, "-\n" * 10_000]
)
def test_hostile_passages_end_in_time(text):
    def find(length):
        find_quote("The pump holds 5 bar a no.", text[:length])
        find_quote(text[: min(500, length)], text[:length])

    assert grows_linearly(find, len(text) // 16, len(text))
