"""Exact match, F1, containment, ROUGE-L, expressions: against the reference code and by hand."""

import re
import string
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score import rouge_scorer

from fonte.measures import (
    containment,
    exact_match,
    expression_match,
    rouge_l,
    squad_words,
    substring_accuracy,
    token_f1,
)

SAID = (
    "the",
    "a",
    "an",
    "Paris",
    "is",
    "1.5",
    "no",
    "not",
    "Nothing",
    "well-known",
    "running",
    "runs",
    "U.S.",
    "it's",
    "_x",
)
TEXTS = st.lists(st.sampled_from(SAID)).map(" ".join)


def reference_normalise(text):
    text = "".join(letter for letter in text.lower() if letter not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def reference_f1(prediction, answer):
    found, gold = reference_normalise(prediction).split(), reference_normalise(answer).split()
    same = sum((Counter(found) & Counter(gold)).values())
    if not found or not gold:
        return int(found == gold)
    return 0 if not same else 2 * (same / len(found)) * (same / len(gold)) / (same / len(found) + same / len(gold))


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3))
@settings(max_examples=200, deadline=None)
def test_equal_the_squad_script_with_squad_words(prediction, answers):
    wanted = max(reference_f1(prediction, answer) for answer in answers)
    assert token_f1(prediction, answers, squad_words).value == pytest.approx(wanted)
    same = any(reference_normalise(prediction) == reference_normalise(answer) for answer in answers)
    if reference_normalise(prediction):
        assert exact_match(prediction, answers, squad_words).value == same


@given(TEXTS, TEXTS)
@settings(max_examples=200, deadline=None)
def test_rouge_l_equals_rouge_score_on_ascii(prediction, answer):
    theirs = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=True).score(answer, prediction)["rougeL"].fmeasure
    assert rouge_l(prediction, [answer]).value == pytest.approx(theirs)


def test_rouge_l_reads_what_rouge_score_drops():
    assert rouge_l("东京是首都", ["东京是首都"]).value == 1
    assert 0 < rouge_l("首都是东京", ["东京是首都"]).value < 1
    assert rouge_l("Москва столица", ["москва столица"]).value == 1


@given(st.text(max_size=30), st.lists(st.text(max_size=12), min_size=1, max_size=3))
@settings(max_examples=200, deadline=None)
def test_values_stay_in_their_range_on_any_text(prediction, answers):
    values = [function(prediction, answers).value for function in (exact_match, token_f1, containment, rouge_l)]
    assert all(0 <= value <= 1 for value in values)
    assert exact_match(answers[0], answers).value == 1
    if values[0]:
        assert values[1] == 1


@pytest.mark.parametrize(
    ("prediction", "answer", "contained"),
    [
        ("It is not known.", "no", 0),
        ("We cannot know", "no", 0),
        ("No, it is not.", "no", 1),
        ("It was 120 cm", "12", 0),
        ("It was 1.12", "12", 0),
        ("It was 1,200.0 units", "1200", 1),
        ("首都是东京。", "东京", 1),
        ("Doğduğu yer İstanbul'dur", "istanbul dur", 0),
        ("She lives in New York City", "New York", 1),
        ("", "Paris", 0),
        ("!!!", "!!!", 0),
    ],
)
def test_containment_has_word_borders(prediction, answer, contained):
    assert containment(prediction, [answer]).value == contained


def test_substring_accuracy_keeps_its_quirk():
    assert substring_accuracy("It is not known.", ["no"]).value == 1
    assert substring_accuracy("<think>Paris</think> It is **Rome**", ["Paris"]).value == 0
    assert substring_accuracy("It is **Rome**", ["rome"]).value == 1
    assert substring_accuracy("Rome", ["", "x"]).value == 0


def test_without_gold_answers_nothing_is_scored():
    for function in (exact_match, token_f1, containment, rouge_l, substring_accuracy):
        assert function("Paris", []).status == "not_applicable"
        assert function("", ["Paris"]).value == 0
    assert expression_match("x", " ").status == "not_applicable"


def test_texts_without_words_are_compared_as_they_are():
    assert exact_match("!", ["?"]).value == 0
    assert exact_match("!", ["!"]).value == 1
    assert exact_match("", [""]).value == 1


def prgb(expression, prediction):
    """The published evaluation, by Python's own logic on well-formed expressions."""
    terms = re.sub(
        r"[^&|()]+", lambda match: f" ({match[0].strip()!r} in text) " if match[0].strip() else "", expression
    )
    return eval(terms.replace("&", " and ").replace("|", " or "), {"text": prediction})


EXPRESSIONS = st.recursive(
    st.sampled_from(["ab", "cd", "ef"]),
    lambda inner: st.tuples(inner, st.sampled_from("&|"), inner, st.booleans()).map(
        lambda parts: f"({parts[0]}{parts[1]}{parts[2]})" if parts[3] else f"{parts[0]} {parts[1]} {parts[2]}"
    ),
    max_leaves=6,
)


@given(EXPRESSIONS, st.sampled_from(["", "ab", "cd ef", "ab cd", "ef ab", "ab cd ef"]))
@settings(max_examples=200, deadline=None)
def test_expressions_follow_logic(expression, prediction):
    assert expression_match(prediction, expression).value == prgb(expression, prediction)


@pytest.mark.parametrize("literal", ["f(x", "a & ", "| b", "x)", "()", "AT&T)"])
def test_expressions_that_are_none_are_looked_for_as_they_stand(literal):
    assert expression_match(f"It is {literal.strip()} here", literal).value == 1
    assert expression_match("nothing of it", literal).value == 0
