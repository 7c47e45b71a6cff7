"""What `fonte show --signatures` presents: segments, their signatures, where each field came from, and every gap."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from fonte.chunking.chop import Continuity, Gap, decide, identify
from fonte.chunking.chop.separation import unit_texts, units_of
from fonte.chunking.chop.topics import topic_nouns, topics
from fonte.values import Chunk, Document, Signature

FIELDS = ("category", "nouns", "model")


@dataclass(frozen=True)
class GapView:
    """The gap before a chunk: the probability (0 to 1) that the document goes on there, and the stage that decided.

    `decision` is `new document` (also at the start of a file), `new topic` of the same document, or `same topic`.
    """

    chunk: int
    continuity: float
    decided_by: str
    decision: str


@dataclass(frozen=True)
class SegmentView:
    """Chunks of one document that share a signature; `start` and `end` are code points of that document's text."""

    document: str
    start: int
    end: int
    signature: Signature
    sources: dict[str, str]
    gaps: tuple[GapView, ...]

    @property
    def continuity(self) -> float:
        """The probability that the text went on at the segment's beginning; 0 at the start of a file."""
        return self.gaps[0].continuity

    def to_json(self) -> dict[str, Any]:
        """Return the shape that `fonte show --signatures --json` prints; fields that are not known are null."""
        values = dict.fromkeys(FIELDS) | dict(self.signature.fields)
        return {
            "document": self.document,
            "start": self.start,
            "end": self.end,
            "first_chunk": self.gaps[0].chunk,
            "last_chunk": self.gaps[-1].chunk,
            "signature": values,
            "status": self.signature.status,
            "sources": self.sources,
            "continuity": round(self.continuity, 4),
            "gaps": [
                {
                    "chunk": gap.chunk,
                    "continuity": round(gap.continuity, 4),
                    "decided_by": gap.decided_by,
                    "decision": gap.decision,
                }
                for gap in self.gaps
            ],
        }


def segment_views(
    parts: Sequence[tuple[Document, Sequence[Chunk]]], model: Continuity | None = None
) -> list[SegmentView]:
    """Return the segments of a file from its documents in order, each with its chunks.

    Continuity is that of the free evidence by `model` (None: uncalibrated), computed anew from the texts. A document
    without chunks has no segment.
    """
    units = [unit_texts(document) for document, _ in parts]
    gaps = decide([text for own in units for text in own], model)
    views, position = [], 0
    for (document, chunks), own in zip(parts, units, strict=True):
        views += _segments(document, chunks, gaps[position : position + len(own)], position == 0)
        position += len(own)
    return views


def _segments(document: Document, chunks: Sequence[Chunk], gaps: Sequence[Gap], first: bool) -> list[SegmentView]:
    known = dict(identify(document.title, document.name, document.identity, unit_texts(document)[:8]).sources)
    starts = [unit.start for unit in units_of(document)]
    numbers = topics(chunks)
    counted = topic_nouns(chunks, numbers)
    views: list[SegmentView] = []
    told = zip(chunks, _decisions(numbers), counted, strict=True)
    for fields, run in groupby(told, key=lambda each: each[0].signature.fields):
        own, decisions, nouns = zip(*run, strict=True)
        sources = {name: known.get(name, "model") for name, _ in fields}
        if nouns[0] and dict(fields).get("nouns") == nouns[0]:
            sources["nouns"] = "text"
        seen = tuple(
            _gap(chunk, starts, gaps, first and chunk.ordinal == 0, decision)
            for chunk, decision in zip(own, decisions, strict=True)
        )
        views.append(SegmentView(document.name, own[0].start, own[-1].end, own[0].signature, sources, seen))
    return views


def _decisions(numbers: Sequence[int]) -> list[str]:
    """Return what was decided before each chunk of one document, from the numbers of their topics."""
    inner = ["new topic" if after > before else "same topic" for before, after in pairwise(numbers)]
    return ["new document", *inner][: len(numbers)]


def _gap(chunk: Chunk, starts: Sequence[int], gaps: Sequence[Gap], beginning: bool, decision: str) -> GapView:
    unit = max(bisect_right(starts, chunk.start) - 1, 0)
    if beginning:
        return GapView(chunk.ordinal, 0.0, "file", decision)
    if chunk.start > starts[unit]:  # inside of a paragraph
        return GapView(chunk.ordinal, 1.0, "text", decision)
    return GapView(chunk.ordinal, 1.0 - gaps[unit].probability, gaps[unit].decided_by, decision)
