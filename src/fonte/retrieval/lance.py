"""The store in a folder: a Lance table with keyword and vector indices, one writer, any number of readers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import lancedb
import numpy as np
import pyarrow as pa

from fonte.errors import CorpusError, StoreError
from fonte.retrieval import upkeep, vector_index
from fonte.retrieval.files import folder_bytes
from fonte.retrieval.filters import in_documents, in_range, where
from fonte.retrieval.held_names import NameCache
from fonte.retrieval.held_rows import HeldRows, RowCache
from fonte.retrieval.lexical import matching
from fonte.retrieval.locking import WriteLock
from fonte.retrieval.naming import Names
from fonte.retrieval.ranked import Fetch, best_hits
from fonte.retrieval.store import DocumentState, Hit, Row, StoreStats, Vector
from fonte.retrieval.table import CHUNK_COLUMNS, checked_vector, chunk_of, padded, table_of, table_schema
from fonte.retrieval.terms import TERMS_VERSION, query_terms
from fonte.values import Chunk

STORE_VERSION = "1"
TABLE = "chunks"
_ATTEMPTS = 4
_INDEX_CACHE_BYTES = 256 << 20
_METADATA_CACHE_BYTES = 64 << 20
_LANCE_ERRORS = (RuntimeError, OSError, ValueError)
_Result = TypeVar("_Result")


class LanceStore:
    """A `Store` in a folder of its own. Readers see every finished write at once, in any process.

    Writes take the folder's lock (or the one given) and wait for other writers. What a killed writer left behind is
    not seen by readers and is cleaned by the next `maintain`. A purge that was killed is finished by the next write.
    """

    def __init__(self, path: Path, table: Any, lock: WriteLock) -> None:
        self._path = path
        self._table = table
        self._lock = lock
        self._cache = RowCache()
        self._names = NameCache()
        metadata = _metadata(table)
        self._dimension = int(metadata["fonte.dimension"])
        self._embedder_fingerprint = metadata["fonte.embedder"]

    @classmethod
    def create(cls, path: Path, dimension: int, embedder_fingerprint: str, lock: WriteLock | None = None) -> LanceStore:
        """Create an empty store for vectors of `dimension` made by one embedder.

        `lock` None: a lock file of the store's own. Errors: `StoreError` when there is a store already or the folder
        cannot be written.
        """
        if dimension < 1:
            raise StoreError(f"An index needs vectors of at least 1 dimension, not {dimension}.")
        metadata = {
            "fonte.store": STORE_VERSION,
            "fonte.terms": TERMS_VERSION,
            "fonte.dimension": str(dimension),
            "fonte.embedder": embedder_fingerprint,
        }
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"Cannot create the index folder {path}: {error}.") from None
        lock = lock or WriteLock(path / "write.lock")
        with lock.held():
            connection = _connect(path)
            try:
                table = connection.create_table(TABLE, schema=table_schema(dimension, metadata))
                upkeep.ensure_indices(table)
            except _LANCE_ERRORS as error:
                raise StoreError(f"Cannot create an index in {path}: {error}") from None
        return cls(path, table, lock)

    @classmethod
    def open(cls, path: Path, embedder_fingerprint: str | None = None, lock: WriteLock | None = None) -> LanceStore:
        """Open a store; with `embedder_fingerprint` only if that embedder made its vectors.

        Errors: `StoreError` when there is none or it is damaged, `CorpusError` when another version of fonte or
        another embedder made it.
        """
        if not (path / f"{TABLE}.lance").is_dir():
            raise StoreError(f"There is no index in {path}. Add documents first: fonte add PATH --corpus DIR.")
        try:
            table = _connect(path).open_table(TABLE)
            metadata = _metadata(table)
        except _LANCE_ERRORS as error:
            raise StoreError(f"The index in {path} cannot be opened: {error}. Build it again: fonte reindex.") from None
        _check_metadata(path, metadata, embedder_fingerprint)
        store = cls(path, table, lock or WriteLock(path / "write.lock"))
        store._finish_creation()
        return store

    @property
    def path(self) -> Path:
        """The store's folder."""
        return self._path

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._dimension

    @property
    def embedder_fingerprint(self) -> str:
        """The one embedder whose vectors the store holds."""
        return self._embedder_fingerprint

    def replace_documents(self, rows: Mapping[str, Sequence[Row]]) -> None:
        """Make `rows[document_id]` all that the store holds of each document, in one transaction for all of them.

        An empty sequence removes the document. Errors: `StoreError` for rows that contradict one another (see
        `table_of`), or when the table cannot be written; then everything is as it was.
        """
        if not rows:
            return
        data = table_of(rows, self._dimension)
        condition = in_documents(rows)
        with self._lock.held():
            self._finish_purge()
            self._write(lambda table: _replace(table, data, condition))
            written = self.count(rows)
            if written != data.num_rows:
                raise StoreError(
                    f"The index in {self._path} holds {written} rows of {data.num_rows} written. Run: fonte reindex."
                )
            if self._read(upkeep.has_many_files):
                self._write(upkeep.optimise)

    def remove_documents(self, document_ids: Collection[str], purge: bool = False) -> int:
        """Remove the documents and return how many rows that were; with `purge` no byte of them stays on disk.

        A purge also erases what earlier removals and replacements left, and costs as much as writing the table anew.
        """
        condition = in_documents(document_ids)
        with self._lock.held():
            self._finish_purge()
            removed = self.count(document_ids)
            if removed:
                self._write(lambda table: table.delete(condition))
            if purge:
                self._purge_marker.touch()
                self._finish_purge()
        return removed

    def search_dense(self, vector: Vector, k: int, documents: Collection[str] | None = None) -> list[Hit]:
        """Return the `k` chunks whose vectors have the highest cosine with `vector` (float32 [dimension], unit length).

        `score` is the cosine. Exact while there is no vector index; with one, recall@10 was measured as at least .98.
        """
        question = checked_vector(vector, self._dimension)
        held = self._held_rows(k)
        if held is not None:
            return held.nearest(question, k, documents)
        tuning = vector_index.read_tuning(self._tuning_file)

        def fetch(limit: int, condition: str | None) -> list[Hit]:
            query = where(vector_index.nearest(self._table, question, limit, tuning), condition)
            found = query.select([*CHUNK_COLUMNS, "_distance"]).to_arrow().to_pylist()
            return [Hit(*chunk_of(record), 1.0 - record["_distance"]) for record in found]

        return self._search(fetch, k, None, documents)

    def search_lexical(self, text: str, k: int, documents: Collection[str] | None = None) -> list[Hit]:
        """Return the `k` chunks that share terms with `text`, by BM25; [] where it has no letter and no digit.

        `text` is data: nothing in it is query syntax. A word of four letters and more that no chunk has is looked for
        inside longer words. Questions of any length are searched by at most `MAX_TERMS` terms (see `query_terms`).
        """
        held = self._held_rows(k)
        terms = query_terms(text)
        if not terms:
            return []

        def fetch(limit: int, condition: str | None) -> list[Hit]:
            if held is not None:
                found = matching(self._table, terms, limit, condition, ("id",)).to_pylist()
                if held.places.keys() >= {record["id"] for record in found}:
                    return [held.hit(held.places[record["id"]], record["_score"]) for record in found]
            found = matching(self._table, terms, limit, condition, CHUNK_COLUMNS).to_pylist()
            return [Hit(*chunk_of(record), record["_score"]) for record in found]

        # What is looked for inside words depends on the words of the other rows: those of hidden documents never count.
        return self._search(fetch, k, len(held.ids) if held else None, documents, independent=False)

    def names(self) -> Names:
        """Return the names in the signatures of all chunks, with the documents that bear them."""
        return self._read(self._names.names)

    def read_range(self, document_id: str, first_ordinal: int, last_ordinal: int) -> list[Chunk]:
        """Return the document's chunks with ordinals from first to last, both included, in order; [] when none."""
        condition = in_range(document_id, first_ordinal, last_ordinal)
        records = self._scan(condition, list(CHUNK_COLUMNS)).to_pylist()
        return [chunk_of(record)[0] for record in sorted(records, key=lambda record: int(record["ordinal"]))]

    def count(self, document_ids: Collection[str] | None = None) -> int:
        """Return the number of rows, of the given documents or of all."""
        condition = None if document_ids is None else in_documents(document_ids)
        return int(self._read(lambda table: table.count_rows(condition)))

    def vectors(self, document_ids: Collection[str]) -> dict[str, Vector]:
        """Return the vectors of the documents' rows by `text_hash(embedded_text)`, to be used again for equal texts."""
        found = self._scan(in_documents(document_ids), ["embedded_hash", "vector"])
        flat = found["vector"].combine_chunks().flatten().to_numpy()
        matrix = np.array(flat, np.float32).reshape(-1, padded(self._dimension))[:, : self._dimension]
        return dict(zip(found["embedded_hash"].to_pylist(), matrix, strict=True))

    def document_states(self) -> dict[str, DocumentState]:
        """Return version, pipeline and number of chunks of every document, by document id."""
        keys = ["document_id", "document_version", "pipeline"]
        groups = self._scan(None, keys).group_by(keys).aggregate([([], "count_all")]).to_pylist()
        return {
            group["document_id"]: DocumentState(group["document_version"], group["pipeline"], group["count_all"])
            for group in groups
        }

    def stats(self) -> StoreStats:
        """Return the store's size and the state of its indices."""
        tuning = vector_index.read_tuning(self._tuning_file)

        def measure(table: Any) -> StoreStats:
            rows = int(table.count_rows())
            unindexed = upkeep.unindexed_rows(table)
            return StoreStats(
                rows=rows,
                documents=len(table.search().select(["document_id"]).to_arrow()["document_id"].unique()),
                index_rows=rows - unindexed,
                unindexed_rows=unindexed,
                versions=len(table.list_versions()),
                bytes=folder_bytes(self._path),
                vector_index=vector_index.KIND if tuning else "flat",
                vector_index_recall=tuning.recall if tuning else 1.0,
            )

        return self._read(measure)

    def maintain(self, flat_seconds: float = vector_index.FLAT_SECONDS) -> None:
        """Bring the indices up to date, merge small files and remove versions older than ten seconds.

        A vector index is built when comparing every vector takes longer than `flat_seconds`, and kept only if its
        recall@10 is measured as at least .99. Cheap when nothing was written since the last time.
        """
        with self._lock.held():
            self._finish_purge()
            if self._read(upkeep.needs_work):
                self._write(upkeep.optimise)
            self._write(lambda table: vector_index.update_vector_index(table, self._tuning_file, flat_seconds))

    @property
    def _tuning_file(self) -> Path:
        return self._path / "vector_index.json"

    @property
    def _purge_marker(self) -> Path:
        return self._path / "purge.pending"

    def _finish_creation(self) -> None:
        present = {column for index in self._table.list_indices() for column in index.columns}
        if not {*upkeep.KEYWORD_COLUMNS, "document_id"} <= present:
            with self._lock.held():
                self._write(upkeep.ensure_indices)

    def _finish_purge(self) -> None:
        if not self._purge_marker.exists():
            return
        indexed = vector_index.read_tuning(self._tuning_file) is not None
        self._write(lambda table: vector_index.drop_vector_index(table, self._tuning_file))
        self._write(upkeep.erase_removed_rows)
        if indexed:
            self._write(lambda table: vector_index.update_vector_index(table, self._tuning_file, 0.0))
        self._purge_marker.unlink(missing_ok=True)

    def _held_rows(self, k: int) -> HeldRows | None:
        if k < 1:
            raise StoreError(f"A search needs k of at least 1, not {k}.")
        return self._read(self._cache.rows)

    def _search(
        self, fetch: Fetch, k: int, rows: int | None, documents: Collection[str] | None, *, independent: bool = True
    ) -> list[Hit]:
        chosen = None if documents is None else frozenset(documents)
        return self._read(
            lambda table: best_hits(fetch, k, rows or int(table.count_rows()), chosen, independent=independent)
        )

    def _scan(self, condition: str | None, columns: list[str]) -> pa.Table:
        return self._read(lambda table: where(table.search(), condition).select(columns).to_arrow())

    def _read(self, action: Callable[[Any], _Result]) -> _Result:
        # A purge or clean-up may take away the version that a read has just begun with: begin again with the last.
        attempts = 0
        while True:
            try:
                return action(self._table)
            except _LANCE_ERRORS as error:
                attempts += 1
                if attempts == _ATTEMPTS:
                    raise StoreError(f"The index in {self._path} cannot be read: {error}") from error

    def _write(self, action: Callable[[Any], Any]) -> None:
        try:
            action(self._table)
        except _LANCE_ERRORS as error:
            raise StoreError(
                f"The index in {self._path} cannot be written: {error}. It is as it was before."
            ) from error


