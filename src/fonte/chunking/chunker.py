"""From settings and an embedder to a chunker, and from spans to chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from fonte.chunking.budget import Budget, Embedder
from fonte.chunking.cosine import cosine_spans
from fonte.chunking.fixed import check_overlap, fixed_spans
from fonte.chunking.halving import split_until_fits
from fonte.chunking.heading import heading_spans
from fonte.chunking.outline import Outline
from fonte.chunking.sentences import Span, strip_span
from fonte.chunking.text import TEXT_VERSION
from fonte.settings import ChunkingSettings
from fonte.values import Chunk, Document, content_id

Cut = Callable[[Sequence[Document], Budget], Iterator[Iterable[Span]]]

CUTTING_VERSION = 1  # changes when the same settings would give other spans


class Chunker(Protocol):
    """Cuts documents into chunks."""

    @property
    def fingerprint(self) -> str:
        """What changes when the chunks of an unchanged document would."""

    def separate(self, documents: Sequence[Document]) -> tuple[Document, ...]:
        """Return the documents that a file holds, given what its reader made of it."""

    def chunk(self, documents: Sequence[Document]) -> list[Chunk]:
        """Return the chunks of all documents, document by document, in order of their start."""


class SpanChunker:
    """A way of finding spans, and what makes chunks of them: context, ids, and the guarantee that they fit."""

    def __init__(self, cut: Cut, budget: Budget) -> None:
        """`cut` gives the spans of each document in order; `budget` bounds their tokens."""
        self._cut = cut
        self._budget = budget
        self.fingerprint = _fingerprint(budget)

    def separate(self, documents: Sequence[Document]) -> tuple[Document, ...]:
        """Return the documents as they are: this chunker takes a file for what its reader made of it."""
        return tuple(documents)

    def chunk(self, documents: Sequence[Document]) -> list[Chunk]:
        """Return the chunks of all documents; a blank document has none.

        `document.text[chunk.start:chunk.end] == chunk.text`, without white space at the edges; every other character
        of the document lies in a chunk. The embedded text of each, counted anew, fits the embedder's window.
        Errors: `ChunkingError` where a single character does not.
        """
        cuts = self._cut(documents, self._budget)
        return [
            chunk
            for document, spans in zip(documents, cuts, strict=True)
            for chunk in _chunks(document, spans, self._budget, self.fingerprint)
        ]


def chunker_from(settings: ChunkingSettings, embedder: Embedder, reserve: int = 0) -> SpanChunker:
    """Return the chunker that `settings` name, measured with the tokenizer of `embedder`.

    `reserve` tokens of the window stay free for a signature that is added to the chunks later. Errors:
    `ChunkingError` with the numbers where the settings do not fit the window.
    """
    budget = Budget(settings, embedder, reserve)
    if settings.chunker == "fixed":
        check_overlap(budget)
    return SpanChunker(_CUTS[settings.chunker], budget)


def _each(spans: Callable[[Document, Budget], Iterator[Span]]) -> Cut:
    return lambda documents, budget: (spans(document, budget) for document in documents)


_CUTS: dict[str, Cut] = {
    "fixed": _each(fixed_spans),
    "cosine": cosine_spans,
    "heading": _each(heading_spans),
    "chop": _each(heading_spans),  # `chop.signing_chunker` signs what this cuts
}


def _chunks(document: Document, spans: Iterable[Span], budget: Budget, pipeline: str) -> list[Chunk]:
    outline = Outline(document)
    text, document_id, version = document.text, document.id, document.version

    def build(span: Span, ordinal: int = 0) -> Chunk:
        start, end = span
        context = budget.shorten(outline.context(start, end))
        identity = (document_id, version, pipeline, ordinal)
        return Chunk(*identity, start, end, text[start:end], context.title, context.heading, context.header)

    stripped = [span for span in (strip_span(text, *each) for each in spans) if span[0] < span[1]]
    fitting = split_until_fits(text, stripped, lambda some: budget.too_long([build(span) for span in some]))
    return [build(span, ordinal) for ordinal, span in enumerate(fitting)]


def _fingerprint(budget: Budget) -> str:
    embedder = budget.embedder
    tokens = f"{embedder.fingerprint} {embedder.window} {budget.capacity}"
    return content_id("chunking", str(CUTTING_VERSION), str(TEXT_VERSION), budget.settings.model_dump_json(), tokens)
