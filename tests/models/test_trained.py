"""What re-rankers and generators share: a note in the corpus, a folder of the user's, and the way back."""

import threading
from dataclasses import dataclass

import pytest

from fonte.errors import CorpusError, ModelError
from fonte.generation.trained import GENERATOR
from fonte.models.trained import KEPT, Adopted, TrainedKind
from fonte.ranking.trained import RERANKER
from fonte.records import Records


@dataclass(frozen=True, slots=True)
class Cut(Adopted):
    shape: str


TAILOR = TrainedKind(Cut, "tailor", "tailor", "tailor_shop")


@pytest.fixture
def records(tmp_path, monkeypatch):
    monkeypatch.setenv("FONTE_MODELS", str(tmp_path / "models"))
    with Records.open(tmp_path / "records.db", create=True) as opened:
        yield opened


def test_the_last_ones_are_kept_and_each_only_once(records):
    entries = [Cut(f"tailor-{number}", str(number), "wide") for number in range(KEPT + 3)]
    for entry in entries:
        TAILOR.adopt(records, entry)
    assert TAILOR.adopted(records) == tuple(reversed(entries))[:KEPT]
    TAILOR.adopt(records, entries[-3])
    assert TAILOR.adopted(records)[:3] == (entries[-3], entries[-1], entries[-2])
    assert len(TAILOR.adopted(records)) == KEPT
    for _ in range(KEPT - 1):
        assert TAILOR.roll_back(records) is not None
    assert TAILOR.roll_back(records) is None
    with pytest.raises(CorpusError, match="no trained tailor"):
        TAILOR.roll_back(records)


def test_what_is_adopted_at_the_same_time_is_all_kept(records):
    def adopt(number):
        for turn in range(2):
            TAILOR.adopt(records, Cut(f"tailor-{number}", str(turn), "wide"))

    threads = [threading.Thread(target=adopt, args=(number,)) for number in range(KEPT // 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(TAILOR.adopted(records)) == KEPT // 2 * 2


def test_kinds_do_not_meet(records):
    TAILOR.adopt(records, Cut("tailor-1", "1", "wide"))
    assert RERANKER.adopted(records) == GENERATOR.adopted(records) == ()


@pytest.mark.parametrize("kind", [RERANKER, GENERATOR, TAILOR])
@pytest.mark.parametrize("note", [[{"name": "x"}], [3], 7])
def test_a_damaged_note_is_named(records, kind, note):
    records.facts.set(kind.fact, note)
    with pytest.raises(CorpusError, match=f"trained {kind.noun} is damaged"):
        kind.adopted(records)


@pytest.mark.parametrize("name", ["tailor-1", "../records.db", "/etc", ""])
def test_only_what_lies_in_the_model_folder_is_found(records, name):
    with pytest.raises(ModelError, match=r"not in your model folder.*fonte train tailor --rollback.*\[tailor_shop\]"):
        TAILOR.folder_of(Cut(name, "1", "wide"))