def _connect(path: Path) -> Any:
    caches = lancedb.Session(index_cache_size_bytes=_INDEX_CACHE_BYTES, metadata_cache_size_bytes=_METADATA_CACHE_BYTES)
    return lancedb.connect(path, read_consistency_interval=timedelta(0), session=caches)


def _metadata(table: Any) -> dict[str, str]:
    return {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}


def _check_metadata(path: Path, metadata: Mapping[str, str], embedder_fingerprint: str | None) -> None:
    versions = (metadata.get("fonte.store"), metadata.get("fonte.terms"))
    if versions != (STORE_VERSION, TERMS_VERSION) or not {"fonte.dimension", "fonte.embedder"} <= set(metadata):
        raise CorpusError(
            f"The index in {path} has the format {versions}; this fonte reads {(STORE_VERSION, TERMS_VERSION)}. "
            "Build it again: fonte reindex."
        )
    if embedder_fingerprint is not None and metadata["fonte.embedder"] != embedder_fingerprint:
        raise CorpusError(
            f"The index in {path} was made with the embedder {metadata['fonte.embedder']}, the settings name "
            f"{embedder_fingerprint}. Go back to that embedder, or build the index again: fonte reindex."
        )


def _replace(table: Any, data: pa.Table, condition: str) -> None:
    if data.num_rows == 0:
        table.delete(condition)
        return
    merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    merge.when_not_matched_by_source_delete(condition).execute(data)
