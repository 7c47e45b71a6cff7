"""What a question gets back: passages, citations, and the answer that holds them."""

from __future__ import annotations

from dataclasses import dataclass

from fonte.values.chunk import Chunk
from fonte.values.document import Box
from fonte.values.effect import Effect


@dataclass(frozen=True)
class Passage:
    """A chunk that was found for a question, with the scores that put it where it is.

    `document` is the document's name. `retrieval_score` is comparable within one question only; `rerank_score` is
    None where no re-ranker ran.
    """

    chunk: Chunk
    document: str
    retrieval_score: float
    rerank_score: float | None = None

    @property
    def id(self) -> str:
        """The chunk's id."""
        return self.chunk.id


@dataclass(frozen=True)
class Citation:
    """A claim of the answer tied to the words of a source.

    `answer_start/answer_end` span the sentence of the displayed answer that is cited, `marker_start/marker_end` its
    marker `[n]`, `source_start/source_end` the quote in the document's text; all in code points, end exclusive.
    `origin` says where the citation comes from: `model` (its own marker), `quote` (the sentence is the source's own),
    `choice` (the model was made to choose a label, and a quote supports it), `effect` (removing the passage measurably
    lowers the sentence's likelihood). `status` is `verbatim` (the quote is the sentence), `paraphrase` (the quote
    carries it in other words) or `no_quote` (nothing in the passage carries it; the quote is empty).
    """

    passage_id: str
    document: str
    page: int | None
    boxes: tuple[Box, ...]
    answer_start: int
    answer_end: int
    marker_start: int
    marker_end: int
    source_start: int
    source_end: int
    quote: str
    origin: str
    status: str
    effect: Effect | None = None


@dataclass(frozen=True)
class Answer:
    """An answer as displayed, with all that is needed to check it.

    `status` is `answered`, `not_in_sources` (the sources do not hold the answer: a result, not a failure) or
    `incomplete` (something went wrong; `reason` says what and what to do). `text` is the displayed text: valid markers
    are `[1]`, `[2]`, … in order of first use. `seconds` has the keys `retrieve`, `rerank` and `generate`.
    """

    question: str
    status: str
    reason: str
    text: str
    citations: tuple[Citation, ...] = ()
    passages: tuple[Passage, ...] = ()
    invented_markers: tuple[str, ...] = ()
    dropped_passages: tuple[str, ...] = ()
    record: str = ""
    seconds: tuple[tuple[str, float], ...] = ()
    mode: str = ""
    effects: tuple[Effect, ...] = ()
