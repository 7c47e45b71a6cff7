"""LegalBench-RAG (Pipitone and Alami 2024)."""

from __future__ import annotations

from pathlib import Path

from fonte.evaluation.files import Json, read_json, refuse, require, require_object, texts
from fonte.evaluation.questions import GoldSpan, Question


def read_legalbenchrag(path: Path) -> list[Question]:
    """Read one benchmark (`benchmarks/cuad.json`), or all of the data folder that holds `benchmarks` and `corpus`.

    A test is `{query, snippets: [{file_path, span: [start, end], answer}]}`. Questions are named `<benchmark>:<number>`
    from 0; `gold` holds the spans, in code points of the file `corpus/<file_path>` as Python reads it (a line
    end is one character), and `answers` their texts. Errors: `UsageError`.
    """
    if path.is_dir():
        files = sorted((path / "benchmarks").glob("*.json"))
        if not files:
            refuse(path, None, "there is no benchmarks/*.json.", "Name the folder that holds benchmarks and corpus.")
        return [question for file in files for question in read_legalbenchrag(file)]
    tests = require(path, None, require_object(path, None, read_json(path)), "tests", list)
    return [_question(path, number, require_object(path, number + 1, test)) for number, test in enumerate(tests)]


def _question(path: Path, number: int, row: Json) -> Question:
    snippets = [require_object(path, number + 1, one) for one in require(path, number + 1, row, "snippets", list)]
    return Question(
        id=f"{path.name.partition('.')[0]}:{number}",
        question=require(path, number + 1, row, "query", str),
        answers=tuple(text for snippet in snippets for text in texts(path, number + 1, snippet, "answer")),
        gold=tuple(_span(path, number + 1, snippet) for snippet in snippets),
    )


def _span(path: Path, number: int, snippet: Json) -> GoldSpan:
    span = require(path, number, snippet, "span", list)
    if len(span) != 2 or not all(isinstance(offset, int) for offset in span) or not 0 <= span[0] <= span[1]:
        refuse(path, number, f"{span!r} is not a span [start, end].", "Fetch the benchmark again.")
    return GoldSpan(require(path, number, snippet, "file_path", str), span[0], span[1])
