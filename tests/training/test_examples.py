"""From questions to examples: evidence is never lost, distractors hold no answer, targets carry their markers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import UsageError
from fonte.evaluation.questions import Question, QuestionPassage
from fonte.measures.containment import containment
from fonte.training.examples import ExampleSettings, build_examples, split_by_hash, target_of
from fonte.training.selection import Selection, Tried, read_selection, selected
from tests.tiny import tiny_language_model
from tests.training.toy import toy_questions


@pytest.fixture(scope="module")
def model():
    return tiny_language_model()


@pytest.mark.parametrize("style", ["ask", "brief"])
@pytest.mark.parametrize("pooled", [0, 2])
def test_supporting_passages_are_where_the_example_says(model, style, pooled):
    made = build_examples(toy_questions(), model, ExampleSettings(style=style, pooled=pooled))
    assert not made.left_out
    for question, example in zip(toy_questions(), made.examples, strict=True):
        [place] = example.case.supporting
        shown = example.prompt.passages
        assert len(shown) == 2 + pooled
        assert question.passages[0].text in shown[place].text
        assert shown[place].label == example.case.labels[place]
        assert example.target == f"{question.answers[0]} [{shown[place].label}]."
        for number, passage in enumerate(shown):
            assert number == place or not containment(passage.text, question.answers).value
        assert example.prompt_ids == model.segment(example.prompt).token_ids


def test_order_and_labels_come_from_the_seed(model):
    one, same, other = (build_examples(toy_questions(), model, ExampleSettings(seed=seed)) for seed in (0, 0, 1))
    assert [example.prompt for example in one.examples] == [example.prompt for example in same.examples]
    assert [example.prompt for example in one.examples] != [example.prompt for example in other.examples]
    assert len({example.case.supporting for example in one.examples}) == 2


def test_what_cannot_be_an_example_is_counted(model):
    questions = [
        Question("1", "No answer?"),
        Question("2", "No evidence?", ("x",), (QuestionPassage("a", "x"),)),
        Question("3", "Too long?", ("x",), (QuestionPassage("a", "x " * 3000, gold=True),)),
        Question("4", "Too many?", ("x",), tuple(QuestionPassage(str(n), "x", gold=True) for n in range(3))),
    ]
    made = build_examples(questions, model, ExampleSettings(passages=2, prompt_tokens=2000))
    assert made.examples == ()
    assert sum(made.left_out.values()) == 4
    assert len(made.left_out) == 4


def test_unanswerable_questions_teach_silence(model):
    passages = (QuestionPassage("a", "Bananas are yellow.", gold=True),)
    question = Question("1", "Who?", (), passages, answerable=False)
    [example] = build_examples([question], model).examples
    assert (example.target, example.case.supporting) == ("NOT_IN_SOURCES", ())


def test_long_passages_are_cut_around_the_answer(model):
    text = "word " * 300 + "the answer is Rome indeed " + "word " * 300
    question = Question("1", "Where?", ("Rome",), (QuestionPassage("a", text, gold=True),))
    [example] = build_examples([question], model, ExampleSettings(words=20)).examples
    shown = example.prompt.passages[0].text
    assert "Rome" in shown
    assert len(shown.split()) == 21  # and the closing label


def test_targets():
    assert target_of(("Rome.", "Roma"), ("b4", "c5"), (1, 0)) == "Rome [c5] [b4]."
    assert target_of((), ("b4",), ()) == "NOT_IN_SOURCES"


@given(st.lists(st.text(min_size=1, max_size=8), unique=True, max_size=30), st.integers(0, 40))
@settings(max_examples=40)
def test_the_split_by_hash_never_moves(names, apart):
    questions = [Question(name, "?") for name in names]
    held, rest = split_by_hash(questions, apart)
    assert len(held) == min(apart, len(names))
    assert {one.id for one in held} | {one.id for one in rest} == set(names)
    again, _ = split_by_hash(questions[::-1], apart)
    assert {one.id for one in again} == {one.id for one in held}


def test_selection_by_hand():
    tried = [
        Tried("never", 0, 8, (-1.0, -9.0)),
        Tried("calm", 4, 8, (-1.0, -1.1)),
        Tried("always", 8, 8, (-1.0, -9.0)),
        Tried("wild", 1, 8, (-1.0, -5.0)),
        Tried("mild", 7, 8, (-1.0, -2.0)),
    ]
    assert selected(tried, Selection(8)) == ["calm", "wild", "mild"]
    assert selected(tried, Selection(8, 2 / 3)) == ["wild", "mild"]
    assert selected([], Selection(8)) == []
    assert read_selection("pass@8,variance") == Selection(8, 0.5)
    assert read_selection("") == Selection()
    for wrong in ("pass@1", "pass@x", "variance", "pass@8,best", "pass@2,pass@8"):
        with pytest.raises(UsageError, match="pass@8"):
            read_selection(wrong)
