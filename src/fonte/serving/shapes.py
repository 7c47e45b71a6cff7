"""What the API shows of answers, passages and documents: the shapes of the command line, and what a page needs more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fonte.records.answer_record import AnswerRecord
from fonte.records.documents import DocumentEntry
from fonte.records.serialize import answer_json, citation_json, passages_json
from fonte.values import Answer, Citation, Document, Passage, Place

Json = dict[str, Any]


def answer_shape(answer: Answer) -> Json:
    """Return what `fonte ask --json` prints, with the richer passages and citations."""
    known = {passage.id: passage for passage in answer.passages}
    return {
        **answer_json(answer),
        "passages": passages_shape(answer.passages),
        "citations": [citation_shape(citation, known[citation.passage_id], answer) for citation in answer.citations],
    }


def record_shape(record: AnswerRecord) -> Json:
    """Return a recorded answer with its time, model and how it was made."""
    generation = record.settings.get("generation", {})
    return {
        **answer_shape(record.answer),
        "created": record.created,
        "language_model": record.language_model.name,
        "seed": record.seed,
        "settings": {"generation": generation, "retrieval": record.settings.get("retrieval", {})},
    }


def passages_shape(passages: Iterable[Passage]) -> list[Json]:
    """Return what `fonte search --json` prints, and where each passage stands."""
    listed = list(passages)
    return [{**shown, **_whereabouts(passage)} for shown, passage in zip(passages_json(listed), listed, strict=True)]


def citation_shape(citation: Citation, passage: Passage, answer: Answer | None = None) -> Json:
    """Return a citation with the document it is of; `marker` is its marker where the answer is known."""
    marker = answer.text[citation.marker_start : citation.marker_end] if answer else ""
    place = {"document_id": passage.chunk.document_id, "document_version": passage.chunk.document_version}
    return {**citation_json(citation), **place, "title": passage.chunk.title, **({"marker": marker} if answer else {})}


def annotation(citation: Citation, passage: Passage, base: str) -> Json:
    """Return a citation as OpenAI's annotation; the address opens the source at the quote in this server's page."""
    chunk = passage.chunk
    page = f", page {citation.page}" if citation.page else ""
    span = f"start={citation.source_start}&end={citation.source_end}"
    return {
        "type": "url_citation",
        "url_citation": {
            "start_index": citation.answer_start,
            "end_index": citation.answer_end,
            "title": f"{chunk.title or passage.document}{page}",
            "url": f"{base}/?document={chunk.document_id}&{span}",
        },
    }


def document_shape(entry: DocumentEntry, chunks: int, groups: Iterable[str]) -> Json:
    """Return one line of the list of documents. Where it lies on the server's disk is nobody's business here."""
    return {
        "document_id": entry.document_id,
        "document_version": entry.version,
        "document": entry.name,
        "title": entry.title,
        "format": entry.format,
        "chunks": chunks,
        "characters": entry.characters,
        "metadata": dict(entry.metadata),
        "groups": sorted(groups),
    }


def place_shape(place: Place) -> Json:
    """Return where a span lies in the original."""
    boxes = [
        {"page": box.page, "left": box.left, "top": box.top, "right": box.right, "bottom": box.bottom}
        for box in place.boxes
    ]
    return {
        "page": place.page,
        "boxes": boxes,
        "heading": list(place.heading),
        "line": place.line,
        "sheet": place.sheet,
    }


def pages_of(document: Document) -> int:
    """Return the number of the last page that has text, 0 for formats without pages."""
    return max((block.page or 0 for block in document.blocks), default=0)


def _whereabouts(passage: Passage) -> Json:
    chunk = passage.chunk
    return {
        "document_id": chunk.document_id,
        "document_version": chunk.document_version,
        "title": chunk.title,
        "heading": list(chunk.heading),
        "signature": dict(chunk.signature.fields),
    }
