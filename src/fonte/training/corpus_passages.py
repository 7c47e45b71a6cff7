"""The passages of a corpus as questions refer to them: those that hold a gold span, and those that are still there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from fonte.corpus import Corpus
from fonte.errors import UsageError
from fonte.evaluation.questions import GoldSpan, Question
from fonte.values import Chunk, content_id


class CorpusPassages:
    """Reads each document's chunks once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
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
        versions = sorted((entry.document_id, entry.version) for entry in self._corpus.records.documents.list())
        return content_id(repr(counts), repr(versions))

    def _read(self, document: str) -> tuple[Chunk, ...]:
        try:
            known = self._corpus.records.documents.find(document)
        except UsageError:  # removed, or never added
            return ()
        count = self._corpus.records.ledger.chunk_counts().get(known.document_id, 0)
        return tuple(self._corpus.index.store.read_range(known.document_id, 0, count - 1)) if count else ()


def overlaps(span: GoldSpan, chunk: Chunk) -> bool:
    """Return whether a span of a chunk's document and the chunk have a code point in common."""
    return span.start is None or span.end is None or (span.start < chunk.end and chunk.start < span.end)
