"""Files into the corpus: read, cut, embed, write; one state per file, and a killed run is finished by the next."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from fonte.chunking import Chunker
from fonte.corpus.report import FileReport
from fonte.corpus.rows import make_rows
from fonte.documents import Found, Reading, read_files, reader_fingerprint
from fonte.errors import ReadError
from fonte.records import IndexedDocument, LedgerEntry, Records, SourceFile, content_fingerprint
from fonte.retrieval import Row, Store
from fonte.values import Chunk, Document

if TYPE_CHECKING:
    from fonte.models import Embedder

Progress = Callable[[int, int], None]

# Written together, so that embedding runs in full batches and a transaction of the index pays.
CHUNKS_PER_WRITE = 1024
CHARACTERS_AT_MOST = 20_000_000
KEPT = " The version that was indexed before stays searchable."


@dataclass(frozen=True)
class Incoming:
    """A file that must be read: where it was found, what its content is, and what is known of it."""

    found: Found
    root: str
    content: str
    reader: str
    known: LedgerEntry | None


@dataclass(frozen=True)
class Cut:
    """A file that was read and cut: its documents, and their chunks by document id."""

    incoming: Incoming
    documents: tuple[Document, ...]
    chunks: Mapping[str, Sequence[Chunk]]
    reason: str

    @property
    def size(self) -> int:
        """Number of chunks."""
        return sum(map(len, self.chunks.values()))


class Ingest:
    """One run of `add` over found files."""

    def __init__(
        self, records: Records, store: Store, embedder: Embedder, chunker: Chunker, *, follow_groups: bool = True
    ) -> None:
        """Read once what the index holds: the store, not the ledger, says what is indexed."""
        self._follows = follow_groups
        self._records = records
        self._store = store
        self._embedder = embedder
        self._chunker = chunker
        self._held = store.document_states()

    def run(self, files: Sequence[tuple[Found, str]], retry: bool, progress: Progress) -> Iterator[FileReport]:
        """Bring the corpus up to date with `files` (each with the root it was found under); one report per file.

        Unchanged files are not read. `retry` reads those again that failed or held no text.
        """
        done = 0
        incoming: list[Incoming] = []
        for found, root in files:
            report = self._settled(found, root, retry, incoming)
            if report is not None:
                done += 1
                progress(done, len(files))
                yield report
        for reports in self._write_all(incoming):
            done += len(reports)
            progress(done, len(files))
            yield from reports

    def _settled(self, found: Found, root: str, retry: bool, incoming: list[Incoming]) -> FileReport | None:
        """Return the report of a file that need not be read; else add it to `incoming`."""
        known = self._records.ledger.get(found.source)
        if found.status:
            return self._settle(Incoming(found, root, "", "", known), found.status, found.reason)
        try:
            content = content_fingerprint(found.path)
        except ReadError as error:
            return self._settle(Incoming(found, root, "", "", known), "failed", str(error))
        reader = reader_fingerprint(found.path)
        if known is not None and known.unchanged(content, reader):
            if known.state == "indexed" and self._is_held(known):
                return FileReport(found.source, "unchanged", chunks=known.chunks)
            if known.state != "indexed" and not retry:
                return FileReport(found.source, known.state, known.reason, known.chunks)
        incoming.append(Incoming(found, root, content, reader, known))
        return None

    def _is_held(self, known: LedgerEntry) -> bool:
        """Return whether the index holds every document of this file, in the archived version, cut as is set now."""
        for document_id, chunks in known.documents:
            held = self._held.get(document_id)
            archived = self._records.documents.versions(document_id)
            if held is None or not archived:
                return False
            if (held.version, held.pipeline, held.chunks) != (archived[0], self._chunker.fingerprint, chunks):
                return False
        return bool(known.documents)

    def _write_all(self, incoming: Sequence[Incoming]) -> Iterator[list[FileReport]]:
        """Read, cut and write in batches of about `CHUNKS_PER_WRITE` chunks."""
        processes = max(1, (os.cpu_count() or 2) - 1)
        waiting: list[Cut] = []
        readings = read_files(((item.found.path, item.found.name) for item in incoming), processes)
        for item, (_, reading) in zip(incoming, readings, strict=True):
            cut = self._cut(item, reading)
            if isinstance(cut, FileReport):
                yield [cut]
                continue
            waiting.append(cut)
            if sum(other.size for other in waiting) >= CHUNKS_PER_WRITE:
                yield self._write(waiting)
                waiting = []
        if waiting:
            yield self._write(waiting)

    def _cut(self, item: Incoming, reading: Reading) -> Cut | FileReport:
        if reading.status != "read":
            return self._settle(item, reading.status, reading.reason)
        characters = sum(len(document.text) for document in reading.documents)
        if characters > CHARACTERS_AT_MOST:
            reason = (
                f"It holds {characters:,} characters of text; the limit is {CHARACTERS_AT_MOST:,} for one file. "
                "Split it into smaller files."
            )
            return self._settle(item, "skipped", reason)
        documents = self._chunker.separate(reading.documents)
        chunks: dict[str, list[Chunk]] = {document.id: [] for document in documents}
        for chunk in self._chunker.chunk(documents):
            chunks[chunk.document_id].append(chunk)
        return Cut(item, documents, chunks, reading.reason)

    def _write(self, cuts: Sequence[Cut]) -> list[FileReport]:
        """Archive, index, commit; each step may be repeated, and until the index changes the old version answers."""
        ledger = self._records.ledger
        rows = self._rows(cuts)
        gone: set[str] = set()
        with self._records.transaction():
            cuts = [self._closed(cut) for cut in cuts]
            ledger.begin([_source_file(cut.incoming) for cut in cuts])
            for cut in cuts:
                ledger.prepare(cut.incoming.found.source, cut.documents)
                gone.update(ledger.stale(cut.incoming.found.source, cut.chunks))
        with self._records.transaction():
            # The index changes inside the transaction: of two processes, the second sees what the first committed.
            self._store.replace_documents({**{document_id: [] for document_id in gone - set(rows)}, **rows})
            return [self._commit(cut) for cut in cuts]

    def _closed(self, cut: Cut) -> Cut:
        """Close a new file as the one is closed that it was moved or copied from, before anybody can find it."""
        item = cut.incoming
        known = self._records.groups
        groups = known.follow(item.found.source, item.content) if self._follows and item.known is None else ()
        if not groups:
            return cut
        closed = f"A file of the same content is for {', '.join(sorted(groups))} only; so is this one now."
        return replace(cut, reason=f"{cut.reason} {closed}".strip())

    def _commit(self, cut: Cut) -> FileReport:
        item = cut.incoming
        documents = [
            IndexedDocument(document.id, document.version, len(cut.chunks[document.id])) for document in cut.documents
        ]
        self._records.ledger.commit(item.found.source, item.content, item.reader, documents)
        replaced = item.known is not None and bool(item.known.documents)
        return FileReport(item.found.source, "replaced" if replaced else "indexed", cut.reason, cut.size)

    def _rows(self, cuts: Sequence[Cut]) -> dict[str, list[Row]]:
        """Embed what has no vector yet: a chunk whose embedded text is in the index keeps its vector."""
        names = {document.id: document.name for cut in cuts for document in cut.documents}
        known = self._store.vectors([document_id for document_id in names if document_id in self._held])
        chunks = chain.from_iterable(chain.from_iterable(cut.chunks.values() for cut in cuts))
        return make_rows(chunks, names, known, self._embedder)

    def _settle(self, item: Incoming, state: str, reason: str) -> FileReport:
        """Record a file that gives nothing to index; what an earlier run indexed of it stays."""
        source, kept = item.found.source, item.known.chunks if item.known else 0
        reason = f"{reason}{KEPT}" if kept else reason
        known = item.known
        if known and (known.state, known.reason, known.content, known.pipeline) == (
            state,
            reason,
            item.content,
            item.reader,
        ):
            return FileReport(source, state, reason, kept)  # nothing new: a thousand pictures cost no thousand writes
        with self._records.transaction():
            self._records.ledger.begin([_source_file(item)])
            self._records.ledger.settle(source, state, reason, item.content, item.reader)
        return FileReport(source, state, reason, kept)


def _source_file(item: Incoming) -> SourceFile:
    return SourceFile(item.found.source, item.root, item.found.name)
