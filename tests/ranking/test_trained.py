"""The re-ranker that a corpus was given: adopted, rolled back, and never brought along by the corpus itself."""

import json
import shutil

import pytest

from fonte.errors import CorpusError, ModelError
from fonte.models.trained import Adopted
from fonte.ranking.trained import RERANKER, adopt, adopted, install, load_trained, roll_back
from fonte.records import Records
from tests.tiny import tiny_reranker_folder


@pytest.fixture
def records(tmp_path, monkeypatch):
    monkeypatch.setenv("FONTE_MODELS", str(tmp_path / "models"))
    with Records.open(tmp_path / "records.db", create=True) as opened:
        yield opened


def trained(tmp_path, seed):
    return shutil.copytree(tiny_reranker_folder(seed=seed), tmp_path / f"trained-{seed}", dirs_exist_ok=True)


def test_adopting_and_going_back(records, tmp_path):
    assert adopted(records) == ()
    with pytest.raises(CorpusError, match="nothing to go back"):
        roll_back(records)
    first, second = (install(trained(tmp_path, seed), 0.3 + seed / 10, "base") for seed in (0, 1))
    assert first != second
    adopt(records, first)
    adopt(records, second)
    assert adopted(records) == (second, first)
    reranker, weight = load_trained(second)
    assert weight == 0.4
    assert reranker.fingerprint == second.fingerprint
    assert roll_back(records) == first
    assert load_trained(adopted(records)[0])[1] == 0.3
    assert roll_back(records) is None
    assert adopted(records) == ()


def test_the_same_content_is_the_same_model(tmp_path, records):
    first = install(trained(tmp_path, 0), 0.5, "base")
    assert install(trained(tmp_path, 0), 0.5, "base") == first
    assert install(trained(tmp_path, 0), 0.6, "base") != first


def test_a_corpus_cannot_bring_or_name_what_is_not_in_the_model_folder(records, tmp_path):
    entry = install(trained(tmp_path, 0), 0.5, "base")
    folder = tmp_path / "models" / entry.name
    with pytest.raises(ModelError, match="not in your model folder"):
        load_trained(Adopted("reranker-elsewhere", entry.fingerprint))
    with pytest.raises(ModelError, match="not in your model folder"):
        load_trained(Adopted(f"../models/{entry.name}", entry.fingerprint))
    (folder / "fusion.json").write_text(json.dumps({"weight": 0.9}))
    with pytest.raises(ModelError, match="has changed"):
        load_trained(entry)
    records.facts.set(RERANKER.fact, [{"name": "x"}])
    with pytest.raises(CorpusError, match="damaged"):
        adopted(records)
