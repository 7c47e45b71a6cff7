"""Answers that any model gave, with the passages it was shown: the input of judging without training."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fonte.evaluation.files import Json, read_objects, refuse, require, require_object, texts
from fonte.evaluation.questions import QuestionPassage


@dataclass(frozen=True)
class Answered:
    """One line; `closed_book` is what the same model said without documents, None where it was not asked.

    `answerable` False means that the passages do not answer, so that silence is right and none of them supports it.
    """

    id: str
    question: str
    passages: tuple[QuestionPassage, ...]
    answer: str
    answers: tuple[str, ...] = ()
    closed_book: str | None = None
    answerable: bool | None = None

    @property
    def supporting(self) -> tuple[int, ...]:
        """Positions of the passages that are marked as gold."""
        if self.answerable is False:
            return ()
        return tuple(place for place, passage in enumerate(self.passages) if passage.gold)


def read_answered(path: Path) -> list[Answered]:
    """Read JSONL (gzipped or not) of answers with their questions and passages.

    A line is `{question, passages: [{id, title, text, gold}], answer, answers, closed_book_answer, answerable}`; `id`
    (of lines and passages; else their number), `title`, `gold`, `answers`, `closed_book_answer` and `answerable` may be
    absent. Errors: `UsageError` with file and line; for a file without a line too.
    """
    items = [_item(path, line, row) for line, row in read_objects(path)]
    if not items:
        refuse(path, None, "the file holds no answer.", "Write one JSON object per line.")
    return items


def _item(path: Path, line: int, row: Json) -> Answered:
    closed = require(path, line, row, "closed_book_answer", str) if row.get("closed_book_answer") is not None else None
    return Answered(
        id=str(row.get("id", line)),
        question=require(path, line, row, "question", str),
        passages=tuple(_passages(path, line, row)),
        answer=require(path, line, row, "answer", str),
        answers=texts(path, line, row, "answers"),
        closed_book=closed,
        answerable=require(path, line, row, "answerable", bool) if row.get("answerable") is not None else None,
    )


def _passages(path: Path, line: int, row: Json) -> Iterator[QuestionPassage]:
    for number, value in enumerate(require(path, line, row, "passages", list), start=1):
        part = require_object(path, line, value)
        gold = part.get("gold")
        if gold not in (None, 0, 1):
            refuse(path, line, f"'gold' of a passage is {gold!r}.", "Write true or false, or leave it out.")
        title = require(path, line, part, "title", str) if part.get("title") is not None else ""
        text = require(path, line, part, "text", str)
        yield QuestionPassage(str(part.get("id", number)), text, title, None if gold is None else bool(gold))
