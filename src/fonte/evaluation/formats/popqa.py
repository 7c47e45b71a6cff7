"""PopQA (Mallen et al. 2023)."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fonte.evaluation.files import parse, read_lines, refuse, require, require_id, require_new
from fonte.evaluation.questions import Question


def read_popqa(path: Path) -> list[Question]:
    """Read `popQA.tsv` (`test.tsv` on the hub): a header line, `possible_answers` is a JSON list.

    The set has no passages. `extra` keeps `prop` and, as whole numbers, `s_pop` and `o_pop` (monthly page views of
    subject and object). Errors: `UsageError`.
    """
    seen: dict[str, int] = {}
    questions: list[Question] = []
    rows = csv.DictReader((f"{text}\n" for _, text in read_lines(path, blank=True)), delimiter="\t")
    for row in _rows(path, rows):
        line = rows.line_num
        if None in row or None in row.values():
            refuse(path, line, "the line has another number of columns than the header.", "Fetch the file again.")
        name = require_id(path, line, row)
        require_new(path, line, name, seen)
        answers = parse(path, line, require(path, line, row, "possible_answers", str))
        if not isinstance(answers, list):
            refuse(path, line, "'possible_answers' is not a JSON list.", "Check the format.")
        extra = {key: row[key] for key in ("prop", "subj", "obj", "s_wiki_title", "o_wiki_title") if row.get(key)}
        views = {key: int(row[key]) for key in ("s_pop", "o_pop") if row.get(key, "").isdigit()}
        question = require(path, line, row, "question", str)
        questions.append(Question(name, question, tuple(map(str, answers)), extra={**extra, **views}))
    return questions


def _rows(path: Path, rows: csv.DictReader[str]) -> Iterator[dict[str, Any]]:
    try:
        yield from rows
    except csv.Error as error:
        refuse(path, rows.line_num, f"this is not a tab-separated file ({error}).", "Fetch the file again.")
