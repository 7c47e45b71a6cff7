"""Question sets in the one shape that all of fonte reads: JSONL, one question per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from fonte.evaluation.files import (
    Json,
    read_objects,
    refuse,
    require,
    require_id,
    require_new,
    require_object,
    texts,
    write_text,
)

KNOWN = ("id", "question", "answers", "passages", "gold", "answerable")


@dataclass(frozen=True, slots=True)
class QuestionPassage:
    """A passage that comes with a question; `gold` says whether it holds the answer, None where nobody said."""

    id: str
    text: str
    title: str = ""
    gold: bool | None = None


@dataclass(frozen=True, slots=True)
class GoldSpan:
    """Evidence in a document, `[start, end)` in code points; both None mean the whole document."""

    document: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True)
class Question:
    """A question with what is known about its answer; parts that are not known are empty or None.

    `extra` keeps every other field. Of these, measures read `claims` (texts that a good answer makes), `expression`
    (PRGB) and `substituted` (answers that changed documents give).
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    passages: tuple[QuestionPassage, ...] = ()
    gold: tuple[GoldSpan, ...] = ()
    answerable: bool | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Freeze what else is known."""
        object.__setattr__(self, "extra", MappingProxyType(dict(self.extra)))

    @property
    def relevance(self) -> dict[str, int]:
        """The grades that a ranking is measured by: passages marked gold or not, else the documents of `gold`."""
        marked = {passage.id: int(passage.gold) for passage in self.passages if passage.gold is not None}
        return marked if any(marked.values()) else {span.document: 1 for span in self.gold}

    def to_json(self) -> Json:
        """Return the shape of a line; absent parts are left out."""
        parts: Json = {"id": self.id, "question": self.question}
        if self.answers:
            parts["answers"] = list(self.answers)
        if self.passages:
            parts["passages"] = [_passage_json(passage) for passage in self.passages]
        if self.gold:
            parts["gold"] = [_span_json(span) for span in self.gold]
        if self.answerable is not None:
            parts["answerable"] = self.answerable
        return {**parts, **self.extra}


def read_questions(path: Path) -> list[Question]:
    """Read a question set; passages without an id are named by their position, from "1".

    Errors: `UsageError` with file, line and what to do: no id or question, an id used twice, a part of the wrong type,
    a span that ends before it starts.
    """
    seen: dict[str, int] = {}
    questions: list[Question] = []
    for line, row in read_objects(path):
        question = _question(path, line, row)
        require_new(path, line, question.id, seen)
        questions.append(question)
    if not questions:
        refuse(path, None, "the file holds no question.", "Write one JSON object per line.")
    return questions


def write_questions(path: Path, questions: Iterable[Question]) -> None:
    """Write a question set as JSONL, in one step. Errors: `UsageError`."""
    write_text(path, (json.dumps(one.to_json(), ensure_ascii=False, allow_nan=False) + "\n" for one in questions))


def _question(path: Path, line: int, row: Json) -> Question:
    answerable = require(path, line, row, "answerable", bool) if row.get("answerable") is not None else None
    return Question(
        id=require_id(path, line, row),
        question=require(path, line, row, "question", str),
        answers=texts(path, line, row, "answers"),
        passages=_passages(path, line, row),
        gold=tuple(_span(path, line, value) for value in _listed(path, line, row, "gold")),
        answerable=answerable,
        extra={name: value for name, value in row.items() if name not in KNOWN},
    )


def _listed(path: Path, line: int, row: Json, name: str) -> list[Any]:
    return list(require(path, line, row, name, list)) if row.get(name) is not None else []


def _passages(path: Path, line: int, row: Json) -> tuple[QuestionPassage, ...]:
    seen: dict[str, int] = {}
    passages: list[QuestionPassage] = []
    for position, value in enumerate(_listed(path, line, row, "passages"), start=1):
        part = require_object(path, line, value)
        name = require_id(path, line, part) if part.get("id") is not None else str(position)
        if name in seen:
            refuse(path, line, f"two passages have the id {name!r}.", "Ids of passages must be unique in a question.")
        seen[name] = position
        title = require(path, line, part, "title", str) if part.get("title") is not None else ""
        passages.append(QuestionPassage(name, require(path, line, part, "text", str), title, _gold(path, line, part)))
    return tuple(passages)


def _gold(path: Path, line: int, part: Json) -> bool | None:
    value = part.get("gold")
    if value not in (None, 0, 1):
        refuse(path, line, f"'gold' of a passage is {value!r}.", "Write true or false, or leave it out.")
    return None if value is None else bool(value)


def _span(path: Path, line: int, value: Any) -> GoldSpan:
    part = require_object(path, line, value)
    document = require_id(path, line, part, "document")
    if part.get("start") is None and part.get("end") is None:
        return GoldSpan(document)
    start, end = require(path, line, part, "start", int), require(path, line, part, "end", int)
    if not 0 <= start <= end:
        refuse(path, line, f"the gold span {start} to {end} is not a span.", "Offsets are code points, end exclusive.")
    return GoldSpan(document, start, end)


def _passage_json(passage: QuestionPassage) -> Json:
    parts: Json = {"id": passage.id, "text": passage.text}
    if passage.title:
        parts["title"] = passage.title
    if passage.gold is not None:
        parts["gold"] = passage.gold
    return parts


def _span_json(span: GoldSpan) -> Json:
    whole = span.start is None
    return {"document": span.document} if whole else {"document": span.document, "start": span.start, "end": span.end}
