import contextlib
import hashlib
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import ReadError, StoreError
from fonte.records import STATES, IndexedDocument, Records, SourceFile, content_fingerprint
from fonte.values import Document


def file(source="/docs/a.md", root="/docs"):
    return SourceFile(source, root, source.removeprefix(root + "/"))


def made(source="/docs/a.md", text="text"):
    return Document(source, source.rsplit("/", 1)[-1], "", text, "text", "test 1")


def index(records, source, *documents, content="c1", pipeline="p1"):
    """What an ingest does, without the index."""
    records.ledger.begin([file(source)])
    records.ledger.prepare(source, documents)
    entries = [IndexedDocument(document.id, document.version, 2) for document in documents]
    records.ledger.commit(source, content, pipeline, entries)


def test_a_file_goes_from_pending_to_indexed(records):
    records.ledger.begin([file()])
    pending = records.ledger.get("/docs/a.md")
    assert (pending.state, pending.root, pending.name, pending.content) == ("pending", "/docs", "a.md", "")
    assert not pending.unchanged("", "")
    document = made()
    records.ledger.prepare("/docs/a.md", [document])
    assert records.documents.list() == ()
    records.ledger.commit("/docs/a.md", "c1", "p1", [IndexedDocument(document.id, document.version, 3)])
    entry = records.ledger.get("/docs/a.md")
    assert (entry.state, entry.reason, entry.chunks, entry.documents) == ("indexed", "", 3, ((document.id, 3),))
    assert entry.unchanged("c1", "p1")
    assert not entry.unchanged("c2", "p1")
    assert not entry.unchanged("c1", "p2")
    assert records.ledger.states() == {"pending": 0, "indexed": 1, "no_text": 0, "skipped": 0, "failed": 0}
    assert records.ledger.chunk_counts() == {document.id: 3}
    assert records.documents.load(document.id) == document


def test_paperqa_1355_failed_files_are_remembered_and_tried_again_when_something_changed(records):
    records.ledger.begin([file()])
    records.ledger.settle("/docs/a.md", "failed", "The PDF is encrypted.", "c1", "p1")
    entry = records.ledger.get("/docs/a.md")
    assert (entry.state, entry.reason) == ("failed", "The PDF is encrypted.")
    assert entry.unchanged("c1", "p1")
    assert not entry.unchanged("c2", "p1")
    index(records, "/docs/a.md", made())
    assert records.ledger.get("/docs/a.md").reason == ""


def test_a_failed_replacement_keeps_the_old_version(records):
    old, new = made(text="old"), made(text="new")
    index(records, "/docs/a.md", old)
    records.ledger.begin([file()])
    assert records.ledger.get("/docs/a.md").documents == ((old.id, 2),)
    records.ledger.prepare("/docs/a.md", [new])
    records.ledger.settle("/docs/a.md", "failed", "broken", "c2", "p1")
    entry = records.ledger.get("/docs/a.md")
    assert (entry.state, entry.documents, entry.content) == ("failed", ((old.id, 2),), "c2")
    assert records.documents.load(old.id) == old
    assert records.documents.versions(old.id) == (old.version,)


def test_a_first_run_that_fails_leaves_no_document(records):
    records.ledger.begin([file()])
    records.ledger.prepare("/docs/a.md", [made()])
    records.ledger.settle("/docs/a.md", "failed", "no room", "c1", "p1")
    assert records.ledger.stale("/docs/a.md") == ()
    assert records.documents.versions(made().id) == ()


def test_rows_that_vanish_from_a_file_are_stale_and_dropped(records):
    rows = [made(f"/docs/rows.jsonl#{number}") for number in range(4)]
    index(records, "/docs/rows.jsonl", *rows)
    assert records.ledger.get("/docs/rows.jsonl").chunks == 8
    kept = [*rows[1:3], made("/docs/rows.jsonl#9")]
    records.ledger.begin([file("/docs/rows.jsonl")])
    records.ledger.prepare("/docs/rows.jsonl", kept[:2])
    records.ledger.prepare("/docs/rows.jsonl", kept[2:])
    ids = {document.id for document in kept}
    assert set(records.ledger.stale("/docs/rows.jsonl", ids)) == {rows[0].id, rows[3].id}
    records.ledger.commit("/docs/rows.jsonl", "c2", "p1", [IndexedDocument(d.id, d.version, 1) for d in kept])
    assert records.ledger.stale("/docs/rows.jsonl", ids) == ()
    assert {entry.document_id for entry in records.documents.list()} == ids
    assert records.ledger.chunk_counts() == dict.fromkeys(ids, 1)


