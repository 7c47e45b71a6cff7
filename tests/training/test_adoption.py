"""A corpus uses a trained model only after the guard, loads it in place of its start, and can go back."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fonte.cli.main import app
from fonte.errors import CorpusError, ModelError
from fonte.generation.trained import (
    adopt_generator,
    adopted_generators,
    install_generator,
    model_in_use,
    roll_back_generator,
)
from fonte.records import Records
from fonte.training.adoption import reason_to_refuse
from fonte.training.generator import GeneratorReport
from tests.tiny import tiny_language_model_folder


def report(before, after, questions=50, status="trained"):
    values = [{"held_back_accuracy": value, "held_back_questions": questions} for value in (before, after)]
    return GeneratorReport("folder", status, "", 1, 1, {}, *values, "", "")


def test_the_guard():
    assert reason_to_refuse(report(0.5, 0.6)) == ""
    assert reason_to_refuse(report(0.5, 0.5)) == ""
    assert "worse" in reason_to_refuse(report(0.5, 0.48))
    assert "9 held-back" in reason_to_refuse(report(0.5, 0.9, questions=9))
    assert "stopped" in reason_to_refuse(report(0.5, 0.9, status="stopped"))


@pytest.fixture
def models(tmp_path, monkeypatch):
    monkeypatch.setenv("FONTE_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


def test_adoption_and_the_way_back(tmp_path, models):
    with Records.open(tmp_path / "records.db") as records:
        assert model_in_use(records, "start") == "start"
        with pytest.raises(CorpusError, match="nothing to go back"):
            roll_back_generator(records)
        entries = []
        for seed in (1, 2):
            trained = tmp_path / f"trained{seed}"
            shutil.copytree(tiny_language_model_folder(seed=seed), trained)
            entries.append(install_generator(trained, "start"))
            adopt_generator(records, entries[-1])
            assert not trained.exists()
        assert adopted_generators(records) == (entries[1], entries[0])
        assert model_in_use(records, "start") == entries[1].name
        assert model_in_use(records, "another") == "another"
        from fonte.models import LocalLanguageModel

        assert LocalLanguageModel.from_pretrained(entries[1].name, dtype="float32").fingerprint
        assert roll_back_generator(records) == entries[0]
        assert model_in_use(records, "start") == entries[0].name
        (models / entries[0].name / "config.json").write_text("{}")
        with pytest.raises(ModelError, match="content has changed"):
            model_in_use(records, "start")
        shutil.rmtree(models / entries[0].name)
        with pytest.raises(ModelError, match="not in your model folder"):
            model_in_use(records, "start")
        assert roll_back_generator(records) is None
        assert model_in_use(records, "start") == "start"


def test_the_command_asks_for_what_it_needs(tmp_path):
    for arguments in (["train", "generator"], ["train", "generator", "--rollback"]):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code != 0
        assert "Say w" in str(result.exception)
    bad = tmp_path / "recipe.toml"
    bad.write_text("stepz = 3\n")
    (tmp_path / "data.jsonl").write_text(json.dumps({"id": "1", "question": "?"}) + "\n")
    command = ["train", "generator", "--data", str(tmp_path / "data.jsonl"), "--output", str(tmp_path / "o")]
    result = CliRunner().invoke(app, [*command, "--config", str(bad)])
    assert "unknown key 'stepz'" in str(result.exception)


def test_a_corpus_takes_the_model_up_and_goes_back(tmp_path, models, monkeypatch):
    pytest.importorskip("trl")
    from fonte import Corpus
    from fonte.evaluation import write_questions
    from fonte.settings import Settings
    from tests.training.toy import toy_questions

    start = str(tiny_language_model_folder())
    monkeypatch.setenv("FONTE_LANGUAGE_MODEL__MODEL", start)
    corpus = tmp_path / "corpus"
    Corpus.open(corpus, Settings.load(), create=True).close()
    write_questions(tmp_path / "questions.jsonl", toy_questions(12))
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('max_tokens = 2\ngroup = 2\nbatch = 2\nheld_back = 10\n[reward]\nreward = "clr"\nthreshold = 0\n')
    command = ["train", "generator", "--data", str(tmp_path / "questions.jsonl"), "--output", str(tmp_path / "model")]
    options = ["--corpus", str(corpus), "--config", str(recipe), "--steps", "1", "--prompt", "brief", "--json"]
    result = CliRunner().invoke(app, [*command, *options])
    assert result.exit_code == 0, (result.output, result.exception)
    said = json.loads(result.stdout)
    assert said["refused"] == ""
    assert Path(said["folder"]).parent == models
    for place in (said["folder"], said["curves"], *([said["picture"]] if said["picture"].endswith(".png") else [])):
        assert Path(place).exists()  # where the model lies now
    with Corpus.open(corpus) as opened:
        [entry] = adopted_generators(opened.records)
        assert entry.base == start
        assert opened.language_model.name == entry.name
    back = CliRunner().invoke(app, ["train", "generator", "--rollback", "--corpus", str(corpus), "--json"])
    assert json.loads(back.stdout) == {"generator": None}
    with Corpus.open(corpus) as opened:
        assert opened.language_model.name == start
