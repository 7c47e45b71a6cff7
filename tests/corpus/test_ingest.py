"""Adding files: one state each, nothing doubled, nothing lost."""

import json
from pathlib import Path

import pytest

from fonte.corpus import Corpus
from fonte.corpus import ingest as ingest_module
from fonte.documents.clean import readable_name
from fonte.errors import CorpusError, UsageError
from tests.documents.hostile import make_hostile_folder

STATE_OF = {"read": "indexed", "no_text": "no_text", "skipped": "skipped", "failed": "failed"}


def states(report):
    return {file.path.rsplit("/", 1)[-1]: file.state for file in report.files}


def rows(corpus):
    return {key: (state.version, state.chunks) for key, state in corpus.index.store.document_states().items()}


def test_a_folder_is_indexed_and_then_unchanged(corpus, library):
    first = corpus.add([library])
    assert first.counts == {"indexed": 3}
    assert not first.incomplete
    assert corpus.status()["documents"] == 4
    assert corpus.status()["chunks"] == corpus.status()["index_rows"] == sum(file.chunks for file in first.files)
    assert corpus.add([library]).counts == {"unchanged": 3}


def test_every_chunk_is_a_slice_of_its_document(corpus, library):
    corpus.add([library])
    for entry in corpus.documents():
        view = corpus.show(entry.document)
        assert len(view.chunks) == entry.chunks
        for chunk in view.chunks:
            assert view.document.text[chunk.start : chunk.end] == chunk.text


def test_a_changed_file_replaces_its_documents_only(corpus, library):
    corpus.add([library])
    before = rows(corpus)
    (library / "manuals" / "valve.md").write_text("# Valve 8\n\nThe valve opens at 4 bar.\n", "utf-8")
    report = corpus.add([library])
    assert states(report) == {"valve.md": "replaced", "pump.html": "unchanged", "rows.jsonl": "unchanged"}
    after = rows(corpus)
    assert before.keys() == after.keys()
    assert sum(before[key] != after[key] for key in before) == 1
    assert "4 bar" in corpus.show("valve.md").document.text


def test_rows_that_leave_a_file_leave_the_index(corpus, library):
    corpus.add([library])
    (library / "rows.jsonl").write_text('{"id": "b", "text": "The hose is 6 metres long."}\n', "utf-8")
    assert states(corpus.add([library]))["rows.jsonl"] == "replaced"
    names = [entry.source.rsplit("#", 1)[-1] for entry in corpus.documents() if "#" in entry.source]
    assert names == ["b"]
    assert len(rows(corpus)) == 3


def test_a_failed_replacement_keeps_the_old_version(corpus, library):
    corpus.add([library])
    (library / "manuals" / "valve.md").write_bytes(b"")
    report = next(file for file in corpus.add([library]).files if file.path.endswith("valve.md"))
    assert report.state == "no_text"
    assert "stays searchable" in report.reason
    assert report.chunks == 1
    assert "3 bar" in corpus.show("valve.md").document.text
    (library / "manuals" / "valve.md").write_text("# Valve 9\n\nIt opens at 9 bar.\n", "utf-8")
    assert states(corpus.add([library]))["valve.md"] == "replaced"


def test_other_chunk_settings_cut_again_what_did_not_change(tmp_path, library, settings):
    with Corpus.open(tmp_path / "corpus", settings, create=True) as corpus:
        corpus.add([library])
    other = settings.model_copy(update={"chunking": settings.chunking.model_copy(update={"tokens": 40})})
    with Corpus.open(tmp_path / "corpus", other) as corpus:
        assert corpus.add([library]).counts == {"replaced": 3}
        assert corpus.add([library]).counts == {"unchanged": 3}


def test_files_found_twice_are_added_once(corpus, library):
    assert corpus.add([library, library / "manuals", library / "rows.jsonl"]).counts == {"indexed": 3}


def test_the_corpus_is_never_part_of_itself(library, settings):
    with Corpus.open(library / "corpus", settings, create=True) as corpus:
        assert corpus.add([library]).counts == {"indexed": 3}
        assert corpus.add([library]).counts == {"unchanged": 3}


