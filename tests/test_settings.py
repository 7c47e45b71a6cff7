"""Which source of settings wins, and what a mistake in one looks like."""

import pytest

from fonte.errors import SettingsError
from fonte.settings import Settings

KEY = "sk-verysecret"


@pytest.fixture
def user_file(tmp_path, monkeypatch):
    path = tmp_path / "user.toml"
    monkeypatch.setenv("FONTE_CONFIG", str(path))
    return path


def test_flags_win_over_environment_over_user_over_corpus_over_defaults(tmp_path, user_file, monkeypatch):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "fonte.toml").write_text("[retrieval]\npassages = 3\ncandidates = 30\nrank_constant = 31\n", "utf-8")
    user_file.write_text("[retrieval]\npassages = 4\ncandidates = 40\n[generation]\nseed = 4\n", "utf-8")
    monkeypatch.setenv("FONTE_RETRIEVAL__PASSAGES", "5")
    monkeypatch.setenv("FONTE_GENERATION__SEED", "5")
    found = Settings.load(corpus, {"generation": {"seed": 6, "mode": None}})
    assert (found.retrieval.passages, found.retrieval.candidates, found.retrieval.rank_constant) == (5, 40, 31)
    assert (found.generation.seed, found.generation.mode, found.retrieval.mode) == (6, "auto", "hybrid")


@pytest.mark.parametrize(
    "text",
    [
        f'[language_model]\napikey = "{KEY}"\n',
        f'[languagemodel]\napi_key = "{KEY}"\n',
        f'[language_model]\napi_key = ["{KEY}"]\n',
    ],
)
def test_a_misspelt_key_is_named_and_not_shown(user_file, text):
    user_file.write_text(text, "utf-8")
    with pytest.raises(SettingsError) as error:
        Settings.load()
    assert "language" in str(error.value)
    assert KEY not in str(error.value)


@pytest.mark.parametrize("name", ["FONTE_CHUNKING", "FONTE_RETRIEVAL"])
def test_a_variable_that_is_not_json_is_a_settings_error(user_file, monkeypatch, name):
    monkeypatch.setenv(name, "not json")
    with pytest.raises(SettingsError, match=name.removeprefix("FONTE_").lower()):
        Settings.load()


def test_a_value_out_of_range_is_shown(user_file, monkeypatch):
    monkeypatch.setenv("FONTE_RETRIEVAL__PASSAGES", "1000")
    with pytest.raises(SettingsError, match="1000"):
        Settings.load()
