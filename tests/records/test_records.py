"""Purge, above all: what was erased is found nowhere in the bytes of the folder."""

import base64
import contextlib
import os
import signal
import subprocess
import sys
import time
import zlib
from dataclasses import replace

import pytest
from pydantic import BaseModel

from fonte.errors import RecordError, StoreError
from fonte.records import AnswerRecord, IndexedDocument, OutputKey, Records, SourceFile
from fonte.records.database import connect
from fonte.records.packing import pack_text
from fonte.values import Answer, Chunk, Document, Passage

SECRET = base64.b85encode(bytes(range(120, 180))).decode()  # survives in no other file, hardly shrinks


class Text(BaseModel):
    text: str


def add(records, name, text):
    source = f"/docs/{name}"
    document = Document(source, name, f"Title {name}", text, "text", "test 1", metadata={"note": f"of {name}"})
    records.ledger.begin([SourceFile(source, "/docs", name)])
    records.ledger.prepare(source, [document])
    records.ledger.commit(source, "c1", "p1", [IndexedDocument(document.id, document.version, 1)])
    return document


def answer_about(records, *documents):
    passages = tuple(
        Passage(Chunk(each.id, each.version, "p1", 0, 0, len(each.text), each.text), each.name, 0.5)
        for each in documents
    )
    return records.answers.save(AnswerRecord(Answer("Why?", "answered", "", "Because.", passages=passages)))


def fill(records):
    secret = add(records, f"secret {SECRET[:20]}.txt", f"The secret is {SECRET}.")
    other = add(records, "public.txt", "Nothing here." * 400)
    both = answer_about(records, secret, other)
    records.evaluations.put(both.id, "likelihood", {"mask": SECRET})
    alone = answer_about(records, other)
    for document in (secret, other):
        records.outputs.put(OutputKey("m", "p", document.text), {"text": document.text}, Text, [document.id])
    return secret, other, both, alone


def bytes_on_disk(records):
    return b"".join(path.read_bytes() for path in sorted(records.path.parent.iterdir()))


def traces(records, secret):
    """Return which forms of the secret lie on the disk: plain, and as the archive compresses it."""
    disk = bytes_on_disk(records)
    packed = pack_text(secret.text)
    forms = {
        "text": SECRET.encode(),
        "name": SECRET[:20].encode(),
        "packed": packed[10:-10],
        "document id": secret.id.encode(),
        "folded name": SECRET[:20].casefold().encode(),
    }
    inflated = any(SECRET.encode() in data for data in streams(disk))
    return {name for name, form in forms.items() if form in disk} | ({"inflated"} if inflated else set())


def streams(disk):
    """Return everything on the disk that can be decompressed."""
    position = disk.find(b"x\x9c")
    while position >= 0:
        inflater = zlib.decompressobj()
        with contextlib.suppress(zlib.error):
            yield inflater.decompress(disk[position : position + 100_000])
        position = disk.find(b"x\x9c", position + 1)


def test_purge_erases_a_document_everywhere(records):
    secret, other, both, alone = fill(records)
    assert traces(records, secret) >= {"name", "packed", "document id", "inflated"}
    purged = records.purge([secret.id])
    assert (purged.documents, purged.answers, purged.outputs) == (1, 1, 1)
    assert traces(records, secret) == set()
    assert records.check() == ()
    assert not records.purge_unfinished
    assert [entry.document_id for entry in records.documents.list()] == [other.id]
    assert [entry.source for entry in records.ledger.all()] == [other.source]
    assert records.answers.get(alone.id) == alone
    with pytest.raises(RecordError):
        records.answers.get(both.id)
    assert records.outputs.get(OutputKey("m", "p", other.text), Text, [other.id]) is not None
    assert records.outputs.get(OutputKey("m", "p", secret.text), Text, []) is None
    assert records._database.rows("PRAGMA freelist_count") == [(0,)]
    records.close()
    assert traces(records, secret) == set()