def test_killed_before_the_commit_the_file_is_pending_and_its_planned_documents_are_known(records):
    document = made()
    records.ledger.begin([file()])
    records.ledger.prepare("/docs/a.md", [document])
    entry = records.ledger.get("/docs/a.md")
    assert (entry.state, entry.documents) == ("pending", ())
    assert records.ledger.stale("/docs/a.md") == (document.id,)
    records.ledger.remove("/docs/a.md")
    assert records.ledger.get("/docs/a.md") is None
    assert records.documents.versions(document.id) == ()


def test_wrong_order_is_refused_and_changes_nothing(records):
    document = made()
    with pytest.raises(StoreError):
        records.ledger.prepare("/docs/a.md", [document])
    assert records.documents.versions(document.id) == ()
    with pytest.raises(ValueError, match="not begun"):
        records.ledger.settle("/docs/a.md", "failed", "x", "", "")
    records.ledger.begin([file()])
    with pytest.raises(StoreError, match="not archived"):
        records.ledger.commit("/docs/a.md", "c", "p", [IndexedDocument(document.id, document.version, 1)])
    with pytest.raises(ValueError, match="no_text"):
        records.ledger.commit("/docs/a.md", "c", "p", [])
    for state, reason in (("failed", ""), ("indexed", "x"), ("wrong", "x")):
        with pytest.raises(ValueError, match="settled as"):
            records.ledger.settle("/docs/a.md", state, reason, "", "")
    assert records.ledger.get("/docs/a.md").state == "pending"


def test_a_commit_takes_part_in_a_larger_transaction(records):
    document = made()

    def work():
        with records.transaction():
            index(records, "/docs/a.md", document)
            records.facts.set("index", "second")
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        work()
    assert records.ledger.all() == []
    assert records.facts.get("index") is None
    assert records.documents.list() == ()


def test_under_a_root(records):
    sources = ["/a", "/a/b", "/a/b/c", "/ab", "/a-b", "/a/é", "/A/b", "/a/%", "/a0", "/a/b\n"]
    records.ledger.begin([SourceFile(source, "/", source) for source in sources])
    assert {entry.source for entry in records.ledger.under("/a")} == {"/a", "/a/b", "/a/b/c", "/a/é", "/a/%", "/a/b\n"}
    assert {entry.source for entry in records.ledger.under("/a/b")} == {"/a/b", "/a/b/c"}
    assert {entry.source for entry in records.ledger.under("/")} == set(sources)
    assert records.ledger.under("/nowhere") == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters(), max_size=8), min_size=1, max_size=6, unique=True), st.text(st.characters()))
def test_any_name_and_reason_comes_back(shared_records, names, reason):
    records, reason = shared_records, reason or "empty"
    records.ledger.begin([SourceFile("/r/" + name, "/r\udcff", name) for name in names])
    with records.transaction():
        for name in names:
            records.ledger.settle("/r/" + name, "skipped", reason, "c", "p")
    assert sorted(entry.name for entry in records.ledger.under("/r")) == sorted(names)
    for name in names:
        entry = records.ledger.get("/r/" + name)
        assert (entry.source, entry.root, entry.name, entry.reason) == ("/r/" + name, "/r\udcff", name, reason)
    with records.transaction():
        for name in names:
            records.ledger.remove("/r/" + name)
    assert records.ledger.all() == []


def test_undecodable_file_names_from_the_disk(records, tmp_path):
    for name in (b"M\xe4rz.txt", b"new\nline.txt", b"\xff\xfe"):
        (tmp_path / os.fsdecode(name)).write_text("x")
    sources = sorted(str(path) for path in tmp_path.iterdir() if "records" not in path.name)
    records.ledger.begin([SourceFile(source, str(tmp_path), Path(source).name) for source in sources])
    known = [entry.source for entry in records.ledger.under(str(tmp_path))]
    assert sorted(known) == sources
    assert all(Path(source).exists() for source in known)


