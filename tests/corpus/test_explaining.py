"""Explaining a recorded answer: effects by passage, by sentence, and what is kept with the record."""

import pytest

from fonte.attribution import attribute
from fonte.attribution.recording import from_json
from fonte.corpus.explaining import MEASUREMENT, Wish
from fonte.errors import UsageError
from fonte.generation.events import Finished, TextShown, fold
from fonte.records import AnswerRecord


@pytest.fixture
def record(corpus, library):
    """The id of a recorded answer with three passages and no citation."""
    corpus.add([library])
    passages = corpus.search("valve pump tank hose")
    events = [TextShown("The valve opens at 3 bar."), Finished("answered", "", "write")]
    answer = fold(events, "When does the valve open?", passages)
    return corpus.records.answers.save(AnswerRecord(answer=answer)).id


def test_every_passage_has_an_effect_with_an_interval(corpus, record):
    found = corpus.explain(record).to_json()
    assert [effect["passage_id"] for effect in found["effects"]] == [
        passage.id for passage in corpus.records.answers.get(record).answer.passages
    ]
    for effect in found["effects"]:
        assert effect["status"] in ("measured", "no_measurable_effect", "interchangeable")
        assert effect["low"] <= effect["value"] <= effect["high"]
    assert 0 <= found["memory_share"] <= 1
    assert found["tokens"]["computed"] <= found["tokens"]["naive"]
    assert set(found["tokens"]) >= {"computed", "shared", "floor", "naive"}


def test_the_record_keeps_what_gives_the_effects_again_without_the_model(corpus, record):
    found = corpus.explain(record)
    payload = corpus.records.evaluations.get(record, MEASUREMENT, "leave_one_out")
    again = attribute(*from_json(payload))
    assert again.effects == found.attribution.effects


def test_the_sentence_level_opens_passages_that_matter(corpus, record):
    found = corpus.explain(record, Wish(level="sentence"))
    strong = {e.passage_id for e in found.answer.effects if e.status in ("measured", "interchangeable")}
    opened = found.to_json()["opened"]
    assert {each["passage_id"] for each in opened} <= strong
    assert bool(opened) == bool(strong)


def test_an_unknown_level_is_refused(corpus, record):
    with pytest.raises(UsageError, match="sentence"):
        corpus.explain(record, Wish(level="word"))