def test_vanished_files_are_reported_and_pruned_only_when_asked(corpus, library):
    corpus.add([library])
    gone = library / "manuals" / "pump.html"
    gone.unlink()
    report = corpus.add([library])
    assert report.vanished == (str(gone),)
    assert corpus.status()["documents"] == 4
    with pytest.raises(UsageError, match="more than a fifth"):
        corpus.add([library], prune=True)
    report = corpus.add([library], prune=True, force=True)
    assert states(report)["pump.html"] == "removed"
    assert corpus.status()["documents"] == 3
    assert corpus.add([library]).vanished == ()


def test_a_file_that_moves_stays_closed(corpus, library):
    corpus.add([library])
    pump = library / "manuals" / "pump.html"
    corpus.records.groups.set(str(pump), ["service"])
    moved = pump.rename(pump.with_name("moved.html"))
    files = {Path(file.path).name: file for file in corpus.add([library], prune=True, force=True).files}
    assert "for service only" in files["moved.html"].reason
    assert corpus.records.groups.of_sources()[str(moved)] == {"service"}
    [document] = [entry for entry in corpus.records.documents.list() if entry.name.endswith("moved.html")]
    assert corpus.records.groups.hidden(["sales"]) == {document.document_id}
    opened = moved.with_name("opened.html")
    opened.write_text(moved.read_text("utf-8"), "utf-8")
    corpus.records.groups.set(str(opened), ["sales"])
    corpus.add([library])
    assert corpus.records.groups.of_sources()[str(opened)] == {"sales"}, "who has groups of his own keeps them"


def test_pruning_an_emptied_root_is_refused(corpus, library):
    corpus.add([library])
    for path in library.rglob("*.*"):
        path.unlink()
    with pytest.raises(UsageError, match="Is the disk mounted"):
        corpus.add([library], prune=True)
    assert corpus.status()["documents"] == 4


def test_pruning_works_below_the_given_roots_only(corpus, library):
    corpus.add([library])
    (library / "rows.jsonl").unlink()
    assert corpus.add([library / "manuals"], prune=True, force=True).counts == {"unchanged": 2}
    assert corpus.status()["documents"] == 4


def test_a_path_that_does_not_exist_changes_nothing(corpus, library):
    with pytest.raises(UsageError, match="nothing at"):
        corpus.add([library, library / "missing"])
    assert corpus.status()["documents"] == 0


def test_a_folder_with_other_files_does_not_become_a_corpus(library, settings):
    with pytest.raises(CorpusError, match="not empty"):
        Corpus.open(library, settings, create=True)


def test_failed_files_are_not_read_again_until_they_change_or_retry_is_asked(corpus, library):
    (library / "bad.pdf").write_bytes(b"%PDF-1.4 nothing")
    assert states(corpus.add([library]))["bad.pdf"] == "failed"
    assert corpus.records.ledger.get(str(library / "bad.pdf")).state == "failed"
    assert states(corpus.add([library]))["bad.pdf"] == "failed"
    assert states(corpus.add([library], retry=True))["bad.pdf"] == "failed"


def test_a_file_that_is_passed_over_again_is_not_written_again(corpus, library):
    (library / "picture.png").write_bytes(b"\x89PNG")
    corpus.add([library])
    before = corpus.records.ledger.get(str(library / "picture.png"))
    assert corpus.add([library]).counts == {"unchanged": 3, "skipped": 1}
    assert corpus.records.ledger.get(str(library / "picture.png")) == before


def test_a_text_over_the_limit_is_skipped_with_the_numbers(corpus, library, monkeypatch):
    monkeypatch.setattr(ingest_module, "CHARACTERS_AT_MOST", 100)
    (library / "long.txt").write_text("word " * 100, "utf-8")
    report = next(file for file in corpus.add([library]).files if file.path.endswith("long.txt"))
    assert report.state == "skipped"
    assert "limit is 100" in report.reason


def test_hostile_files_each_end_in_one_state_with_a_reason(corpus, tmp_path):
    folder = tmp_path / "hostile"
    folder.mkdir()
    expected = make_hostile_folder(folder, big=30_000_000)
    report = corpus.add([folder])
    found = {corpus_name(folder, file.path): file for file in report.files}
    assert len(found) == len(report.files)
    for name, status in expected.items():
        wanted = "skipped" if name == "big.txt" else STATE_OF[status]
        assert found[name].state == wanted, (name, found[name])
        assert wanted == "indexed" or found[name].reason, name
    assert report.incomplete
    json.dumps(report.to_json())
    counts = corpus.status()
    assert counts["chunks"] == counts["index_rows"]


def corpus_name(folder, path):
    return readable_name(path.removeprefix(f"{folder}/"))
