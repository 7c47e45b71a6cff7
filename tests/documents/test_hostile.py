"""Every file of a hostile folder ends in exactly one state with a reason a person understands, and the run goes on."""

import time

import pytest

from fonte.documents import discover, read_files
from tests.documents.hostile import make_hostile_folder
from tests.documents.making import check


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile")
    return path, make_hostile_folder(path, big=5 * 2**20)


@pytest.fixture(scope="module")
def states(folder):
    found = list(discover([folder[0]]))
    files = [(item.path, item.name) for item in found if not item.status]
    readings = [reading for _, reading in read_files(files, processes=2)]
    passed_over = {item.name: (item.status, item.reason, ()) for item in found if item.status}
    read = {
        name: (reading.status, reading.reason, reading.documents)
        for (_, name), reading in zip(files, readings, strict=True)
    }
    names = [item.name for item in found]
    assert len(set(names)) == len(names)
    return passed_over | {
        item.name: read[name] for item, name in zip([f for f in found if not f.status], read, strict=True)
    }


def test_every_file_ends_in_the_state_it_must(folder, states):
    assert {name: state for name, (state, _, _) in states.items()} == folder[1]


def test_every_state_but_read_has_a_reason(states):
    for name, (state, reason, documents) in states.items():
        assert bool(documents) == (state == "read"), name
        if state != "read":
            assert len(reason) > 15, name
            assert reason[-1] in ".?", (name, reason)
            assert "Error" not in reason or name == "hollow.docx", (name, reason)


def test_every_document_is_sound(states):
    for _, _, documents in states.values():
        for document in documents:
            check(document)
            document.source.encode("utf-8")
            document.name.encode("utf-8")
            assert "\n" not in document.name


def test_reasons_name_what_was_left_out(states):
    assert "Page 2 of 2" in states["partly scanned.pdf"][1]
    assert "line 2" in states["bad lines.jsonl"][1]
    assert "line 2" in states["open quote.csv"][1]
    assert [document.text for document in states["open quote.csv"][2]] == ["fine", "fine too"]
    assert "password" in states["encrypted.pdf"][1]
    assert "OCR" in states["scanned.pdf"][1]
    assert "bomb" in states["bomb.docx"][1]


def test_fifty_megabytes_of_text_take_seconds(tmp_path):
    path = tmp_path / "big.txt"
    path.write_text(("A line that says little, and says it again. " * 12 + "\n\n") * 100_000, encoding="utf-8")
    start = time.perf_counter()
    ((_, reading),) = read_files([(path, "big.txt")], processes=1)
    assert reading.status == "read"
    assert len(reading.documents[0].blocks) == 100_000
    assert time.perf_counter() - start < 60
