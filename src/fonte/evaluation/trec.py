"""TREC files: runs (`qid Q0 docno rank score tag`) and relevance judgments (`qid 0 docno rel`)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from fonte.errors import UsageError
from fonte.evaluation.files import read_lines, refuse, write_text
from fonte.measures.retrieval import order

Run = dict[str, dict[str, float]]
"""{question id: {document id: score}}; higher is better."""
Qrels = dict[str, dict[str, int]]
"""{question id: {document id: grade}}; above 0 is relevant."""

_RUN = "A run has six columns: question, Q0, document, rank, score, tag."
_QRELS = "Judgments have four columns: question, 0, document, grade."


def read_trec_run(path: Path) -> Run:
    """Read a run. The score decides the order; the rank column is not used, as in trec_eval.

    Columns are separated by spaces or tabs; other white space is part of an id. Errors: `UsageError` for a line of
    another number of columns, a score that is not a finite number, or a document that a question lists twice.
    """
    run: Run = {}
    for line, text in read_lines(path):
        columns = _columns(path, line, text, 6, _RUN)
        question, document = columns[0], columns[2]
        if document in run.setdefault(question, {}):
            refuse(path, line, f"question {question!r} lists document {document!r} twice.", "Keep its best rank only.")
        run[question][document] = score(path, line, columns[4])
    return run


def read_trec_qrels(path: Path) -> Qrels:
    """Read judgments; grades are whole numbers, below 0 allowed. Errors: `UsageError`, as for `read_trec_run`."""
    qrels: Qrels = {}
    for line, text in read_lines(path):
        columns = _columns(path, line, text, 4, _QRELS)
        judge(path, line, qrels, (columns[0], columns[2], columns[3]))
    return qrels


def write_trec_run(path: Path, run: Mapping[str, Mapping[str, float]], tag: str = "fonte") -> None:
    """Write a run, in one step; ranks count from 1, ties go as trec_eval orders them.

    Errors: `UsageError` for an id or tag that the format cannot hold (it separates columns by spaces), or a score that
    is not finite; nothing is written then. BEIR's and ranx's formats hold more.
    """
    write_text(path, list(_run_lines(run, _plain(tag, "tag"))))


def write_trec_qrels(path: Path, qrels: Mapping[str, Mapping[str, int]]) -> None:
    """Write judgments, in one step. Errors: as for `write_trec_run`."""
    lines = [
        f"{_plain(question, 'question id')} 0 {_plain(document, 'document id')} {grade}\n"
        for question, grades in qrels.items()
        for document, grade in grades.items()
    ]
    write_text(path, lines)


def score(path: Path, line: int, text: str) -> float:
    """Read a finite number."""
    try:
        value = float(text)
    except ValueError:
        refuse(path, line, f"the score {text!r} is not a number.", "Write a decimal number.")
    if not math.isfinite(value):
        refuse(path, line, f"the score is {text}.", "Scores must be finite; find out where the system made it.")
    return value


def judge(path: Path, line: int, qrels: Qrels, row: tuple[str, str, str]) -> None:
    """Add one judgment (question, document, grade) to `qrels`."""
    question, document, text = row
    try:
        grade = float(text)
    except ValueError:
        grade = math.nan
    if not grade.is_integer():
        refuse(path, line, f"the grade {text!r} is not a whole number.", "Write 0 for not relevant, 1 or more else.")
    if document in qrels.setdefault(question, {}):
        refuse(path, line, f"document {document!r} is judged twice for question {question!r}.", "Keep one line.")
    qrels[question][document] = int(grade)


def _columns(path: Path, line: int, text: str, count: int, advice: str) -> list[str]:
    columns = text.replace("\t", " ").split(" ")
    columns = [column for column in columns if column]
    if len(columns) != count:
        refuse(path, line, f"there are {len(columns)} columns in {text[:80]!r}.", advice)
    return columns


def _run_lines(run: Mapping[str, Mapping[str, float]], tag: str) -> Iterator[str]:
    for question, scores in run.items():
        name = _plain(question, "question id")
        for rank, document in enumerate(order(scores), start=1):
            yield f"{name} Q0 {_plain(document, 'document id')} {rank} {scores[document]!r} {tag}\n"


def _plain(name: str, what: str) -> str:
    if not name or any(character.isspace() or not character.isprintable() for character in name):
        raise UsageError(
            f"The {what} {name!r} cannot be written to a TREC file: it separates columns by spaces, so an id may hold "
            "no white space or control character. Write a ranx JSON file or a BEIR folder, or rename it."
        )
    return name
