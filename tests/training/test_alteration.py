"""Changed documents: the value is there, the old one is gone, and what cannot be changed is left alone."""

from dataclasses import replace

import pytest

from fonte.evaluation.questions import Question, QuestionPassage
from fonte.training.alteration import counterfactual_question, placeholder_question, without_evidence
from fonte.training.generator_evaluation import EvaluationSettings, GeneratorEvaluator
from tests.tiny import tiny_language_model
from tests.training.toy import toy_questions


def test_the_value_takes_the_place_of_the_answer_everywhere():
    questions = toy_questions()
    for question in questions:
        for changed in (counterfactual_question(question, questions), placeholder_question(question)):
            [value] = changed.extra["substituted"]
            assert value != question.answers[0]
            assert value in changed.passages[0].text
            assert all(question.answers[0] not in passage.text for passage in changed.passages)
            assert changed.passages[1] == question.passages[1]
        assert counterfactual_question(question, questions) == counterfactual_question(question, questions)
    assert placeholder_question(questions[0], 0) != placeholder_question(questions[0], 1)


def test_numbers_become_numbers_and_names_become_names():
    passage = QuestionPassage("a", "It was built on 16 July 1969 by Sir Rossi 2nd of Rome.", gold=True)
    date = Question("1", "When?", ("16 July 1969",), (passage,))
    [value] = placeholder_question(date).extra["substituted"]
    assert value.split()[1] == "July"
    assert [len(part) for part in value.split()] == [2, 4, 4]
    name = Question("1", "Who?", ("Sir Rossi 2nd of Rome",), (passage,))
    assert placeholder_question(name).extra["substituted"][0].istitle()


@pytest.mark.parametrize(
    ("asked", "answers"),
    [
        ("Is it?", ("yes",)),
        ("Rome or Oslo?", ("Rome",)),
        ("Where?", ("Paris",)),
        ("Where?", ("a " * 9,)),
        ("Where?", ()),
    ],
)
def test_what_cannot_be_changed_is_left_alone(asked, answers):
    question = replace(toy_questions(1)[0], question=asked, answers=answers)
    assert placeholder_question(question) is None
    assert counterfactual_question(question, toy_questions()) is None


def test_without_evidence_nothing_answers():
    robbed = without_evidence(toy_questions(1)[0])
    assert robbed.answerable is False
    assert [passage.gold for passage in robbed.passages] == [False]
    assert without_evidence(replace(toy_questions(1)[0], passages=())) is None


def test_without_evidence_no_other_passage_tells_the_answer_either():
    question = toy_questions(1)[0]
    [answer, *_] = question.answers
    plain = QuestionPassage("plain", "Nothing of the kind.", gold=False)
    telling = [
        QuestionPassage("text", f"Elsewhere it says {answer.upper()}.", gold=False),
        QuestionPassage("title", "A note.", title=f"On {answer}", gold=None),
    ]
    robbed = without_evidence(replace(question, passages=(*question.passages, *telling, plain)))
    assert "plain" in {passage.id for passage in robbed.passages}
    assert not {"text", "title"} & {passage.id for passage in robbed.passages}
    trivial = replace(question, answers=("yes",), passages=(QuestionPassage("p", "yes, it is.", gold=False),))
    assert without_evidence(trivial).passages == trivial.passages


def test_a_whole_evaluation_at_toy_size():
    settings = EvaluationSettings(max_tokens=3, noise=1, variants=1)
    questions = [*toy_questions(3), replace(toy_questions(4)[3], answerable=False)]
    found = GeneratorEvaluator(tiny_language_model(), settings)(questions)
    assert found.reliance.with_documents.n_scored == found.reliance.closed_book.n_scored == 3
    assert found.contribution.n_scored == 3
    assert found.silence.n_scored == 1
    assert found.placeholder.n_scored == found.following.n_scored == found.noise.n_scored == 3
    assert found.perplexity.mean > 1
    assert found == GeneratorEvaluator(tiny_language_model(), settings)(questions)
