"""The store protocol: what retrieval needs from an index, whoever keeps it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fonte.retrieval.naming import Names
from fonte.values import Chunk, content_id

Vector = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Row:
    """A chunk as it goes into the store.

    `document` is the document's name. `vector` is float32 [dimension] of unit length: the embedding of
    `embedded_text`, of which only the hash is kept. `keyword_text` is what the keyword index sees. `text_version` says
    which version of the code made the two texts from the chunk.
    """

    chunk: Chunk
    document: str
    vector: Vector
    embedded_text: str
    keyword_text: str
    text_version: int = 0


@dataclass(frozen=True)
class Hit:
    """A chunk that was found; `score` is the cosine (dense) or the BM25 score (lexical), higher is better."""

    chunk: Chunk
    document: str
    score: float


@dataclass(frozen=True)
class DocumentState:
    """What the store holds of a document: to compare the ledger with."""

    version: str
    pipeline: str
    chunks: int


@dataclass(frozen=True)
class StoreStats:
    """What a store holds and how well it is indexed.

    `index_rows` rows are in the keyword index; `unindexed_rows` are found too, by a scan, until the next `maintain`.
    `versions` counts the table versions on disk, `bytes` is their size. `vector_index` is `flat` (every vector is
    compared) or the kind of the index; `vector_index_recall` is its measured recall@10, 1.0 for `flat`.
    """

    rows: int
    documents: int
    index_rows: int
    unindexed_rows: int
    versions: int
    bytes: int
    vector_index: str
    vector_index_recall: float


class Store(Protocol):
    """An index of chunks that is found by meaning and by words.

    Errors of every method: `StoreError`. Searches order by score, best first, and by chunk id where scores are
    equal; `documents` None searches everything, an empty collection finds nothing, and the choice of documents is
    applied before the search: `k` hits come back whenever the chosen documents have `k` that match.
    """

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    @property
    def embedder_fingerprint(self) -> str:
        """The one embedder whose vectors the store holds."""
        ...

    def replace_documents(self, rows: Mapping[str, Sequence[Row]]) -> None:
        """Make `rows[document_id]` all that the store holds of each document, in one transaction for all of them.

        An empty sequence removes the document. Rows of one document share version and pipeline; a chunk id may occur
        once. Nothing is written when anything is wrong.
        """
        ...

    def remove_documents(self, document_ids: Collection[str], purge: bool = False) -> int:
        """Remove the documents and return how many rows that were; with `purge` no byte of them stays on disk."""
        ...

    def search_dense(self, vector: Vector, k: int, documents: Collection[str] | None = None) -> list[Hit]:
        """Return the `k` chunks whose vectors have the highest cosine with `vector` (float32 [dimension])."""
        ...

    def search_lexical(self, text: str, k: int, documents: Collection[str] | None = None) -> list[Hit]:
        """Return the `k` chunks that share words with `text`, by BM25; `text` is words, never a query language."""
        ...

    def names(self) -> Names:
        """Return the names in the signatures of all chunks, with the documents that bear them."""
        ...

    def read_range(self, document_id: str, first_ordinal: int, last_ordinal: int) -> list[Chunk]:
        """Return the document's chunks with ordinals from first to last, both included, in order; [] when none."""
        ...

    def count(self, document_ids: Collection[str] | None = None) -> int:
        """Return the number of rows, of the given documents or of all."""
        ...

    def vectors(self, document_ids: Collection[str]) -> dict[str, Vector]:
        """Return the vectors of the documents' rows by `text_hash(embedded_text)`, to be used again for equal texts."""
        ...

    def document_states(self) -> dict[str, DocumentState]:
        """Return what the store holds of every document, by document id."""
        ...

    def stats(self) -> StoreStats:
        """Return the store's size and the state of its indices."""
        ...

    def maintain(self) -> None:
        """Bring the indices up to date, merge small files and remove old versions; cheap when nothing is to do."""
        ...


def text_hash(embedded_text: str) -> str:
    """Return 16 hexadecimal digits that identify an embedded text; the keys of `Store.vectors`."""
    return content_id(embedded_text)
