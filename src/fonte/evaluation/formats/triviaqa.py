"""TriviaQA (Joshi et al. 2017)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fonte.evaluation.files import Json, read_json, refuse, require, require_id, require_new, require_object, texts
from fonte.evaluation.questions import Question, QuestionPassage

PLACES = {"EntityPages": "wikipedia", "SearchResults": "web"}


def read_triviaqa(path: Path) -> list[Question]:
    """Read `qa/*.json` of `triviaqa-rc`, or a file of `triviaqa-unfiltered`: `{"Data": [{Question, QuestionId, …}]}`.

    Gold answers are the value and its aliases. Evidence is read from the folder `evidence` of the archive (beside
    `qa`) where it is there, as passages named by their file; nobody said which of them are gold. Errors: `UsageError`.
    """
    data = require(path, None, require_object(path, None, read_json(path)), "Data", list)
    evidence = path.parent.parent / "evidence"
    seen: dict[str, int] = {}
    questions: list[Question] = []
    for number, value in enumerate(data, start=1):
        row = require_object(path, number, value)
        name = require_id(path, number, row, "QuestionId")
        require_new(path, number, name, seen)
        questions.append(
            Question(
                id=name,
                question=require(path, number, row, "Question", str),
                answers=_answers(path, number, row.get("Answer")),
                passages=_passages(path, number, row, evidence) if evidence.is_dir() else (),
            )
        )
    return questions


def _answers(path: Path, number: int, answer: Any) -> tuple[str, ...]:
    if answer is None:
        return ()
    part = require_object(path, number, answer)
    return tuple(dict.fromkeys(texts(path, number, part, "Value") + texts(path, number, part, "Aliases")))


def _passages(path: Path, number: int, row: Json, evidence: Path) -> tuple[QuestionPassage, ...]:
    found: dict[str, QuestionPassage] = {}
    for field, place in PLACES.items():
        for value in row.get(field) or []:
            part = require_object(path, number, value)
            name = require(path, number, part, "Filename", str)
            file = evidence / place / name
            if not file.resolve().is_relative_to(evidence.resolve()):
                refuse(path, number, f"the file name {name!r} leads out of the archive.", "Fetch the archive again.")
            if file.is_file():
                text = file.read_text(encoding="utf-8", errors="replace")
                key = f"{place}/{name}"
                found[key] = QuestionPassage(key, text, str(part.get("Title") or ""))
    return tuple(found.values())
