"""One document as `fonte show` presents it: its text, to which offsets refer, and its chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fonte.values import Chunk, Document


@dataclass(frozen=True)
class DocumentView:
    """A document with its chunks in order."""

    document: Document
    chunks: Sequence[Chunk]

    def to_json(self) -> dict[str, Any]:
        """Return the shape that `fonte show --json` prints."""
        document = self.document
        return {
            "document": document.name,
            "document_id": document.id,
            "source": document.source,
            "title": document.title,
            "format": document.format,
            "metadata": dict(document.metadata),
            "identity": list(document.identity),
            "text": document.text,
            "chunks": [_chunk(document, chunk) for chunk in self.chunks],
        }


def _chunk(document: Document, chunk: Chunk) -> dict[str, Any]:
    place = document.place(chunk.start, chunk.end)
    return {
        "passage_id": chunk.id,
        "ordinal": chunk.ordinal,
        "start": chunk.start,
        "end": chunk.end,
        "heading": list(chunk.heading),
        "header": chunk.header,
        "signature": dict(chunk.signature.fields),
        "page": place.page,
        "line": place.line,
        "sheet": place.sheet,
    }
