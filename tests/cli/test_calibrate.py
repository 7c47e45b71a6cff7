"""`fonte calibrate`: what it prints, and that the lines it prints can be used."""

import tomllib

import pytest

from fonte.settings import Settings
from tests.chunking.chop.manuals import DEVICES, manual


@pytest.fixture
def manuals(tmp_path):
    folder = tmp_path / "manuals"
    folder.mkdir()
    for seed, name in enumerate(DEVICES):
        (folder / f"{name}.txt").write_text("\n\n".join([f"{name} user manual", *manual(seed)]), "utf-8")
    return folder


def test_json_has_both_sides_and_lines_that_settings_accept(fonte, manuals, tmp_path, monkeypatch):
    monkeypatch.setenv("FONTE_CHOP__SHIFT", "-20")
    found = fonte("calibrate", manuals, "--json").json
    assert set(found) == {"files", "used", "left_out", "joins", "before", "after", "advised", "toml"}
    assert set(found["before"]) == {"slope", "shift", "joins", "found", "false", "taken_apart"}
    assert (found["files"], found["joins"], found["before"]["shift"]) == (8, 21, -20.0)
    assert found["before"]["found"] == 0
    assert found["after"]["found"] == 21
    assert found["advised"]
    monkeypatch.delenv("FONTE_CHOP__SHIFT")
    (tmp_path / "fonte.toml").write_text(found["toml"], "utf-8")
    loaded = Settings.load(tmp_path).chop
    assert (loaded.slope, loaded.shift) == (found["after"]["slope"], found["after"]["shift"])


def test_people_see_the_table_and_the_lines(fonte, manuals, monkeypatch):
    assert "Nothing is gained" in fonte("calibrate", manuals).out
    monkeypatch.setenv("FONTE_CHOP__SHIFT", "-20")
    run = fonte("calibrate", manuals)
    assert run.code == 0
    assert "8 files (0 left out), 8 joined, 21 joins tested" in run.out
    assert "ends of documents found" in run.out
    assert set(tomllib.loads(run.out[run.out.index("[chop]") :])["chop"]) == {"slope", "shift"}


def test_too_few_files_are_a_usage_error_and_nothing_is_made(fonte, library, tmp_path):
    run = fonte("calibrate", library)
    assert (run.code, run.out) == (2, "")
    assert "at least 8 files" in run.err
    assert not (tmp_path / "fonte-corpus").exists()
    assert fonte("calibrate", "missing").code == 2


def test_a_calibration_that_means_nothing_is_refused(fonte, manuals, monkeypatch):
    for value in ("0", "-1", "inf", "nan"):
        monkeypatch.setenv("FONTE_CHOP__SLOPE", value)
        run = fonte("calibrate", manuals)
        assert run.code == 2
        assert "slope" in run.err
