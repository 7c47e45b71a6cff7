from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from fonte import __version__
from fonte.errors import RecordError, StoreError
from fonte.records import AnswerRecord, ModelIdentity, Records, record_content_id
from fonte.values import Answer, Chunk, Passage, Prompt, PromptPassage, SegmentedPrompt


def record(question="Why?", document_id="d1", **more):
    passage = Passage(Chunk(document_id, "v1", "p1", 0, 0, 5, "Hello"), "a.md", 0.5)
    answer = Answer(question, "answered", "", "Hello.", passages=(passage,), seconds=(("retrieve", 0.1),), mode="quote")
    prompt = Prompt("Answer.", "Sources:\n", (PromptPassage("b4", "[b4] a.md\n", "Hello\n"),), f"Question: {question}")
    return AnswerRecord(
        **{
            "answer": answer,
            "prompt": prompt,
            "segments": SegmentedPrompt((1, 2), (((3,), (4, 5)),), (6,)),
            "language_model": ModelIdentity("smollm2", "f1"),
            "settings": {"generation": {"mode": "quote"}},
            "seed": 7,
            **more,
        }
    )


def test_save_and_get(records):
    saved = records.answers.save(record())
    assert saved.id == saved.answer.record == record_content_id(record())
    assert len(saved.id) == 16
    assert saved.fonte_version == __version__
    assert saved.created.endswith("Z")
    assert len(saved.created) == 27
    assert records.answers.get(saved.id) == saved
    assert records.answers.get(saved.id[:5]) == saved


def test_the_id_is_the_content_without_times(records):
    first = records.answers.save(record())
    slower = replace(record().answer, seconds=(("retrieve", 9.9),))
    second = records.answers.save(record(answer=slower, created="2020-01-01T00:00:00.000000Z", fonte_version="0.0.1"))
    third = records.answers.save(first)
    assert second.id == first.id + "-2"
    assert third.id == first.id + "-3"
    assert records.answers.get(first.id) == first
    assert records.answers.get(second.id) == second
    assert record_content_id(second) == first.id
    changed = [record("What?"), record(seed=8), record(settings={}), record(raw_text="x"), record(segments=None)]
    assert len({record_content_id(each) for each in [first, *changed]}) == 6
    records.answers.delete(first.id)
    assert records.answers.save(record()).id == first.id + "-4"


def test_a_prefix_must_be_unique(records):
    saved = [records.answers.save(record(f"Question {number}?")) for number in range(20)]
    firsts = [each.id[0] for each in saved]
    common = next(digit for digit in firsts if firsts.count(digit) > 1)
    with pytest.raises(RecordError, match=f"'{common}' begins {firsts.count(common)} records"):
        records.answers.get(common)
    for wanted in ("", "%", "_", "zz", "' OR 1=1", "\udce4", "0" * 17, saved[0].id + "-2"):
        with pytest.raises(RecordError, match="no record"):
            records.answers.get(wanted)


def test_list_newest_first(records):
    assert records.answers.list() == ()
    for day in (2, 3, 1):
        records.answers.save(record(f"Day {day}?", created=f"2024-01-0{day}T00:00:00.000000Z"))
    assert [each.question for each in records.answers.list()] == ["Day 3?", "Day 2?", "Day 1?"]
    assert [each.question for each in records.answers.list(1)] == ["Day 3?"]
    assert records.answers.list(0) == ()
    line = records.answers.list(1)[0]
    assert (line.status, line.mode, line.model) == ("answered", "quote", "smollm2")
    assert records.answers.count() == 3


def test_expire(records):
    now = datetime(2024, 5, 10, tzinfo=UTC)
    for days in (0, 1, 2, 30):
        moment = now - timedelta(days=days, seconds=1)
        records.answers.save(record(f"{days}?", created=moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")))
    assert records.answers.expire(2, now) == 2
    assert [each.question for each in records.answers.list()] == ["0?", "1?"]
    assert records.answers.expire(2, now) == 0
    assert records._database.rows("SELECT count(*) FROM answer_documents") == [(2,)]
    with pytest.raises(RecordError, match="at least one day"):
        records.answers.expire(0)


def test_delete(records):
    saved = records.answers.save(record())
    records.evaluations.put(saved.id, "likelihood", {"mask": 1.5})
    records.answers.delete(saved.id)
    with pytest.raises(RecordError, match="no record"):
        records.answers.get(saved.id)
    with pytest.raises(RecordError, match="no record"):
        records.answers.delete(saved.id)
    assert records._database.rows("SELECT count(*) FROM evaluations") == [(0,)]


def test_scores_that_are_no_numbers_are_refused(records):
    broken = replace(record().answer.passages[0], retrieval_score=float("nan"))
    with pytest.raises(RecordError, match="finite"):
        records.answers.save(record(answer=replace(record().answer, passages=(broken,))))
    assert records.answers.count() == 0


def test_a_damaged_record_is_an_error(records):
    saved = records.answers.save(record())
    records._database.run("UPDATE answers SET content = ?", (b"damage",))
    with pytest.raises(StoreError, match="damaged"):
        records.answers.get(saved.id)


def test_a_question_of_any_characters(records):
    question = "a\x00b \udce4 \u202e 你好 " + "long " * 4000
    saved = records.answers.save(record(question))
    assert records.answers.get(saved.id).answer.question == question
    assert records.answers.list()[0].question == question


def test_evaluations(records):
    saved = records.answers.save(record())
    records.evaluations.put(saved.id, "likelihood", {"m2": [-1.5, None], "m1": {"a": "\udce4"}})
    records.evaluations.put(saved.id, "likelihood", {"m1": 2})
    records.evaluations.put(saved.id, "effects", {"loo": []})
    assert records.evaluations.all(saved.id, "likelihood") == {"m1": 2, "m2": [-1.5, None]}
    assert records.evaluations.get(saved.id, "effects", "loo") == []
    assert records.evaluations.get(saved.id, "effects", "other") is None
    assert records.evaluations.kinds(saved.id) == ("effects", "likelihood")
    with pytest.raises(RecordError, match="no record"):
        records.evaluations.put("unknown", "likelihood", {"m": 1})
    with pytest.raises(RecordError, match="finite"):
        records.evaluations.put(saved.id, "likelihood", {"m3": 1, "m4": float("inf")})
    assert records.evaluations.get(saved.id, "likelihood", "m3") is None
    assert records.evaluations.remove(saved.id, "likelihood") == 2


def test_another_process_sees_the_record(records):
    saved = records.answers.save(record())
    with Records.open(records.path) as other:
        assert other.answers.get(saved.id) == saved
