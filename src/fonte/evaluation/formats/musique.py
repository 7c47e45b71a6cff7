"""MuSiQue (Trivedi et al. 2022)."""

from __future__ import annotations

from pathlib import Path

from fonte.evaluation.files import Json, read_objects, require, require_id, require_new, require_object, texts
from fonte.evaluation.questions import Question, QuestionPassage


def read_musique(path: Path) -> list[Question]:
    """Read `musique_{ans,full}_v1.0_*.jsonl`: `{id, question, answer, answer_aliases, answerable, paragraphs, …}`.

    Passages are named by `idx`, gold where `is_supporting`. The full set holds each question twice with one id, once
    not answerable: the second is named `<id>#2`. Errors: `UsageError`.
    """
    seen: dict[str, int] = {}
    known: dict[str, bool] = {}
    questions: list[Question] = []
    for line, row in read_objects(path):
        name = require_id(path, line, row)
        answerable = require(path, line, row, "answerable", bool) if "answerable" in row else None
        if answerable is not None and known.setdefault(name, answerable) != answerable:
            name = f"{name}#2"
        require_new(path, line, name, seen)
        answers = texts(path, line, row, "answer") + texts(path, line, row, "answer_aliases")
        questions.append(
            Question(
                id=name,
                question=require(path, line, row, "question", str),
                answers=() if answerable is False else tuple(dict.fromkeys(answers)),
                passages=_passages(path, line, row),
                answerable=answerable,
                extra={key: row[key] for key in ("question_decomposition",) if row.get(key)},
            )
        )
    return questions


def _passages(path: Path, line: int, row: Json) -> tuple[QuestionPassage, ...]:
    parts = [require_object(path, line, part) for part in require(path, line, row, "paragraphs", list)]
    return tuple(
        QuestionPassage(
            require_id(path, line, part, "idx"),
            require(path, line, part, "paragraph_text", str),
            require(path, line, part, "title", str),
            require(path, line, part, "is_supporting", bool) if "is_supporting" in part else None,
        )
        for part in parts
    )
