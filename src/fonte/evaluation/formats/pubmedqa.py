"""PubMedQA (Jin et al. 2019)."""

from __future__ import annotations

from pathlib import Path

from fonte.evaluation.files import Json, read_json, refuse, require, require_object, texts
from fonte.evaluation.questions import Question, QuestionPassage


def read_pubmedqa(path: Path) -> list[Question]:
    """Read `ori_pqal.json` (or `pqaa`, `pqau`): `{PubMed id: {QUESTION, CONTEXTS, LABELS, final_decision, …}}`.

    The gold answer is `yes`, `no` or `maybe`; each section of the abstract is a passage, titled by its label and gold,
    since there are no distractors. `extra["long_answer"]` keeps the conclusion. Errors: `UsageError`.
    """
    data = require_object(path, None, read_json(path))
    return [_question(path, number, name, value) for number, (name, value) in enumerate(data.items(), start=1)]


def _question(path: Path, number: int, name: str, value: object) -> Question:
    row: Json = require_object(path, number, value)
    contexts, labels = texts(path, number, row, "CONTEXTS"), texts(path, number, row, "LABELS")
    if labels and len(labels) != len(contexts):
        refuse(path, number, f"{len(contexts)} contexts have {len(labels)} labels.", "Fetch the file again.")
    titles = labels or ("",) * len(contexts)
    passages = (
        QuestionPassage(str(position), text, title, True)
        for position, (text, title) in enumerate(zip(contexts, titles, strict=True), start=1)
    )
    decision = texts(path, number, row, "final_decision")
    long_answer = texts(path, number, row, "LONG_ANSWER")
    return Question(
        id=name,
        question=require(path, number, row, "QUESTION", str),
        answers=decision,
        passages=tuple(passages),
        extra={"long_answer": long_answer[0]} if long_answer else {},
    )
