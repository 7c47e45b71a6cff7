"""ranx files: runs and judgments as JSON, {question id: {document id: number}}."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fonte.errors import UsageError
from fonte.evaluation.files import read_json, refuse, write_text
from fonte.evaluation.trec import Qrels, Run


def read_ranx_run(path: Path) -> Run:
    """Read a run. Errors: `UsageError` for another shape, or a score that is not a finite number."""
    return {question: {name: float(value) for name, value in row.items()} for question, row in _read(path).items()}


def read_ranx_qrels(path: Path) -> Qrels:
    """Read judgments. Errors: `UsageError` for another shape, or a grade that is not a whole number."""
    qrels: Qrels = {}
    for question, row in _read(path).items():
        for document, grade in row.items():
            if not float(grade).is_integer():
                refuse(path, None, f"the grade {grade!r} of {document!r} is no whole number.", "Correct it.")
        qrels[question] = {document: int(grade) for document, grade in row.items()}
    return qrels


def write_ranx(path: Path, values: Mapping[str, Mapping[str, float]]) -> None:
    """Write a run or judgments, in one step; any id can be written. Errors: `UsageError` for a number not finite."""
    for question, row in values.items():
        for document, value in row.items():
            if not math.isfinite(value):
                raise UsageError(f"The number of document {document!r} for question {question!r} is {value}.")
    text = json.dumps({question: dict(row) for question, row in values.items()}, ensure_ascii=False, allow_nan=False)
    write_text(path, [text, "\n"])


def _read(path: Path) -> dict[str, dict[str, float]]:
    value: Any = read_json(path)
    advice = "A ranx file is {question id: {document id: number}}."
    if not isinstance(value, dict):
        refuse(path, None, "this is not a JSON object.", advice)
    for question, row in value.items():
        if not isinstance(row, dict):
            refuse(path, None, f"the documents of question {question!r} are not an object.", advice)
        for document, number in row.items():
            if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
                refuse(path, None, f"{document!r} of question {question!r} has {number!r} for a number.", advice)
    return value
