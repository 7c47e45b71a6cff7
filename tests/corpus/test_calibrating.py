"""Calibration from files: which of them count, and what comes of it."""

import pytest

from fonte.chunking.chop import Continuity
from fonte.corpus import calibrating
from fonte.corpus.calibrating import calibrate
from fonte.errors import UsageError
from tests.chunking.chop.manuals import DEVICES, manual

DOUBTFUL = Continuity(shift=-20.0)


@pytest.fixture
def folder(tmp_path):
    """A folder with one manual per file, as plain text."""
    for seed, name in enumerate(DEVICES):
        text = "\n\n".join([f"{name} user manual", *manual(seed)])
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    return tmp_path


def test_only_files_that_are_one_document_count(folder):
    (folder / "empty.txt").write_text("  \n", "utf-8")
    (folder / "rows.csv").write_text("id,text\n1,The pump.\n2,The valve.\n", "utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4")
    found = calibrate([folder], Continuity())
    assert (found.files, found.used, found.left_out) == (len(DEVICES), len(DEVICES), 3)


def test_what_is_missed_now_is_found_with_the_fitted_settings(folder):
    found = calibrate([folder], DOUBTFUL)
    assert found.before.found == 0
    assert found.after.found == found.after.joins
    assert found.after.taken_apart == 0
    assert found.advised
    assert found.present == DOUBTFUL
    assert found == calibrate([folder], DOUBTFUL)


def test_nothing_is_advised_where_nothing_is_gained(folder):
    found = calibrate([folder], Continuity())
    assert found.before.mistakes == 0
    assert not found.advised


def test_the_fit_depends_on_the_files_alone(folder):
    assert calibrate([folder], Continuity()).fitted == calibrate([folder], DOUBTFUL).fitted


def test_too_few_files_are_said_and_nothing_comes_of_them(folder):
    (folder / f"{DEVICES[0]}.txt").unlink()
    with pytest.raises(UsageError, match=r"at least 8 files .* there are 7"):
        calibrate([folder], Continuity())


def test_a_folder_can_be_passed_over(folder):
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "corpus.json").write_text('{"text": "Format 1"}', "utf-8")
    assert calibrate([folder], Continuity(), [corpus]).files == len(DEVICES)


def test_of_very_many_files_some_are_drawn(folder, monkeypatch):
    monkeypatch.setattr(calibrating, "MOST_FILES", 4)
    found = calibrate([folder], Continuity())
    assert (found.files, found.used) == (len(DEVICES), 4)
