"""Names, codes and what is asked for."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.generation.quote_words import Vocabulary, codes, names, words


def code(question: str, text: str):
    return next(word for word in codes(question) if word.text == text)


def test_codes_are_the_words_with_a_digit():
    assert [word.text for word in codes("Does E9 of a Ventalba 270 mean 8.4 or R-290?")] == [
        "E9",
        "270",
        "8.4",
        "R-290",
    ]


def test_a_plus_belongs_to_the_model():
    vocabulary = Vocabulary.of("Galaxy_Note_10+")
    assert vocabulary.holds(code("On the Galaxy Note 10+?", "10+"))
    assert not vocabulary.holds(code("On the Galaxy Note 10?", "10"))


def test_a_bare_number_needs_its_neighbour():
    asked = code("How was Article 22 read?", "22")
    assert Vocabulary.of("Under Article 22 of the Code").holds(asked)
    assert not Vocabulary.of("Corvessa 22: espresso machine", "Article 12").holds(asked)


def test_neighbours_do_not_reach_over_texts():
    assert not Vocabulary.of("See Article", "22 is the number").holds(code("What does Article 22 say?", "22"))


def test_a_letter_code_stands_for_itself():
    assert Vocabulary.of("E9 | Fan blocked").holds(code("What is E9?", "E9"))
    assert not Vocabulary.of("E8 | Fan blocked").holds(code("What is E9?", "E9"))


def test_names_do_not_include_sentence_beginnings():
    question = "Our pump fell off. Which Stillaro hook that I like held the Tribunal: Did I ask?"
    assert [word.text for word in names(question)] == ["Stillaro", "Tribunal"]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_any_text_has_words_that_it_holds(text):
    vocabulary = Vocabulary.of(text)
    assert all(vocabulary.holds(word) for word in words(text))