def test_forgetting_one_row_keeps_the_file_and_forgetting_all_drops_it(records):
    rows = [made(f"/docs/rows.jsonl#{number}") for number in range(2)]
    index(records, "/docs/rows.jsonl", *rows)
    index(records, "/docs/a.md", made())
    records.ledger.forget_documents([rows[0].id, "unknown"])
    assert records.ledger.get("/docs/rows.jsonl").documents == ((rows[1].id, 2),)
    records.ledger.forget_documents([rows[1].id])
    assert [entry.source for entry in records.ledger.all()] == ["/docs/a.md"]
    assert records.ledger.all("failed") == []


def test_content_fingerprint_is_of_bytes_alone(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"content")
    wanted = hashlib.sha256(b"content").hexdigest() + "-7"
    assert content_fingerprint(path) == wanted
    os.utime(path, (1, 1))
    path = path.rename(tmp_path / "b")
    assert content_fingerprint(path) == wanted
    with pytest.raises(ReadError, match="cannot be read"):
        content_fingerprint(tmp_path / "missing")


WRITER = textwrap.dedent("""
    import itertools, sys
    from pathlib import Path
    from fonte.records import IndexedDocument, Records, SourceFile
    from fonte.values import Document

    records = Records.open(Path(sys.argv[1]))
    print("ready", flush=True)
    for run in itertools.count():
        for number in range(12):
            source = f"/docs/{number}.jsonl"
            rows = [Document(f"{source}#{row}", "n", "", f"{run} " * 300, "text", "t") for row in range(run % 3 + 1)]
            records.ledger.begin([SourceFile(source, "/docs", source)])
            records.ledger.prepare(source, rows)
            known = [IndexedDocument(row.id, row.version, run % 5) for row in rows]
            records.ledger.commit(source, f"c{run}", "p", known)
""")


def check_invariants(records):
    assert records.check() == ()
    linked = set()
    for entry in records.ledger.all():
        assert entry.state in STATES
        linked |= set(records.ledger.stale(entry.source))
        for document_id, chunks in entry.documents:
            loaded = records.documents.load(document_id)
            assert loaded.id == document_id
            if entry.state == "indexed":
                # The text that is current is the one of the run that the ledger speaks of.
                assert loaded.text.split()[0] == entry.content[1:]
                assert chunks == int(entry.content[1:]) % 5
                assert records.documents.versions(document_id) == (loaded.version,)
    archived = {row for (row,) in records._database.rows("SELECT DISTINCT document_id FROM documents")}
    assert archived <= linked


def test_killed_in_the_middle_of_commits(tmp_path):
    path = tmp_path / "records.sqlite"
    seen = 0
    for attempt in range(30):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.05 + 0.055 * attempt)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        with Records.open(path) as records:
            check_invariants(records)
            seen = max(seen, len(records.ledger.all()))
        if attempt >= 5 and seen > 1:
            return
    pytest.fail("no writer came so far that it could be killed between two commits")


def _ingest(path, worker, count):
    with Records.open(path) as records:
        for number in range(count):
            source = f"/docs/{worker}/{number}.md"
            index(records, source, made(source, f"text of {worker} {number}"))
            # Two writers of one file take turns; one may be told that its version is gone, but none mixes with another.
            with contextlib.suppress(StoreError):
                shared = made("/docs/shared.md", f"by {worker} {number}")
                index(records, "/docs/shared.md", shared, content=f"{worker} {number}")


def test_five_processes_write_at_once(tmp_path):
    path = tmp_path / "records.sqlite"
    context = multiprocessing.get_context("spawn" if sys.platform == "win32" else "fork")
    workers = [context.Process(target=_ingest, args=(path, worker, 15)) for worker in range(5)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
    with Records.open(path) as records:
        assert records.check() == ()
        entries = records.ledger.under("/docs")
        own = [entry for entry in entries if entry.source != "/docs/shared.md"]
        assert len(own) == 75
        assert all(entry.state == "indexed" for entry in own)
        for entry in own:
            _, _, worker, name = entry.source.split("/")
            assert records.documents.text(entry.documents[0][0]) == f"text of {worker} {name.removesuffix('.md')}"
        shared = records.ledger.get("/docs/shared.md")
        if shared.state == "indexed":
            assert records.documents.text(shared.documents[0][0]) == f"by {shared.content}"
