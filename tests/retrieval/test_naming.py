"""Which documents a question names, and what that does to a search."""

import dataclasses
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonte.retrieval import LanceStore, retrieve
from fonte.retrieval.naming import Names, Naming
from fonte.settings import RetrievalSettings
from fonte.values import Signature

PHONES = {
    "a": "Galaxy A20", "b": "Galaxy S10", "c": "Galaxy S10 Lite", "d": "Galaxy Note 10", "e": "Galaxy Note 10+",
    "f": "Ventalba 230",
}  # fmt: skip


def signed(name, **other):
    return Signature((("category", "phone"), *other.items(), ("model", name)), "extracted")


NAMES = Names.of((document, signed(name)) for document, name in PHONES.items())


@pytest.mark.parametrize(
    ("question", "documents", "rest"),
    [
        ("On the Samsung Galaxy A20: how do I turn on GPS?", "a", "On the Samsung : how do I turn on GPS?"),
        ("gps on the galaxy s10 lite", "c", "gps on the "),
        ("GPS on my S10 Lite or my A20?", "ac", "GPS on my  or my ?"),
        ("GPS on the S10?", "b", "GPS on the ?"),
        ("GPS on the Galaxy Note 10+?", "e", "GPS on the ?"),
        ("GPS on the Galaxy Note 10?", "d", "GPS on the ?"),
        ("The Ventalba 230 drips.", "f", "The  drips."),
    ],
)
def test_the_longest_names_count(question, documents, rest):
    assert NAMES.in_question(question) == Naming(frozenset(documents), rest)


@pytest.mark.parametrize("question", ["", "?", "Which phone is fast?", "It takes 230 volts.", "The Galaxy is large."])
def test_no_name_is_no_name(question):
    assert NAMES.in_question(question) is None


@pytest.mark.parametrize(
    ("value", "question", "rest"),
    [
        ("Caf\u00e9 Noir", "on the cafe\u0301 noir?", "on the ?"),
        ("Cafe\u0301 Noir", "on the caf\u00e9 noir?", "on the ?"),
        ("Sirio A20", "on the \uff21\uff12\uff10?", "on the ?"),
        ("Cafe", "on the cafe\u0301?", None),
        ("I", "may I open it?", None),
        ("7", "it takes 7 bolts", None),
        ("", "", None),
        (" ".join(f"w{n}" for n in range(17)), "w16", None),
    ],
)
def test_equal_looks_are_equal_names_and_a_sign_or_a_sentence_is_none(value, question, rest):
    naming = Names.of([("a", signed(value)), ("b", signed("Other 1"))]).in_question(question)
    assert (naming and naming.rest) == rest


def test_long_questions_and_long_values_take_no_time():
    long = " ".join(f"w{n}" for n in range(2000))
    names = Names.of([("a", signed(f"X {long}")), ("b", signed("Other 1"))])
    begun = time.process_time()
    for question in ("w1 " * 6000, "a-" * 10_000, "1." * 10_000, "e\u0301" * 10_000):
        assert names.in_question(question) is None
    assert time.process_time() - begun < 10


def test_a_name_that_is_a_common_word_must_be_written_large():
    names = Names.of([("a", signed("Note")), ("b", signed("Fold 2")), ("c", signed("Other"))])
    assert names.in_question("please note that it is wet") is None
    assert names.in_question("how do I reset the Note?").documents == {"a"}
    assert names.in_question("how do I reset the fold 2?").documents == {"b"}


def test_a_name_that_most_documents_bear_tells_nothing():
    names = Names.of([("a", signed("Acme 3X")), ("b", signed("Acme 3X")), ("c", signed("Acme 4X"))])
    assert names.in_question("the Acme 3X?") is None
    assert names.in_question("the Acme 4X?").documents == {"c"}
    assert Names.of([("a", signed("Acme 3X"))]).in_question("the Acme 3X?") is None
    assert Names.of([]).in_question("the Acme 3X?") is None


@given(
    bearers=st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(sorted(PHONES.values())), max_size=6),
    visible=st.sets(st.sampled_from("abcdef")),
    question=st.lists(st.sampled_from(["Galaxy", "A20", "S10", "Lite", "Note", "10+", "10", "on", "230"]), max_size=8),
)
def test_hidden_documents_change_nothing(bearers, visible, question):
    every = Names.of((document, signed(name)) for document, name in bearers.items())
    seen = Names.of((document, signed(name)) for document, name in bearers.items() if document in visible)
    asked = " ".join(question)
    assert every.in_question(asked, visible) == seen.in_question(asked)


@given(question=st.text(), value=st.text(max_size=20))
def test_any_text_is_read(question, value):
    naming = Names.of([("a", signed(value)), ("b", signed("Other 1"))]).in_question(question)
    assert naming is None or len(naming.rest) < len(question)


class AxisEmbedder:
    """Puts every question on the first axis."""

    def embed_query(self, text):
        return np.eye(8, dtype=np.float32)[0]


@pytest.fixture
def manuals(tmp_path, new_row):
    store = LanceStore.create(tmp_path / "store", 8, "embedder-1")
    store.replace_documents(
        {
            document: [
                new_row(document, n, f"turn gps on, part {n}", np.eye(8)[n % 8] + 0.01, signature=signed(name))
                for n in range(4)
            ]
            for document, name in PHONES.items()
        }
    )
    return store


def test_passages_of_the_named_document_come_first_and_others_after(manuals):
    settings = RetrievalSettings(passages=24)
    question = "On the Galaxy S10 Lite: turn gps on"
    plain = retrieve(manuals, AxisEmbedder(), question, settings)
    named = retrieve(manuals, AxisEmbedder(), question, settings, names=manuals.names())
    assert {passage.chunk.document_id for passage in named[:4]} == {"c"}
    assert {passage.id for passage in named} == {passage.id for passage in plain}
    assert all(0 < passage.retrieval_score <= 1 for passage in named)
    for mode in ("dense", "lexical"):
        alone = settings.model_copy(update={"mode": mode})
        names = {"names": manuals.names()}
        assert retrieve(manuals, AxisEmbedder(), question, alone, **names) == retrieve(
            manuals, AxisEmbedder(), question, alone
        )


@pytest.mark.parametrize("question", ["Galaxy A20", "Galaxy A20?", "(A20)"])
def test_a_question_that_is_a_name_alone_is_still_asked(manuals, question):
    asked = []

    class Listening(AxisEmbedder):
        def embed_query(self, text):
            asked.append(text)
            return super().embed_query(text)

    found = retrieve(manuals, Listening(), question, RetrievalSettings(passages=3), names=manuals.names())
    assert {passage.chunk.document_id for passage in found} == {"a"}
    assert asked == [question, question]


def test_a_chosen_document_that_is_not_the_named_one_is_searched_as_ever(manuals):
    settings, question = RetrievalSettings(), "turn gps on, on the Galaxy A20"
    found = retrieve(manuals, AxisEmbedder(), question, settings, ["b"], manuals.names())
    assert found == retrieve(manuals, AxisEmbedder(), question, settings, ["b"])


def test_names_are_those_of_now(manuals, new_row):
    other = LanceStore.open(manuals.path)
    assert manuals.names().in_question("the A20?").documents == {"a"}
    row = new_row("a", 0, "text", signature=signed("Sirio \ud800 7B"))
    other.replace_documents({"a": [dataclasses.replace(row, document="n\udcff.md")]})
    assert manuals.names().in_question("the A20?") is None
    assert manuals.names().in_question("the 7B?").documents == {"a"}
