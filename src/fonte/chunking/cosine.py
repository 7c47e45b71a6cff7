"""A new chunk where neighbouring sentences stop resembling each other: CHOP's second baseline, threshold .35."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from fonte.chunking.budget import Budget, Embedder
from fonte.chunking.halving import split_until_fits
from fonte.chunking.outline import Context, Outline
from fonte.chunking.sentences import Span, sentences, skip_space
from fonte.chunking.tokens import TokenGrid
from fonte.values import Document

SENTENCES_AT_ONCE = 4096  # vectors held in memory


def cosine_spans(documents: Sequence[Document], budget: Budget) -> Iterator[list[Span]]:
    """Yield the spans of each document in order.

    A chunk ends before a sentence whose embedding has a cosine below `threshold` to the sentence before it, or that
    does not fit any more. Sentences above the budget are cut by tokens first. Sentences of all documents are embedded
    together, each with nothing before it.
    """
    grids = [budget.grid(document.text) for document in documents]
    pieces = [_pieces(document.text, grid, budget) for document, grid in zip(documents, grids, strict=True)]
    texts = (
        document.text[start:end] for document, spans in zip(documents, pieces, strict=True) for start, end in spans
    )
    similarities = chain.from_iterable(_similarities(texts, budget.embedder))
    for document, grid, spans in zip(documents, grids, pieces, strict=True):
        yield list(_join(document, grid, list(zip(spans, similarities, strict=False)), budget))


def _pieces(text: str, grid: TokenGrid, budget: Budget) -> list[Span]:
    room = budget.smallest_room
    capped: list[Span] = []
    for start, end in sentences(text):
        while start < end:
            cut = grid.fit(start, end, room)
            capped.append((start, cut))
            start = skip_space(text, cut, end)
    return split_until_fits(text, capped, lambda spans: _over(text, spans, budget))


def _over(text: str, spans: list[Span], budget: Budget) -> list[bool]:
    return [count > budget.capacity for count in budget.counts([text[start:end] for start, end in spans])]


def _similarities(texts: Iterable[str], embedder: Embedder) -> Iterator[NDArray[np.float32]]:
    """Yield, in batches, the cosine of each text to the text before it (0 for the first)."""
    source = iter(texts)
    last: NDArray[np.float32] | None = None
    while batch := list(islice(source, SENTENCES_AT_ONCE)):
        distinct = list(dict.fromkeys(batch))
        rows = {text: row for row, text in enumerate(distinct)}
        vectors = embedder.embed_documents(distinct)[[rows[text] for text in batch]]
        before = np.concatenate(([np.zeros_like(vectors[0]) if last is None else last], vectors[:-1]))
        yield np.einsum("nd,nd->n", before, vectors)
        last = vectors[-1]


def _join(document: Document, grid: TokenGrid, pieces: list[tuple[Span, np.float32]], budget: Budget) -> Iterator[Span]:
    outline = Outline(document)
    start = end = room = -1
    for (piece_start, piece_end), similarity in pieces:
        similar = start >= 0 and similarity >= budget.settings.threshold
        if similar and grid.count(start, piece_end) <= min(room, budget.room(outline.context(start, piece_end))):
            end = piece_end
            continue
        if start >= 0:
            yield start, end
        start, end = piece_start, piece_end
        room = budget.room(outline.context(start, end) if start < end else Context())
    if start >= 0:
        yield start, end