def test_purge_erases_every_version_and_what_never_became_current(records):
    secret, *_ = fill(records)
    newer = replace(secret, text="Now without.")
    records.documents.archive([newer])
    records.documents.make_current({newer.id: newer.version})
    records.documents.archive([replace(secret, text=f"Again {SECRET}")])
    records.purge([secret.id])
    assert traces(records, secret) == set()
    assert records.documents.versions(secret.id) == ()


def test_plain_deletion_leaves_no_bytes_in_the_main_file_either(records):
    """`secure_delete`: pages that are given back are zeros, even without the rewriting of the file."""
    secret = add(records, f"secret {SECRET[:20]}.txt", f"The secret is {SECRET}." + "0123456789" * 50_000)
    records._database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    assert traces(records, secret)
    records.ledger.remove(secret.source)
    records._database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    assert traces(records, secret) == set()


def test_purge_by_source_takes_files_without_documents(records):
    source = f"/docs/{SECRET}"
    records.ledger.begin([SourceFile(source, "/docs", SECRET)])
    records.ledger.settle(source, "failed", f"Cannot read {SECRET}.", "c", "p")
    records.purge([], [source])
    assert SECRET.encode() not in bytes_on_disk(records)
    assert records.ledger.get(source) is None


def test_purge_by_source_takes_its_documents(records):
    secret, other, *_ = fill(records)
    assert records.purge([], [secret.source, "/unknown"]).documents == 1
    assert traces(records, secret) == set()
    assert records.documents.load(other.id) == other


def test_purge_may_be_repeated(records):
    secret, *_ = fill(records)
    records.purge([secret.id])
    again = records.purge([secret.id, "unknown"])
    assert (again.documents, again.answers, again.outputs) == (0, 0, 0)


def test_a_reader_delays_the_purge_and_the_next_opening_finishes_it(tmp_path):
    path = tmp_path / "records.sqlite"
    with Records.open(path, busy_seconds=0.2) as records:
        secret, *_ = fill(records)
        reader = connect(path, 0.2)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM documents").fetchall()
        with pytest.raises(StoreError, match="another process is reading"):
            records.purge([secret.id])
        assert records.purge_unfinished
        assert secret.id not in {entry.document_id for entry in records.documents.list()}
        with Records.open(path, busy_seconds=0.2) as second:
            assert second.purge_unfinished
        reader.close()
    with Records.open(path) as records:
        assert not records.purge_unfinished
        assert traces(records, secret) == set()


PURGER = """
import sys
from pathlib import Path
from fonte.records import Records

Records.open(Path(sys.argv[1])).purge(sys.argv[2:])
"""


def test_a_purge_that_was_killed_is_finished_by_the_next_opening(records):
    secret, *_ = fill(records)
    reader = connect(records.path, 0.2)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM documents").fetchall()
    process = subprocess.Popen([sys.executable, "-c", PURGER, str(records.path), secret.id])
    while not records.purge_unfinished:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    reader.close()
    assert records.purge_unfinished
    assert traces(records, secret)
    with Records.open(records.path) as again:
        assert not again.purge_unfinished
        assert traces(again, secret) == set()


def test_facts(records):
    assert records.facts.get("index") is None
    assert records.facts.get("index", "none") == "none"
    records.facts.set("index", {"generation": 2, "path": "M\udce4rz"})
    assert records.facts.all() == {"index": {"generation": 2, "path": "M\udce4rz"}}
    records.facts.remove("index")
    assert records.facts.all() == {}


def test_check_finds_damage(records):
    fill(records)
    assert records.check() == ()
    records._database.run("PRAGMA foreign_keys = OFF")
    records._database.run("DELETE FROM documents")
    assert any("document_contents belongs to a missing row of documents" in line for line in records.check())


def test_the_room_is_light_to_import():
    code = (
        "import sys, fonte.records; from fonte.records import parse_where; "
        "sys.exit(bool({'torch', 'transformers', 'lancedb', 'pyarrow', 'numpy', 'pydantic'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], env={**os.environ}, check=False).returncode == 0
