"""The passages of a corpus as questions refer to them: those that hold a gold span, and those that are still there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from fonte.corpus import Corpus
from fonte.evaluation.questions import GoldSpan, Question
from fonte.values import Chunk, content_id


class CorpusPassages:
    """Reads each document's chunks once, as they were when this was made."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._documents = corpus.records.documents.list()
        self._chunks = cache(self._read)

    def gold(self, question: Question) -> Iterator[str]:
        """Yield the ids of all passages that hold gold of the question, whether retrieval finds them or not."""
        for span in question.gold:
            yield from (chunk.id for chunk in self._chunks(span.document) if overlaps(span, chunk))

    def holds(self, document: str, passage_id: str) -> bool:
        """Return whether `document` still has this passage with the same text."""
        return any(chunk.id == passage_id for chunk in self._chunks(document))

    def state(self) -> str:
        """Return a fingerprint of all that is indexed: another one means that a question may find other passages."""
        counts = sorted(self._corpus.records.ledger.chunk_counts().items())
        versions = sorted((entry.document_id, entry.version) for entry in self._documents)
        return content_id(repr(counts), repr(versions))

    def _read(self, document: str) -> tuple[Chunk, ...]:
        """Return the chunks of all documents of this name or id; none where it was removed, or never added."""
        counts, store = self._corpus.records.ledger.chunk_counts(), self._corpus.index.store
        known = [entry for entry in self._documents if document in (entry.name, entry.document_id)]
        return tuple(
            chunk
            for entry in known
            if counts.get(entry.document_id)
            for chunk in store.read_range(entry.document_id, 0, counts[entry.document_id] - 1)
        )


def overlaps(span: GoldSpan, chunk: Chunk) -> bool:
    """Return whether a span of a chunk's document and the chunk have a code point in common."""
    return span.start is None or span.end is None or (span.start < chunk.end and chunk.start < span.end)
