"""The index of a corpus with the embedder that made it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from fonte.corpus.cutting import choose_fields, chunker_of
from fonte.corpus.embedders import configured_embedder, matching_embedder
from fonte.corpus.report import ReindexReport
from fonte.corpus.rows import make_rows
from fonte.errors import StoreError
from fonte.records import Records
from fonte.retrieval import (
    LanceStore,
    StoreStats,
    begin_store,
    clean_leftovers,
    commit_store,
    create_current,
    current_store,
    has_store,
)
from fonte.retrieval.files import read_text
from fonte.retrieval.locking import WriteLock
from fonte.settings import Settings
from fonte.values import Document

if TYPE_CHECKING:
    from fonte.corpus.ingest import Progress
    from fonte.models import Embedder

Tell = Callable[[str], None]

EMPTY = StoreStats(0, 0, 0, 0, 0, 0, "flat", 1.0)
CHARACTERS_PER_WRITE = 1_000_000


class Index:
    """The store in use and its embedder; both open when first needed."""

    def __init__(self, folder: Path, settings: Settings, records: Records, tell: Tell) -> None:
        """`folder` is that of the index, inside the corpus; `tell` gets what the person should know."""
        self._tell = tell
        self._folder = folder
        self._settings = settings
        self._records = records
        self._store: LanceStore | None = None
        self._embedder: Embedder | None = None

    def exists(self) -> bool:
        """Return whether anything was ever indexed."""
        return has_store(self._folder)

    def writing(self) -> AbstractContextManager[None]:
        """Return a block in which no other process adds, removes or reindexes; it waits for one that does."""
        return WriteLock(self._folder.parent / "ingest.lock").held()

    @property
    def store(self) -> LanceStore:
        """The store in use, also where another process built it anew meanwhile.

        Errors: `StoreError` before the first `add`.
        """
        if self._store is None or self._store.path.name != read_text(self._folder / "current").strip():
            self._store = current_store(self._folder)
        return self._store

    @property
    def embedder(self) -> Embedder:
        """The embedder of the store in use; before there is one, that of the settings."""
        wanted = self.store.embedder_fingerprint if self.exists() else ""
        if self._embedder is None or (wanted and self._embedder.fingerprint != wanted):
            self._embedder = self._matching(wanted) if wanted else configured_embedder(self._settings, self._tell)
        return self._embedder

    def use(self, embedder: Embedder) -> None:
        """Take an embedder that is loaded already; one that did not make the store is not used."""
        self._embedder = embedder

    def _matching(self, fingerprint: str) -> Embedder:
        known = self._records.facts.get(_fact(fingerprint), {})
        window = known.get("window") if isinstance(known, dict) else None
        return matching_embedder(fingerprint, window if isinstance(window, int) else 0, self._settings.embedder)

    def store_for_writing(self) -> LanceStore:
        """Return the store in use, made with the embedder of the settings where there was none."""
        if not self.exists():
            embedder = self.embedder
            self._note(embedder)
            create_current(self._folder, embedder.dimension, embedder.fingerprint)
        return self.store

    def remove(self, document_ids: Collection[str], purge: bool = False) -> None:
        """Take documents out of the store; with `purge` no byte of them stays, in stores that were replaced neither.

        Errors: `StoreError` when another process builds a store, so that not all could be erased.
        """
        self.store_for_writing().remove_documents(document_ids, purge=purge)
        if purge and not clean_leftovers(self._folder, grace=0):
            raise StoreError(
                f"Another process is writing to {self._folder}, so that old bytes may remain there. Run the same "
                "command again when it is done."
            )

    def maintain(self) -> None:
        """Bring the store's indices up to date, and delete replaced stores that nobody reads any more."""
        self.store.maintain()
        clean_leftovers(self._folder)

    def embedder_name(self) -> str:
        """Return the name of the embedder that made the index, "" where there is none; loads no model."""
        if not self.exists():
            return ""
        known = self._records.facts.get(_fact(self.store.embedder_fingerprint), {})
        return str(known.get("name", "")) if isinstance(known, dict) else ""

    def generation(self) -> str:
        """Return which index is in use, "" where there is none."""
        return self.store.path.name if self.exists() else ""

    def stats(self) -> StoreStats:
        """Return what the store holds; zeros where there is none."""
        return self.store.stats() if self.exists() else EMPTY

    def rebuild(self, progress: Progress) -> ReindexReport:
        """Cut and embed every archived document with the present settings into a new store, then change over.

        The old store answers until the new one is complete. Interrupted, nothing has changed.
        """
        embedder = configured_embedder(self._settings, self._tell)
        documents = self._records.documents.list()
        everything = (self._records.documents.load(entry.document_id) for entry in documents)
        choose_fields(self._settings, embedder, self._records, everything)
        chunker = chunker_of(self._settings, embedder, self._records)
        counts: dict[str, int] = {}
        with begin_store(self._folder, embedder.dimension, embedder.fingerprint) as store:
            for batch in self._batches([entry.document_id for entry in documents]):
                names = {document.id: document.name for document in batch}
                rows = make_rows(chunker.chunk(batch), names, {}, embedder)
                store.replace_documents(rows)
                counts.update((document_id, len(found)) for document_id, found in rows.items())
                progress(len(counts), len(documents))
            store.maintain()
            self._note(embedder)
            self._records.ledger.set_chunk_counts(counts)
            commit_store(self._folder, store)
        self._embedder = embedder
        return ReindexReport(len(counts), sum(counts.values()), embedder.name)

    def _batches(self, document_ids: list[str]) -> Iterator[list[Document]]:
        batch: list[Document] = []
        for document_id in document_ids:
            batch.append(self._records.documents.load(document_id))
            if sum(len(document.text) for document in batch) >= CHARACTERS_PER_WRITE:
                yield batch
                batch = []
        if batch:
            yield batch

    def _note(self, embedder: Embedder) -> None:
        """Keep what is needed to load this embedder again: its window decides its fingerprint."""
        self._records.facts.set(_fact(embedder.fingerprint), {"name": embedder.name, "window": embedder.window})


def _fact(fingerprint: str) -> str:
    return f"embedder {fingerprint}"
