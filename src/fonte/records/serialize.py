"""Values to JSON and back, in one place: the public shapes of the command line, and the fuller ones of the records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from fonte.errors import RecordError
from fonte.records.answer_record import AnswerRecord, ModelIdentity
from fonte.values import (
    Answer,
    Box,
    Chunk,
    Citation,
    Effect,
    Passage,
    Prompt,
    PromptPassage,
    SegmentedPrompt,
    Signature,
)

RECORD_FORMAT = 1

Json = dict[str, Any]


def answer_json(answer: Answer) -> Json:
    """Return the public shape of an answer: what `fonte ask --json` prints.

    Effects appear only where they were measured.
    """
    return {
        "question": answer.question,
        "status": answer.status,
        "reason": answer.reason,
        "answer": answer.text,
        "citations": [citation_json(citation) for citation in answer.citations],
        "passages": passages_json(answer.passages),
        "invented_markers": list(answer.invented_markers),
        "dropped_passages": list(answer.dropped_passages),
        "record": answer.record,
        "seconds": dict(answer.seconds),
        "mode": answer.mode,
        **({"effects": [asdict(effect) for effect in answer.effects]} if answer.effects else {}),
    }


def citation_json(citation: Citation) -> Json:
    """Return the public shape of a citation; `effect` appears only where it was measured."""
    shape = asdict(citation)
    shape["boxes"] = list(shape["boxes"])
    if citation.effect is None:
        del shape["effect"]
    return shape


def passages_json(passages: Iterable[Passage]) -> list[Json]:
    """Return the public shape of passages, as in `fonte search --json`."""
    return [
        {
            "passage_id": passage.id,
            "document": passage.document,
            "start": passage.chunk.start,
            "end": passage.chunk.end,
            "text": passage.chunk.text,
            "retrieval_score": passage.retrieval_score,
            "rerank_score": passage.rerank_score,
        }
        for passage in passages
    ]


def record_json(record: AnswerRecord) -> Json:
    """Return everything that a record holds, as `record_from_json` reads it."""
    return {
        "format": RECORD_FORMAT,
        "answer": asdict(record.answer),
        "prompt": asdict(record.prompt),
        "segments": None if record.segments is None else asdict(record.segments),
        "raw_text": record.raw_text,
        "thinking": record.thinking,
        "token_ids": list(record.token_ids),
        "finish_reason": record.finish_reason,
        "language_model": asdict(record.language_model),
        "embedder": asdict(record.embedder),
        "reranker": None if record.reranker is None else asdict(record.reranker),
        "index_generation": record.index_generation,
        "seed": record.seed,
        "settings": dict(record.settings),
        "created": record.created,
        "fonte_version": record.fonte_version,
    }


def record_from_json(data: Mapping[str, Any]) -> AnswerRecord:
    """Return the record that `record_json` was given.

    Errors: `RecordError` when the data lack a part, have one too many, or were written in a newer format.
    """
    values = dict(data)
    written = values.pop("format", None)
    if written != RECORD_FORMAT:
        raise RecordError(f"The record has format {written!r}; this fonte reads format {RECORD_FORMAT}. Upgrade fonte.")
    try:
        segments, reranker = values.pop("segments"), values.pop("reranker")
        return AnswerRecord(
            answer=answer_from_json(values.pop("answer")),
            prompt=_prompt(values.pop("prompt")),
            segments=None if segments is None else _segments(segments),
            token_ids=tuple(values.pop("token_ids")),
            language_model=ModelIdentity(**values.pop("language_model")),
            embedder=ModelIdentity(**values.pop("embedder")),
            reranker=None if reranker is None else ModelIdentity(**reranker),
            **values,
        )
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise RecordError(
            f"The record cannot be read: {error!r}. It was changed outside fonte, or is damaged."
        ) from None


def answer_from_json(data: Mapping[str, Any]) -> Answer:
    """Return the answer inside a record (not the public shape, which leaves out parts of the passages)."""
    return Answer(
        **{
            **data,
            "citations": tuple(citation_from_json(citation) for citation in data["citations"]),
            "passages": tuple(_passage(passage) for passage in data["passages"]),
            "invented_markers": tuple(data["invented_markers"]),
            "dropped_passages": tuple(data["dropped_passages"]),
            "seconds": tuple((name, seconds) for name, seconds in data["seconds"]),
            "effects": tuple(Effect(**effect) for effect in data["effects"]),
        }
    )


def citation_from_json(data: Mapping[str, Any]) -> Citation:
    """Return the citation that `citation_json` was given."""
    effect = data.get("effect")
    boxes = tuple(Box(**box) for box in data["boxes"])
    return Citation(**{**data, "boxes": boxes, "effect": None if effect is None else Effect(**effect)})


def _passage(data: Mapping[str, Any]) -> Passage:
    chunk = data["chunk"]
    signature = chunk["signature"]
    fields = tuple((name, value) for name, value in signature["fields"])
    known = Signature(fields, signature["status"])
    return Passage(**{**data, "chunk": Chunk(**{**chunk, "heading": tuple(chunk["heading"]), "signature": known})})


def _prompt(data: Mapping[str, Any]) -> Prompt:
    return Prompt(**{**data, "passages": tuple(PromptPassage(**passage) for passage in data["passages"])})


def _segments(data: Mapping[str, Any]) -> SegmentedPrompt:
    passages = tuple((tuple(signature), tuple(text)) for signature, text in data["passages"])
    return SegmentedPrompt(tuple(data["head"]), passages, tuple(data["tail"]))
