"""AQuAECHR (ECHR-QA): questions of lawyers, answered from judgments of the European Court of Human Rights."""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

from fonte.evaluation.files import Json, parse, read_lines, refuse, require, require_id, require_object
from fonte.evaluation.questions import Question, QuestionPassage

COLUMNS = ("question", "answer", "citations")
_NUMBER = re.compile(r"^\d*\.")


def read_aquaechr(path: Path) -> list[Question]:
    """Read `echr_qa_dataset.csv`, or an experiment's `e_*.csv` with the same columns.

    `citations` is a JSON list of `{case_id, case_name, paragraph_numbers, paragraphs_map}`. Each cited paragraph is a
    gold passage, named `<case id>#<paragraph>` and titled `<case name>; § <paragraph>`, without the number that its
    text begins with. Questions are named by their row from "0", as in the authors' files. Errors: `UsageError`.
    """
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    rows = csv.DictReader(f"{text}\n" for _, text in read_lines(path, blank=True))
    missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
    if missing:
        refuse(path, 1, f"there is no column {missing[0]!r}.", f"The format has the columns {', '.join(COLUMNS)}.")
    try:
        return [_question(path, rows.line_num, str(number), row) for number, row in enumerate(rows)]
    except csv.Error as error:
        refuse(path, rows.line_num, f"this is not CSV ({error}).", "Fetch the file again.")


def _question(path: Path, line: int, name: str, row: Json) -> Question:
    cases = parse(path, line, require(path, line, row, "citations", str) or "[]")
    if not isinstance(cases, list):
        refuse(path, line, "'citations' is not a JSON list.", "Check the format.")
    found = {passage.id: passage for case in cases for passage in _paragraphs(path, line, case)}
    answer = require(path, line, row, "answer", str)
    question = require(path, line, row, "question", str)
    return Question(name, question, (answer,) if answer else (), tuple(found.values()))


def _paragraphs(path: Path, line: int, case: object) -> list[QuestionPassage]:
    part = require_object(path, line, case)
    name, title = require_id(path, line, part, "case_id"), require(path, line, part, "case_name", str)
    found = require(path, line, part, "paragraphs_map", dict)
    return [
        QuestionPassage(
            f"{name}#{number}",
            _NUMBER.sub("", require(path, line, found, str(number), str).strip()).strip(),
            f"{title}; § {number}",
            True,
        )
        for number in require(path, line, part, "paragraph_numbers", list)
    ]
