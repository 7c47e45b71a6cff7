"""MRAMG-Bench (Yu et al. 2025, arXiv 2502.04176), its part of product manuals: the set on which CHOP was measured.

The texts are the vendors'; the files are read from the user's own copy: `doc_manual.jsonl` and `manual_mqa.jsonl`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fonte.documents.clean import clean
from fonte.evaluation.aligned import best_alignment
from fonte.evaluation.files import Json, parse, read_lines, refuse, require, require_id, require_new, texts
from fonte.evaluation.questions import GoldSpan, Question

DOCUMENTS, QUESTIONS = "doc_manual.jsonl", "manual_mqa.jsonl"
DOCUMENT_FIELDS = ("id", "content", "images_list")
QUESTION_FIELDS = ("id", "question", "provenance", "ground_truth", "images_list")
PLACEHOLDER = "<PIC>"
REACH = 600  # code points on each side of an image: a paragraph may be a whole page where line ends are lost
ALIGNED = 0.5  # share of an answer sentence's words that stand, in order, in the document
_LINE = re.compile(r"[^\n]*\S[^\n]*")
# What Excel's format writes for a control character; tab and line ends mean themselves, the others nothing.
_ESCAPED = re.compile(r"_x00(?:([01][0-9A-Fa-f])|7[Ff]|[89][0-9A-Fa-f])_")

Level = Literal["document", "image", "answer"]


@dataclass(frozen=True, slots=True)
class PlacedImage:
    """Where in a document's text an image stood: before the character at `offset`."""

    id: str
    offset: int


@dataclass(frozen=True, slots=True)
class MramgDocument:
    """A manual: its text without placeholders, and where its images stood in it, in order.

    `unplaced` are images that the file lists and for which the text has no placeholder.
    """

    id: str
    text: str
    images: tuple[PlacedImage, ...] = ()
    unplaced: tuple[str, ...] = ()


def read_mramg_documents(folder: Path) -> list[MramgDocument]:
    """Read `doc_manual.jsonl` (or `.gz`) of `folder`; a line is an object, or an array `[id, content, images_list]`.

    `<PIC>` stands for the images of `images_list` in order and is taken out; so is `_x0002_` debris (escaped control
    characters). Line ends and control characters become what `fonte.documents` makes of them, so the offsets are
    those of a `Document` with the same text. Errors: `UsageError` with file, line and what to do.
    """
    path = _file(folder, DOCUMENTS)
    seen: dict[str, int] = {}
    documents = []
    for line, row in _rows(path, DOCUMENT_FIELDS):
        name = require_id(path, line, row)
        require_new(path, line, name, seen)
        text, offsets = _without_placeholders(require(path, line, row, "content", str))
        images = _ids(path, line, row, "images_list")
        placed = tuple(PlacedImage(*pair) for pair in zip(images, offsets, strict=False))
        documents.append(MramgDocument(name, text, placed, images[len(offsets) :]))
    return documents


def read_mramg_questions(folder: Path, level: Level = "document") -> list[Question]:
    """Read the questions of `folder`, with the gold of one level; a line is an object or an array of its values.

    | `level` | `gold` |
    |---|---|
    | `document` | the documents of `provenance`, all that the benchmark itself tells |
    | `image` | in these, around each image of the answer: its line and the one on either side, at most `REACH` away |
    | `answer` | in these, per sentence of the answer, the one or two sentences that hold most of its words in order |

    The finer two are found, not annotated, so a question may have no gold there: no image of the answer stands in
    its documents, no sentence reaches `ALIGNED`. `extra["images"]` are the ids of the answer's images. Errors:
    `UsageError`, also for a provenance that `doc_manual.jsonl` lacks.
    """
    documents = {document.id: document for document in read_mramg_documents(folder)}
    path = _file(folder, QUESTIONS)
    seen: dict[str, int] = {}
    questions = []
    for line, row in _rows(path, QUESTION_FIELDS):
        name = require_id(path, line, row)
        require_new(path, line, name, seen)
        provenance = _ids(path, line, row, "provenance")
        if missing := [one for one in provenance if one not in documents]:
            refuse(path, line, f"the document {missing[0]!r} is not in {DOCUMENTS}.", "Fetch both files again.")
        answer = _without_placeholders(" ".join(texts(path, line, row, "ground_truth")))[0]
        images = _ids(path, line, row, "images_list")
        sources = [documents[one] for one in dict.fromkeys(provenance)]
        gold = _gold(level, sources, images, answer)
        question = require(path, line, row, "question", str)
        answers = (answer,) if answer.strip() else ()
        questions.append(Question(name, question, answers, gold=gold, extra={"images": list(images)}))
    return questions


def _gold(level: Level, sources: Sequence[MramgDocument], images: Sequence[str], answer: str) -> tuple[GoldSpan, ...]:
    if level == "document":
        return tuple(GoldSpan(source.id) for source in sources)
    if level == "image":
        found = [
            (source, _around(source.text, image.offset))
            for source in sources
            for image in source.images
            if image.id in images
        ]
    else:
        found = best_alignment(answer, sources, ALIGNED)
    return tuple(dict.fromkeys(GoldSpan(source.id, start, end) for source, (start, end) in found if start < end))


def _around(text: str, offset: int) -> tuple[int, int]:
    """Return the span of the line at `offset` (or the last one before) and its neighbours, at most `REACH` away."""
    lines = [match.span() for match in _LINE.finditer(text)]
    if not lines:
        return 0, 0
    at = max(bisect_right([start for start, _ in lines], offset) - 1, 0)
    start, end = lines[max(at - 1, 0)][0], lines[min(at + 1, len(lines) - 1)][1]
    return max(start, offset - REACH), min(end, offset + REACH)


def _without_placeholders(content: str) -> tuple[str, list[int]]:
    """Return the clean text, and where in it each placeholder stood."""
    pieces = [clean(_ESCAPED.sub(_unescaped, piece)) for piece in content.split(PLACEHOLDER)]
    offsets, length = [], 0
    for piece in pieces[:-1]:
        length += len(piece)
        offsets.append(length)
    return "".join(pieces), offsets


def _unescaped(match: re.Match[str]) -> str:
    return {"09": "\t", "0a": "\n", "0d": "\n"}.get((match[1] or "").lower(), "")


def _rows(path: Path, fields: Sequence[str]) -> Iterator[tuple[int, Json]]:
    """Yield (line, object) of a JSONL file whose lines are objects, or arrays of the values of `fields` in order."""
    for line, text in read_lines(path):
        value: Any = parse(path, line, text)
        if isinstance(value, list) and len(value) == len(fields):
            value = dict(zip(fields, value, strict=True))
        if not isinstance(value, dict):
            shape = f"[{', '.join(fields)}]"
            refuse(path, line, f"this is neither an object nor an array {shape}.", "Fetch the file again.")
        yield line, value


def _ids(path: Path, line: int, row: Json, name: str) -> tuple[str, ...]:
    """Return ids as texts: a list of them, or a single one; absent or null is none."""
    value = row.get(name)
    values = value if isinstance(value, list) else [] if value is None else [value]
    return tuple(require_id(path, line, {name: one}, name) for one in values)


def _file(folder: Path, name: str) -> Path:
    path, packed = folder / name, folder / f"{name}.gz"
    return packed if packed.is_file() and not path.is_file() else path
