"""The `galaxy` manuals as a person may have them: a file each, or all in one text that only covers divide."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fonte.documents.plain import paragraphs
from fonte.values import Block, Document

SETUPS = ("files", "streams", "streams_similar")
CODES_ONLY = "streams_codes"  # covers with nothing but a part code: reported, outside the goal
QUICK_MANUALS = 10

COVERS = (
    "Samsung {name} user manual",
    "{name}\nUser Guide",
    "SAMSUNG {name}\n{code}\nOwner's manual",
    "{name}",
    "{name} | {code}",
    "Welcome to your new {name}",
    "Samsung {name}\nEnglish (US). 01/2020. Rev. 1.0",
    "Getting to know the {name}: instructions for use",
    "{code} · {name}\nQuick start",
)
CODE_COVERS = ("{code}", "{code}\nUser manual", "Model {code}")


@dataclass(frozen=True)
class Section:
    """A section of a manual: its id, its heading path and its text, which begins with its title."""

    id: str
    path: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Manual:
    """A manual by the market name of its device, as the questions write it."""

    device: str
    sections: tuple[Section, ...]

    @property
    def name(self) -> str:
        """The market name."""
        return self.device.replace("_", " ")


@dataclass(frozen=True)
class Question:
    """A question about a device, and the sections that answer it as `(device, id)`; each of them is enough.

    `topic` is the same question about any device, `answer` the gold answer where the benchmark asks for one.
    """

    id: str
    topic: str
    device: str
    text: str
    gold: tuple[tuple[str, str], ...]
    answer: str = ""


@dataclass(frozen=True)
class Text:
    """A document of a set-up; `owners` are the manuals in it as `(start, end, device)`, `sections` where each lies."""

    document: Document
    owners: tuple[tuple[int, int, str], ...]
    sections: dict[tuple[str, str], tuple[int, int]]


def load(data: Path) -> tuple[list[Manual], list[Question]]:
    """Return manuals in their order and all questions."""
    with gzip.open(data / "galaxy" / "sections.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    sections: dict[str, list[Section]] = {}
    for row in rows:
        section = Section(row["section_id"], tuple(row["path"].split(">")), row["text"])
        sections.setdefault(row["doc"], []).append(section)
    manuals = [Manual(device, tuple(own)) for device, own in sections.items()]
    with (data / "galaxy" / "qa.jsonl").open(encoding="utf-8") as lines:
        return manuals, [_question(json.loads(line)) for line in lines]


def _question(row: dict[str, Any]) -> Question:
    gold = ((row["gold_doc"], row["gold_section"]),)
    return Question(row["id"], row["qid"], row["gold_doc"], row["question"], gold, row["answer"])


def quick(manuals: Sequence[Manual], questions: Sequence[Question]) -> tuple[list[Manual], list[Question]]:
    """Return the ten manuals with questions whose sha256 of the name comes first, and their questions."""
    asked = sorted(
        {question.device for question in questions}, key=lambda name: hashlib.sha256(name.encode()).hexdigest()
    )
    chosen = set(asked[:QUICK_MANUALS])
    return (
        [manual for manual in manuals if manual.device in chosen],
        [question for question in questions if question.device in chosen],
    )


def texts(setup: str, manuals: Sequence[Manual], seed: int) -> list[Text]:
    """Return the documents of a set-up; order and cover wording come from `seed`."""
    if setup == "files":
        return [_file(manual) for manual in manuals]
    chance = random.Random(seed)
    order = chance.sample(list(manuals), len(manuals))
    if setup == "streams_similar":
        order = _similar(order)
    forms = CODE_COVERS if setup == CODES_ONLY else COVERS
    covers = {manual.device: chance.choice(forms).format(name=manual.name, code=_code(chance)) for manual in order}
    return [_stream(setup, order, covers)]


def _code(chance: random.Random) -> str:
    return f"SM-{chance.choice('ANTGF')}{chance.randint(100, 999)}{chance.choice('UFN')}"


def _file(manual: Manual) -> Text:
    text, owners, spans = _joined([manual], {manual.device: f"Samsung {manual.name} user manual"})
    paths = {spans[manual.device, section.id]: section.path for section in manual.sections}
    cover = Block(0, text.index("\n\n"))
    blocks = (cover, *(Block(start, end, "paragraph", path) for (start, end), path in sorted(paths.items())))
    name = f"{manual.device}.txt"
    return Text(Document(f"/{name}", name, "", text, "text", "benchmark", blocks), owners, spans)


def _stream(setup: str, order: Sequence[Manual], covers: dict[str, str]) -> Text:
    text, owners, spans = _joined(order, covers)
    document = Document(f"/{setup}.txt", f"{setup}.txt", "", text, "text", "benchmark", tuple(paragraphs(text)))
    return Text(document, owners, spans)


def _joined(
    order: Sequence[Manual], covers: dict[str, str]
) -> tuple[str, tuple[tuple[int, int, str], ...], dict[tuple[str, str], tuple[int, int]]]:
    parts: list[str] = []
    owners, spans = [], {}
    position = 0
    for manual in order:
        begun = position
        for section, part in _parts(manual, covers[manual.device]):
            if section:
                spans[manual.device, section] = (position, position + len(part))
            parts.append(part)
            position += len(part) + 2
        owners.append((begun, position, manual.device))
    return "\n\n".join(parts), tuple(owners), spans


def _parts(manual: Manual, cover: str) -> Iterator[tuple[str, str]]:
    yield "", cover
    for section in manual.sections:
        yield section.id, section.text


def _similar(order: Sequence[Manual]) -> list[Manual]:
    """Return the manuals so that each is followed by the most similar one that is left (TF-IDF cosine)."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    matrix = TfidfVectorizer().fit_transform(" ".join(section.text for section in manual.sections) for manual in order)
    alike = (matrix @ matrix.T).toarray()
    left, chain = set(range(1, len(order))), [0]
    while left:
        following = max(sorted(left), key=lambda other: alike[chain[-1], other])
        left.discard(following)
        chain.append(following)
    return [order[position] for position in chain]
