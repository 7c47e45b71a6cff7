"""Training data from a corpus's own answers: what was checked, and by whom."""

import pytest

from fonte.evaluation.questions import Question, QuestionPassage
from fonte.records import AnswerRecord, Records
from fonte.training.record_questions import questions_from_records
from fonte.values import Answer, Chunk, Citation, Passage


def passage(number, text):
    return Passage(Chunk(f"d{number}", "", "p", number, 0, len(text), text), f"doc{number}", 0.0)


FOUND = (passage(1, "The tower is 41 m high."), passage(2, "Bananas are yellow."))


def record(question, text, status="paraphrase", cited=0, answered="answered"):
    end = len(text)
    start = text.find("[1]")
    citation = Citation(FOUND[cited].id, "doc", None, (), 0, end, start, start + 3, 0, 5, "quote", "model", status)
    citations = (citation,) if start >= 0 else ()
    return AnswerRecord(Answer(question, answered, "", text, citations, FOUND))


@pytest.fixture
def records(tmp_path):
    with Records.open(tmp_path / "records.db") as opened:
        yield opened


def test_supported_citations_become_evidence(records):
    saved = records.answers.save(record("How high?", "It is 41 m high [1]."))
    records.answers.save(record("Unsupported?", "It is [1].", status="no_quote"))
    records.answers.save(record("Uncited?", "It is."))
    records.answers.save(record("Silent?", "It is [1].", answered="not_in_sources"))
    [found] = questions_from_records(records.answers)
    assert (found.id, found.question) == (saved.id, "How high?")
    assert found.answers == ("It is 41 m high.",)
    assert [one.gold for one in found.passages] == [True, False]
    assert found.extra["evidence"] == "citations"


def test_gold_wins_over_what_the_model_cited(records):
    records.answers.save(record("How high?", "It is yellow [1].", cited=1))
    marked = (QuestionPassage("g", "The  tower is\n41 m high.", gold=True),)
    gold = [Question("g", "how   high?", ("41 m",), marked)]
    [found] = questions_from_records(records.answers, gold)
    assert found.answers == ("41 m",)
    assert [one.gold for one in found.passages] == [True, False]
    assert found.extra["evidence"] == "gold"


def test_gold_that_was_not_retrieved_teaches_nothing(records):
    records.answers.save(record("How high?", "It is.", cited=1))
    gold = [Question("g", "How high?", ("41 m",), (QuestionPassage("g", "Elsewhere.", gold=True),))]
    assert questions_from_records(records.answers, gold) == []


def test_a_question_asked_twice_is_one_question(records):
    records.answers.save(record("How high?", "It is 41 m high [1]."))
    records.answers.save(record("What else?", "Bananas are yellow [1].", cited=1))
    records.answers.save(record("how  high?", "41 m [1]."))
    records.answers.save(record("How high?", "Unsupported."))
    found = questions_from_records(records.answers)
    assert [one.answers for one in found] == [("Bananas are yellow.",), ("41 m.",)]
