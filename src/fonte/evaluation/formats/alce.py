"""ALCE (Gao et al. 2023): ASQA, ELI5 and QAMPARI."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fonte.evaluation.files import Json, read_json, refuse, require, require_id, require_object, texts
from fonte.evaluation.questions import Question, QuestionPassage


def read_alce(path: Path) -> list[Question]:
    """Read `*_eval_*.json` (a list), or a result file (`{"args": …, "data": […]}`).

    `docs` are the passages, named by their position from "1", since answers cite `[1]`. Gold answers: ASQA's long
    answers, ELI5's `answer`, QAMPARI's list in one text; `extra` keeps `claims`, `short_answers` (ASQA: alternatives
    for each part) and `answer_list` (QAMPARI: alternatives for each entry). An item without `sample_id` or `id` is
    named by its position from "0". Errors: `UsageError`.
    """
    data = read_json(path)
    if isinstance(data, dict):
        data = require(path, None, data, "data", list)
    if not isinstance(data, list):
        refuse(path, None, "this is neither a list nor an object with 'data'.", "Name an ALCE data or result file.")
    questions = [_question(path, number, require_object(path, number + 1, row)) for number, row in enumerate(data)]
    if len({question.id for question in questions}) < len(questions):
        refuse(path, None, "an id is used twice.", "Ids must be unique.")
    return questions


def _question(path: Path, number: int, row: Json) -> Question:
    key = next((key for key in ("sample_id", "id") if row.get(key) is not None), None)
    pairs = [require_object(path, number + 1, pair) for pair in row.get("qa_pairs") or []]
    extra: dict[str, Any] = {"claims": list(texts(path, number + 1, row, "claims"))} if row.get("claims") else {}
    if pairs:
        extra["short_answers"] = [list(texts(path, number + 1, pair, "short_answers")) for pair in pairs]
    if row.get("answers"):
        extra["answer_list"] = row["answers"]
    return Question(
        id=require_id(path, number + 1, row, key) if key else str(number),
        question=require(path, number + 1, row, "question", str),
        answers=_answers(path, number + 1, row),
        passages=_passages(path, number + 1, row),
        extra=extra,
    )


def _answers(path: Path, line: int, row: Json) -> tuple[str, ...]:
    annotations = [require_object(path, line, one) for one in row.get("annotations") or []]
    if longs := tuple(text for one in annotations for text in texts(path, line, one, "long_answer")):
        return longs
    if entries := row.get("answers"):
        if not all(isinstance(entry, list) and entry for entry in entries):
            refuse(path, line, "'answers' is not a list of lists of alternatives.", "Check the format.")
        return (", ".join(str(entry[0]) for entry in entries),)
    return texts(path, line, row, "answer")


def _passages(path: Path, line: int, row: Json) -> tuple[QuestionPassage, ...]:
    documents = [require_object(path, line, one) for one in row.get("docs") or []]
    return tuple(
        QuestionPassage(
            str(position),
            require(path, line, document, "text", str),
            require(path, line, document, "title", str) if document.get("title") is not None else "",
        )
        for position, document in enumerate(documents, start=1)
    )
