"""The sets of the benchmark: documents as a person may have them, questions with their gold, and true names."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import chop_streams as streams
from chop_streams import Manual, Question, Section, Text

from fonte.documents.plain import paragraphs
from fonte.values import Block, Document

SETS = ("galaxy", "smart_tv", "contractnli", "anthropic_contextual")
ANSWER_COVERED = 0.8  # of a gold section's question in smart_tv; below, the section was resolved wrongly
QUICK_DOCUMENTS = 10


@dataclass(frozen=True)
class Setup:
    """Documents (a function of the seed) and the questions about them.

    `names` is the true identity of each owner; empty where the set calls its documents nothing.
    """

    texts: Callable[[int], list[Text]]
    questions: Sequence[Question]
    names: Mapping[str, str]


def load_set(name: str, data: Path, quick: bool = False, limit: int | None = None) -> dict[str, Setup]:
    """Return the set-ups of a set; `quick` and `limit` as the command line has them."""
    makers = {"smart_tv": _smart_tv, "contractnli": _contractnli, "anthropic_contextual": _anthropic_contextual}
    made = _galaxy(data, quick) if name == "galaxy" else makers[name](data / name)
    if quick and name != "galaxy":
        made = {key: _quick(setup) for key, setup in made.items()}
    return {key: replace(setup, questions=setup.questions[:limit]) for key, setup in made.items()}


def _quick(setup: Setup) -> Setup:
    """Return the ten documents with questions whose sha256 of the name comes first, and the questions on them alone."""
    asked = {owner for question in setup.questions for owner, _ in question.gold}
    chosen = set(sorted(asked, key=lambda owner: hashlib.sha256(owner.encode()).hexdigest())[:QUICK_DOCUMENTS])
    questions = [question for question in setup.questions if {owner for owner, _ in question.gold} <= chosen]

    def texts(seed: int) -> list[Text]:
        return [text for text in setup.texts(seed) if text.owners[0][2] in chosen]

    return Setup(texts, questions, {owner: name for owner, name in setup.names.items() if owner in chosen})


def _galaxy(data: Path, quick: bool) -> dict[str, Setup]:
    manuals, questions = streams.load(data)
    if quick:
        manuals, questions = streams.quick(manuals, questions)
    names = {manual.device: manual.name for manual in manuals}
    return {
        setup: Setup(partial(streams.texts, setup, manuals), questions, names)
        for setup in (*streams.SETUPS, streams.CODES_ONLY)
    }


def _smart_tv(folder: Path) -> dict[str, Setup]:
    sections: dict[str, list[Section]] = {}
    for row in _rows(folder / "sections.jsonl"):
        section = Section(row["section_id"], tuple(row["path"].split(">")), f"{row['title']}\n{row['text']}")
        sections.setdefault(row["doc"], []).append(section)
    ((device, own),) = sections.items()
    manual = Manual(device, tuple(own))
    questions = [
        Question(row["id"], row["gold_section"], device, row["question"], ((device, row["gold_section"]),))
        for row in _rows(folder / "qa.jsonl")
        if row["answer_token_coverage"] >= ANSWER_COVERED
    ]
    return {"files": Setup(lambda seed: streams.texts("files", [manual], seed), questions, {device: manual.name})}


def _contractnli(folder: Path) -> dict[str, Setup]:
    contracts = {row["doc_id"]: row for row in _rows(folder / "docs.jsonl")}
    spans: dict[str, set[tuple[int, int]]] = {}
    questions = []
    for row in _rows(folder / "queries.jsonl"):
        gold = [(start, end) for start, end in row["gold_spans"]]
        if not gold:  # what a contract does not mention stands nowhere in it
            continue
        owner = row["doc_id"]
        spans.setdefault(owner, set()).update(gold)
        keys = tuple((owner, f"{start}-{end}") for start, end in gold)
        questions.append(Question(f"{owner} {row['short']}", row["short"], owner, row["hypothesis"], keys))
    names = {owner: Path(unquote(row["doc"])).stem.replace("_", " ") for owner, row in contracts.items()}

    def texts(seed: int) -> list[Text]:
        made = []
        for owner, row in contracts.items():
            text, places = row["text"], {(owner, f"{a}-{b}"): (a, b) for a, b in sorted(spans.get(owner, ()))}
            made.append(_text(unquote(row["doc"]), owner, text, tuple(paragraphs(text)), places))
        return made

    return {"files": Setup(texts, questions, names)}


def _anthropic_contextual(folder: Path) -> dict[str, Setup]:
    return {"files": _code(folder), "pages": _pages(folder)}


def _code(folder: Path) -> Setup:
    files = json.loads((folder / "codebase_chunks.json").read_text(encoding="utf-8"))
    with gzip.open(folder / "evaluation_set.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    questions = []
    for number, row in enumerate(rows):
        keys = tuple((owner, str(index)) for owner, index in row["golden_chunk_uuids"])
        questions.append(Question(str(number), row["query"], keys[0][0], row["query"], keys))

    def texts(seed: int) -> list[Text]:
        return [_code_file(file) for file in files]

    return Setup(texts, questions, {})


def _code_file(file: Mapping[str, Any]) -> Text:
    text, owner, position = file["content"], file["original_uuid"], 0
    places = {}
    for chunk in file["chunks"]:
        start = text.index(chunk["content"], position)
        position = start + len(chunk["content"])
        places[owner, str(chunk["original_index"])] = (start, position)
    blocks = tuple(Block(start, end, "code") for start, end in places.values())
    return _text(f"{file['doc_id']}.txt", owner, text, blocks, places)


def _pages(folder: Path) -> Setup:
    pages: dict[str, list[Section]] = {}
    for row in json.loads((folder / "anthropic_docs.json").read_text(encoding="utf-8")):
        page, _, anchor = row["chunk_link"].partition("#")
        pages.setdefault(page, []).append(Section(anchor, (row["chunk_heading"],), row["text"].strip()))
    questions = []
    for row in json.loads((folder / "docs_evaluation_dataset.json").read_text(encoding="utf-8")):
        keys = tuple((link.partition("#")[0], link.partition("#")[2]) for link in row["correct_chunks"])
        questions.append(Question(row["id"], row["id"], keys[0][0], row["question"], keys))

    def texts(seed: int) -> list[Text]:
        return [_page(page, own) for page, own in pages.items()]

    return Setup(texts, questions, {page: _page_name(page) for page in pages})


def _page(page: str, sections: Sequence[Section]) -> Text:
    position, places, blocks = 0, {}, []
    for section in sections:
        places[page, section.id] = (position, position + len(section.text))
        blocks.append(Block(position, position + len(section.text), "paragraph", section.path))
        position += len(section.text) + 2
    text = "\n\n".join(section.text for section in sections)
    return _text(f"{page.rstrip('/').rpartition('/')[2]}.txt", page, text, tuple(blocks), places)


def _page_name(page: str) -> str:
    return page.rstrip("/").rpartition("/")[2].replace("-", " ")


def _text(
    name: str, owner: str, text: str, blocks: tuple[Block, ...], places: dict[tuple[str, str], tuple[int, int]]
) -> Text:
    document = Document(f"/{owner}/{name}", name, "", text, "text", "benchmark", blocks)
    return Text(document, ((0, len(text), owner),), places)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
