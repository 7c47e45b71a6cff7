"""Chunks with their vectors and texts, ready for the index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from fonte.chunking import TEXT_VERSION, embedded_text, keyword_text
from fonte.retrieval import Row, text_hash
from fonte.retrieval.store import Vector
from fonte.values import Chunk

if TYPE_CHECKING:
    from fonte.models import Embedder


def make_rows(
    chunks: Iterable[Chunk], names: Mapping[str, str], known: Mapping[str, Vector], embedder: Embedder
) -> dict[str, list[Row]]:
    """Return the rows of `chunks` by document id, in order; every document of `names` (id to name) has an entry.

    Only texts without a vector in `known` (by `text_hash`) are embedded, each once.
    """
    texts = [(chunk, embedded_text(chunk)) for chunk in chunks]
    vectors = dict(known)
    missing = {digest: text for _, text in texts if (digest := text_hash(text)) not in vectors}
    vectors.update(zip(missing, embedder.embed_documents(list(missing.values())), strict=True))
    rows: dict[str, list[Row]] = {document_id: [] for document_id in names}
    for chunk, text in texts:
        name, vector = names[chunk.document_id], vectors[text_hash(text)]
        rows[chunk.document_id].append(Row(chunk, name, vector, text, keyword_text(chunk), TEXT_VERSION))
    return rows
