from __future__ import annotations

import json
from pathlib import Path

import pytest

from fonte.errors import ModelError
from fonte.models import installed, model_folder, resolve


def test_the_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("FONTE_MODELS", str(tmp_path / "m"))
    assert model_folder() == tmp_path / "m"
    monkeypatch.delenv("FONTE_MODELS")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "c"))
    assert model_folder() == tmp_path / "c" / "fonte" / "models"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert model_folder() == Path.home() / ".cache" / "fonte" / "models"


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("FONTE_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


def test_names_paths_and_what_is_neither(folder, tmp_path, monkeypatch):
    card = {"kind": "embedder", "origin": "o", "licence": "MIT", "weights": "ab"}
    (folder / "mine").mkdir(parents=True)
    (folder / "mine" / "model.json").write_text(json.dumps(card))
    (folder / "half").mkdir()
    (folder / "broken").mkdir()
    (folder / "broken" / "model.json").write_text("[]")
    assert resolve("mine") == folder / "mine"
    assert resolve(str(tmp_path)) == tmp_path
    assert [(entry.name, entry.licence, entry.weights) for entry in installed()] == [("mine", "MIT", "ab")]
    for name in ("half", "..", "", ".", "no/such/path/here", "/no/such/path", "a b"):
        if not Path(name).exists() or not name:
            with pytest.raises(ModelError, match="no model"):
                resolve(name)
    monkeypatch.chdir(tmp_path)


def test_a_missing_default_model_says_how_to_get_it(folder):
    with pytest.raises(ModelError, match="run: fonte download"):
        resolve("all-minilm-l6-v2")
    assert installed() == []


@pytest.mark.parametrize("name", ["someone/some-model", "someone/some-model/weights.gguf"])
def test_a_hub_id_offline_is_a_clear_error(folder, name):
    with pytest.raises(ModelError, match=r"Hugging Face hub: .*name its folder"):
        resolve(name, revision="abc")
