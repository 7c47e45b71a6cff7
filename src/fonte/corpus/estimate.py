"""What an ingest would cost, before it is done: model calls, tokens and seconds."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from fonte.chunking import Chunker, embedded_text
from fonte.documents import Reading
from fonte.values import Chunk

if TYPE_CHECKING:
    from fonte.models import Embedder

SAMPLE = 8  # chunks that are embedded to learn how fast this machine is
CALLS_PER_DOCUMENT = 2  # a name, and once more where the reply does not fit
TOKENS_PER_CALL = 900  # instructions, worked cases, one chunk, the answer
SECONDS_PER_CALL = 3.0  # a small model on two cores; a server is faster


@dataclass(frozen=True)
class Estimate:
    """The cost of an ingest: `model_calls` and `model_tokens` at most, `embed_tokens`, `seconds` about.

    `unreadable` files hold no text or cannot be read, and cost nothing.
    """

    files: int
    unreadable: int
    documents: int
    chunks: int
    model_calls: int
    model_tokens: int
    embed_tokens: int
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return the shape that `fonte add --dry-run --json` prints."""
        return {"dry_run": True, **asdict(self)}


def estimate(readings: Iterable[Reading], chunker: Chunker, embedder: Embedder, max_model_calls: int) -> Estimate:
    """Return what cutting and embedding `readings` with `chunker` would cost; `chunker` must ask no model itself.

    Chunks that a model would be asked about are those that `chunker` marks `unnamed`, `undecided` or `budget`.
    """
    files = unreadable = documents = embed_tokens = calls = 0
    chunks: list[Chunk] = []
    for reading in readings:
        files += 1
        unreadable += reading.status != "read"
        own = chunker.separate(reading.documents)
        documents += len(own)
        chunks += (cut := chunker.chunk(own))
        calls += _calls(cut)
    texts = [embedded_text(chunk) for chunk in chunks]
    for first in range(0, len(texts), 256):
        embed_tokens += sum(embedder.count_tokens(texts[first : first + 256]))
    calls = min(calls, max_model_calls)
    seconds = embed_tokens * _seconds_per_token(texts, embedder) + calls * SECONDS_PER_CALL
    model_tokens = calls * TOKENS_PER_CALL
    return Estimate(files, unreadable, documents, len(chunks), calls, model_tokens, embed_tokens, round(seconds, 1))


def _calls(chunks: Sequence[Chunk]) -> int:
    unnamed = len({chunk.document_id for chunk in chunks if chunk.signature.status == "unnamed"})
    undecided = sum(chunk.signature.status == "undecided" for chunk in chunks)
    faithful = [chunk for chunk in chunks if chunk.signature.status == "budget"]
    return CALLS_PER_DOCUMENT * unnamed + undecided + 2 * len(faithful)


def _seconds_per_token(texts: Sequence[str], embedder: Embedder) -> float:
    sample = texts[:: max(len(texts) // SAMPLE, 1)][:SAMPLE]
    if not sample:
        return 0.0
    begun = time.perf_counter()
    embedder.embed_documents(sample)
    return (time.perf_counter() - begun) / max(sum(embedder.count_tokens(sample)), 1)
