"""The rows of a small index in memory: vectors to compare a question with, chunks to give back."""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from fonte.retrieval.store import Hit, Vector
from fonte.retrieval.table import CHUNK_COLUMNS, chunk_of
from fonte.values import Chunk

MOST_ROWS, MOST_BYTES = 20_000, 128 << 20
"""Larger tables are searched where they lie. Chunks that were found take as much again as their text."""

_ATTEMPTS = 3


@dataclass(frozen=True, eq=False)
class HeldRows:
    """What one version of a table holds, row by row; `vectors` is float32 [row, dimension] of unit length."""

    version: int
    records: pa.Table
    vectors: Vector
    ids: Any
    documents: Any
    places: dict[str, int]
    found: dict[int, tuple[Chunk, str]] = field(default_factory=dict)

    @classmethod
    def read(cls, table: Any, version: int) -> HeldRows:
        """Read all rows of `table`, whose version is `version`."""
        found = table.search().select([*CHUNK_COLUMNS, "vector"]).to_arrow()
        column = found["vector"].combine_chunks()
        vectors = np.array(column.flatten().to_numpy(), np.float32).reshape(-1, column.type.list_size)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
        ids = found["id"].to_pylist()
        return cls(
            version=version,
            records=found.drop_columns("vector").combine_chunks(),
            vectors=vectors,
            ids=np.asarray(ids, object),
            documents=np.asarray(found["document_id"].to_pylist(), object),
            places={chunk_id: place for place, chunk_id in enumerate(ids)},
        )

    def nearest(self, question: Vector, k: int, documents: Collection[str] | None) -> list[Hit]:
        """Return the `k` rows of the chosen documents with the highest cosine, equal ones by chunk id."""
        # Row by row (einsum), so that equal vectors have equal cosines, and in this thread only.
        cosines = np.einsum("ij,j->i", self.vectors, question / np.linalg.norm(question))
        places = np.arange(len(cosines)) if documents is None else self._of(documents)
        if len(places) > k:
            least = np.partition(cosines[places], -k)[-k]
            places = places[cosines[places] >= least]
        best = places[np.lexsort((self.ids[places], -cosines[places]))][:k]
        return [self.hit(place, float(cosines[place])) for place in best.tolist()]

    def hit(self, place: int, score: float) -> Hit:
        """Return the chunk of a row as a hit; chunks are made when they are first found."""
        if place not in self.found:
            self.found[place] = chunk_of(self.records.slice(place, 1).to_pylist()[0])
        return Hit(*self.found[place], score)

    def _of(self, documents: Collection[str]) -> Any:
        chosen = frozenset(documents)
        return np.flatnonzero(np.fromiter((each in chosen for each in self.documents), bool, len(self.documents)))


class RowCache:
    """Keeps the rows of a table's present version, for any number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: HeldRows | None = None
        self._too_large = -1  # the version that did not fit

    def rows(self, table: Any) -> HeldRows | None:
        """Return the rows of `table` as it is now; None where there are too many, or writers leave no time to read."""
        with self._lock:
            for _ in range(_ATTEMPTS):
                version = table.version
                if self._held is not None and self._held.version == version:
                    return self._held
                self._held = None
                if version == self._too_large or table.count_rows() > MOST_ROWS:
                    return None
                held = HeldRows.read(table, version)
                if held.records.nbytes + held.vectors.nbytes > MOST_BYTES:
                    self._too_large = version
                    return None
                if table.version == version:
                    self._held = held
            return self._held
