"""BEIR folders: `corpus.jsonl`, `queries.jsonl` and `qrels/<split>.tsv`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fonte.errors import UsageError
from fonte.evaluation.files import read_lines, read_objects, refuse, require, require_id, require_new, write_text
from fonte.evaluation.questions import GoldSpan, Question
from fonte.evaluation.trec import Qrels, judge

HEADER = ("query-id", "corpus-id", "score")


@dataclass(frozen=True, slots=True)
class BeirDocument:
    """A document of a BEIR corpus."""

    id: str
    text: str
    title: str = ""


def read_beir_corpus(folder: Path) -> Iterator[BeirDocument]:
    """Yield the documents one by one. Errors: `UsageError`."""
    path = _file(folder, "corpus.jsonl")
    seen: dict[str, int] = {}
    for line, row in read_objects(path):
        name = require_id(path, line, row, "_id")
        require_new(path, line, name, seen)
        title = require(path, line, row, "title", str) if row.get("title") is not None else ""
        yield BeirDocument(name, require(path, line, row, "text", str), title)


def read_beir_questions(folder: Path, split: str = "test") -> list[Question]:
    """Read the questions that `split` judges, in file order; `gold` holds the relevant documents. Errors: `UsageError`.

    A judged question that `queries.jsonl` lacks is an error rather than a question left out.
    """
    path = _file(folder, "queries.jsonl")
    qrels = read_beir_qrels(folder, split)
    seen: dict[str, int] = {}
    questions: list[Question] = []
    for line, row in read_objects(path):
        name = require_id(path, line, row, "_id")
        require_new(path, line, name, seen)
        if name in qrels:
            gold = tuple(GoldSpan(document) for document, grade in qrels[name].items() if grade > 0)
            questions.append(Question(name, require(path, line, row, "text", str), gold=gold))
    if missing := [name for name in qrels if name not in seen]:
        refuse(path, None, f"{len(missing)} judged questions are missing, first {missing[0]!r}.", "Fetch it again.")
    return questions


def read_beir_qrels(folder: Path, split: str = "test") -> Qrels:
    """Read the judgments of `split`. Errors: `UsageError`."""
    return read_beir_judgments(_file(folder, f"qrels/{split}.tsv"))


def read_beir_judgments(path: Path) -> Qrels:
    """Read a tab-separated file of judgments, with or without its header line. Errors: `UsageError`."""
    qrels: Qrels = {}
    for line, text in read_lines(path):
        columns = text.split("\t")
        if len(columns) != 3:
            advice = "BEIR judgments have three columns between tabs: query-id, corpus-id, score."
            refuse(path, line, f"there are {len(columns)} columns in {text[:80]!r}.", advice)
        if line > 1 or tuple(columns[:2]) != HEADER[:2]:
            judge(path, line, qrels, (columns[0], columns[1], columns[2]))
    return qrels


def write_beir(
    folder: Path,
    corpus: Iterable[BeirDocument],
    questions: Iterable[Question],
    qrels: Mapping[str, Mapping[str, int]],
    split: str = "test",
) -> None:
    """Write a BEIR folder; each file in one step, the judgments last.

    Ids may hold spaces. Errors: `UsageError` for ids in judgments with a tab or line end, which the format cannot hold.
    """
    rows = [
        (_cell(question), _cell(document), str(grade))
        for question, grades in qrels.items()
        for document, grade in grades.items()
    ]
    documents = ({"_id": one.id, "title": one.title, "text": one.text} for one in corpus)
    queries = ({"_id": one.id, "text": one.question} for one in questions)
    for name, objects in (("corpus.jsonl", documents), ("queries.jsonl", queries)):
        write_text(folder / name, (json.dumps(row, ensure_ascii=False) + "\n" for row in objects))
    write_text(folder / "qrels" / f"{split}.tsv", ("\t".join(row) + "\n" for row in [HEADER, *rows]))


def _cell(name: str) -> str:
    if not name or any(character in "\t\n\r" for character in name):
        raise UsageError(
            f"The id {name!r} cannot be written to a BEIR judgment file: it separates columns by tabs and rows by line "
            "ends. Write a ranx JSON file, or rename it."
        )
    return name


def _file(folder: Path, name: str) -> Path:
    path = folder / name
    packed = folder / f"{name}.gz"
    return packed if packed.is_file() and not path.is_file() else path
