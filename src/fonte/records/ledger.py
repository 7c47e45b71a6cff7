"""The ledger: one row and one state for every source file that was ever given to a corpus."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from fonte.errors import ReadError
from fonte.records.database import Database
from fonte.records.documents import DocumentArchive
from fonte.records.packing import decode, encode, timestamp
from fonte.values import Document

STATES = ("pending", "indexed", "no_text", "skipped", "failed")

_COLUMNS = "source, root, name, state, reason, content, pipeline, updated, document_id, chunks"
_ENTRIES = (
    f"SELECT {_COLUMNS} FROM sources LEFT JOIN "
    "(SELECT source AS file, document_id, chunks FROM source_documents WHERE committed = 1) ON file = source"
)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to be added: its absolute path, the absolute path it was found under, and the name people see."""

    source: str
    root: str
    name: str


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document as it stands in the index: which version, in how many chunks."""

    document_id: str
    version: str
    chunks: int


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """What is known of a source file.

    `state` is one of `STATES`; `content` and `pipeline` are the fingerprints of its last finished run, "" before the
    first. `documents` are `(document id, chunks)` of what the index holds from it, which for a failed replacement
    is still the version before. `updated` is UTC.
    """

    source: str
    root: str
    name: str
    state: str
    reason: str
    content: str
    pipeline: str
    updated: str
    documents: tuple[tuple[str, int], ...] = ()

    @property
    def chunks(self) -> int:
        """The chunks that the index holds from this file."""
        return sum(chunks for _, chunks in self.documents)

    def unchanged(self, content: str, pipeline: str) -> bool:
        """Return whether a run on these fingerprints has finished, so that another one would end the same way.

        True for failed files as well: what failed is tried again when its content or the pipeline changes, or when
        the person asks for it.
        """
        return self.state != "pending" and (self.content, self.pipeline) == (content, pipeline)


class Ledger:
    """States of source files.

    The steps of one file, after each of which it is safe to be killed, and each of which may be repeated:
    `begin` (state `pending`), `prepare` (new documents archived beside the old ones), then the caller replaces them
    in the index and removes those that are `stale`, then `commit` (state `indexed`, new versions current, old ones
    dropped, all in one transaction) or, when nothing was written to the index, `settle`. Two processes that may add the
    same file hold `Records.transaction` around the replacement in the index and the `commit`, so that both agree.
    """

    def __init__(self, database: Database, documents: DocumentArchive) -> None:
        self._database = database
        self._documents = documents

    def begin(self, files: Iterable[SourceFile]) -> None:
        """Mark `files` as pending, known ones and new ones; what the index holds of them stays on record."""
        now = timestamp()
        rows = [(encode(file.source), encode(file.root), encode(file.name), now) for file in files]
        self._database.run_many(
            "INSERT INTO sources VALUES (?, ?, ?, 'pending', x'', '', '', ?) ON CONFLICT (source) DO UPDATE SET "
            "root = excluded.root, name = excluded.name, state = 'pending', reason = x'', updated = excluded.updated",
            rows,
        )

    def prepare(self, source: str, documents: Sequence[Document]) -> None:
        """Archive new versions of a begun file's documents and note that they are about to enter the index.

        May be called several times with parts of the documents. Errors: `StoreError` for a file that was not begun.
        """
        links = [(encode(source), document.id) for document in documents]
        with self._database.transaction():
            self._documents.archive(documents)
            self._database.run_many("INSERT INTO source_documents VALUES (?, ?, 0, 0) ON CONFLICT DO NOTHING", links)

    def stale(self, source: str, keep: Collection[str] = ()) -> tuple[str, ...]:
        """Return the documents of a file, in the index or on the way there, that are not in `keep`.

        They must leave the index before `commit` with the documents `keep`, or, without `keep`, before `remove`.
        """
        rows = self._database.rows("SELECT document_id FROM source_documents WHERE source = ?", (encode(source),))
        return tuple(document_id for (document_id,) in rows if document_id not in keep)

    def commit(self, source: str, content: str, pipeline: str, documents: Sequence[IndexedDocument]) -> None:
        """Record that the index now holds exactly `documents` of this file, and nothing else of it.

        One transaction: state `indexed`, these versions current, all others of the file's documents dropped. Errors:
        `ValueError` without documents, `StoreError` for a version that was not prepared.
        """
        if not documents:
            raise ValueError("a file without documents is settled as no_text, not committed")
        key, ids = encode(source), {document.document_id for document in documents}
        with self._database.transaction():
            self._documents.remove(self.stale(source, ids))
            self._documents.make_current({document.document_id: document.version for document in documents})
            self._database.run("DELETE FROM source_documents WHERE source = ?", (key,))
            self._set_state(source, "indexed", "", content, pipeline)
            links = [(key, document.document_id, document.chunks) for document in documents]
            self._database.run_many("INSERT INTO source_documents VALUES (?, ?, ?, 1)", links)

    def settle(self, source: str, state: str, reason: str, content: str, pipeline: str) -> None:
        """Record that a file ended as `no_text`, `skipped` or `failed`, and why; the index was not changed.

        Documents of an earlier run stay as they are; what was prepared and did not enter the index is dropped.
        """
        if state not in ("no_text", "skipped", "failed") or not reason:
            raise ValueError(f"a file is settled as no_text, skipped or failed with a reason, not {state!r} {reason!r}")
        with self._database.transaction():
            self._set_state(source, state, reason, content, pipeline)
            self._documents.drop_unfinished(self.stale(source))
            self._database.run("DELETE FROM source_documents WHERE source = ? AND committed = 0", (encode(source),))

    def remove(self, source: str) -> None:
        """Forget a file and its documents; the caller has taken those that are `stale` out of the index before."""
        with self._database.transaction():
            self._documents.remove(self.stale(source))
            self._database.run("DELETE FROM sources WHERE source = ?", (encode(source),))

    def get(self, source: str) -> LedgerEntry | None:
        """Return what is known of a file, None for one that was never begun."""
        found = self._entries("WHERE source = ?", (encode(source),))
        return found[0] if found else None

    def all(self, state: str | None = None) -> list[LedgerEntry]:
        """Return every file, or those in `state`, ordered by path."""
        return self._entries("WHERE state = ?", (state,)) if state else self._entries("", ())

    def under(self, root: str) -> list[LedgerEntry]:
        """Return the files at or below the absolute path `root`, ordered by path; `/a` does not hold `/ab`."""
        bare = root if root.endswith(os.sep) else root + os.sep
        # The separator's successor closes the range of everything below the folder.
        after = bare[:-1] + chr(ord(os.sep) + 1)
        where = "WHERE source = ? OR (source >= ? AND source < ?)"
        return self._entries(where, (encode(root), encode(bare), encode(after)))

    def with_content(self, content: str) -> tuple[str, ...]:
        """Return the files whose last finished run had this fingerprint of the content."""
        rows = self._database.rows("SELECT source FROM sources WHERE content = ?", (content,))
        return tuple(decode(source) for (source,) in rows)

    def of_document(self, document_id: str) -> tuple[str, ...]:
        """Return the files that a document came from: one, unless a file's name imitates a row of another file."""
        rows = self._database.rows("SELECT source FROM source_documents WHERE document_id = ?", (document_id,))
        return tuple(decode(source) for (source,) in rows)

    def forget_documents(self, document_ids: Collection[str]) -> None:
        """Drop documents that have left the index, and the files that nothing is left of; other rows of them stay."""
        ids = [(document_id,) for document_id in document_ids]
        with self._database.transaction():
            sources = {(encode(source),) for (document_id,) in ids for source in self.of_document(document_id)}
            self._documents.remove(document_ids)
            self._database.run_many("DELETE FROM source_documents WHERE document_id = ?", ids)
            self._database.run_many(
                "DELETE FROM sources WHERE source = ?1 AND NOT EXISTS "
                "(SELECT 1 FROM source_documents WHERE source = ?1)",
                sorted(sources),
            )

    def states(self) -> dict[str, int]:
        """Return how many files are in each of `STATES`, zeros included."""
        counts = dict(self._database.rows("SELECT state, count(*) FROM sources GROUP BY state"))
        return {state: counts.get(state, 0) for state in STATES}

    def chunk_counts(self) -> dict[str, int]:
        """Return how many chunks the index should hold of each document; whoever doubts it counts there."""
        return dict(
            self._database.rows(
                "SELECT document_id, sum(chunks) FROM source_documents WHERE committed = 1 GROUP BY document_id"
            )
        )

    def set_chunk_counts(self, counts: Mapping[str, int]) -> None:
        """Record how many chunks each document has in an index that was built anew; unknown ids are no error."""
        self._database.run_many(
            "UPDATE source_documents SET chunks = ? WHERE document_id = ? AND committed = 1",
            [(chunks, document_id) for document_id, chunks in counts.items()],
        )

    def _set_state(self, source: str, state: str, reason: str, content: str, pipeline: str) -> None:
        changed = self._database.run(
            "UPDATE sources SET state = ?, reason = ?, content = ?, pipeline = ?, updated = ? WHERE source = ?",
            (state, encode(reason), content, pipeline, timestamp(), encode(source)),
        )
        if not changed:
            raise ValueError(f"{source!r} was not begun, or was removed by another process in the meantime")

    def _entries(self, where: str, parameters: tuple[Any, ...]) -> list[LedgerEntry]:
        rows = self._database.rows(f"{_ENTRIES} {where} ORDER BY source, document_id", parameters)
        return [_entry(list(group)) for _, group in groupby(rows, key=lambda row: row[0])]


def content_fingerprint(path: Path) -> str:
    """Return the SHA-256 of a file's bytes and its size: neither its name nor its date of change is part of it.

    Errors: `ReadError` when the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            return f"{digest}-{file.tell()}"
    except OSError as error:
        raise ReadError(f"{path} cannot be read: {error.strerror or error}.") from error


def _entry(rows: list[tuple[Any, ...]]) -> LedgerEntry:
    source, root, name, state, reason, content, pipeline, updated = rows[0][:8]
    return LedgerEntry(
        source=decode(source),
        root=decode(root),
        name=decode(name),
        state=state,
        reason=decode(reason),
        content=content,
        pipeline=pipeline,
        updated=updated,
        documents=tuple((document_id, chunks) for *_, document_id, chunks in rows if document_id is not None),
    )
