"""What counts as vanished, and when taking it out of the corpus is refused."""

import pytest

from fonte.chunking import chunker_from
from fonte.corpus.ingest import Ingest
from fonte.documents import discover
from fonte.errors import UsageError


def names(corpus):
    return {entry.document for entry in corpus.documents()}


def test_a_root_with_two_dots_is_the_same_root(corpus, library, monkeypatch):
    corpus.add([library])
    (library / "manuals" / "pump.html").unlink()
    monkeypatch.chdir(library / "manuals")
    root = "../../library"
    assert corpus.add([root]).vanished == (str(library / "manuals" / "pump.html"),)
    assert corpus.add([root], prune=True, force=True).counts == {"removed": 1, "unchanged": 2}
    assert corpus.status()["documents"] == 3


@pytest.mark.parametrize("kind", ["hidden", "link"])
def test_what_lies_below_a_folder_that_was_passed_over_has_not_vanished(corpus, library, tmp_path, kind):
    folder = library / (".notes" if kind == "hidden" else "notes")
    if kind == "hidden":
        folder.mkdir()
    else:
        (tmp_path / "elsewhere").mkdir()
        folder.symlink_to(tmp_path / "elsewhere")
    (folder / "own.txt").write_text("The lamp is green.", "utf-8")
    corpus.add([library, folder])
    assert "own.txt" in names(corpus)
    report = corpus.add([library], prune=True, force=True)
    assert report.vanished == ()
    assert "removed" not in report.counts
    assert "own.txt" in names(corpus)


def test_an_empty_root_beside_a_full_one_is_refused(corpus, library, tmp_path):
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    (mounted / "lamp.txt").write_text("The lamp is green.", "utf-8")
    for number in range(8):
        (library / f"{number}.txt").write_text(f"Number {number} is a number.", "utf-8")
    corpus.add([library, mounted])
    (mounted / "lamp.txt").rename(mounted / ".hidden.txt")  # what is skipped is no sign of life
    with pytest.raises(UsageError, match="Is the disk mounted"):
        corpus.add([library, mounted], prune=True)
    assert "lamp.txt" in names(corpus)
    assert corpus.add([library, mounted], prune=True, force=True).counts["removed"] == 1


def test_pruning_takes_out_what_a_killed_run_had_written(corpus, library, monkeypatch):
    corpus.add([library])
    late = library / "late.txt"
    late.write_text("The horn is loud.", "utf-8")

    class Killed(BaseException):
        pass

    def die(*_):
        raise Killed

    index = corpus.index
    ingest = Ingest(corpus.records, index.store, index.embedder, chunker_from(corpus.settings.chunking, index.embedder))
    monkeypatch.setattr(ingest, "_commit", die)  # the index is written, the ledger not
    with pytest.raises(Killed):
        list(ingest.run([(found, str(library)) for found in discover([late])], False, lambda done, total: None))
    late.unlink()
    assert corpus.search("horn")
    assert corpus.add([library]).vanished == (str(late),)
    corpus.add([library], prune=True)
    assert corpus.search("horn") == []
    assert corpus.status()["chunks"] == corpus.status()["index_rows"] == 4
