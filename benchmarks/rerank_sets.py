"""The question sets of the re-ranking benchmark: questions, their pool, gold passages, and what must stay together."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fonte.chunking import sentences

SETS = ("echr", "aquaechr", "hotpotqa", "musique", "contractnli")
LEAST_CLAIM = 60  # characters; shorter claims are fragments such as "See also"
HELD = "What has the Court held on this point: {claim}?"
NEUTRAL_HELD = "What has the Court held?"
STATED = "Does the agreement say that {hypothesis} Answer yes or no, with reasons."
NEUTRAL_STATED = "What does the agreement say?"

# From texts to their numbers of tokens.
Count = Callable[[Sequence[str]], list[int]]
PIECE_TOKENS = 100
LONGEST = 250  # tokens that the embedder reads, less some


@dataclass(frozen=True)
class Item:
    """A question of a set.

    `answer` is the gold answer as far as one is known, and `asked` the question that goes before it where the
    likelihood of the gold answer is measured: the question itself, unless that would give the answer away. `gold` are
    keys of the pool, `within` the keys that may be candidates (None: all), `without` those that may not. `groups` are
    names; items that share one are never on two sides of a fold.
    """

    id: str
    question: str
    asked: str
    answer: str
    gold: frozenset[str]
    groups: tuple[str, ...]
    within: frozenset[str] | None = None
    without: frozenset[str] = frozenset()


@dataclass(frozen=True)
class QuestionSet:
    """`pool` holds every passage by key, in pieces of at most `PIECE_TOKENS` tokens, whole sentences where that goes.

    `items` are the questions with at least one gold passage.
    """

    name: str
    pool: Mapping[str, tuple[str, ...]]
    items: tuple[Item, ...]


def load_set(data: Path, name: str, count: Count) -> QuestionSet:
    """Read a set. Errors: `FileNotFoundError` where the folder lacks it."""
    loaders = {"echr": _echr, "aquaechr": _aquaechr, "contractnli": _contractnli}
    if name in loaders:
        return loaders[name](data, count)
    file = "hotpotqa/dev300.jsonl.gz" if name == "hotpotqa" else "musique/dev_half.jsonl"
    return _with_passages(name, [data / file], count)


def relevance_pairs(data: Path, count: Count) -> QuestionSet:
    """Return the questions on which a cross-encoder without attribution is trained: none is measured on.

    `nq_oracle`, `hotpotqa` train300 and official_train100, with their gold passages.
    """
    files = ("nq_oracle/questions2655.jsonl", "hotpotqa/train300.jsonl.gz", "hotpotqa/official_train100.jsonl")
    return _with_passages("relevance", [data / file for file in files if (data / file).is_file()], count)


def pieces(text: str, count: Count, title: str = "") -> tuple[str, ...]:
    """Return `text` in pieces of at most `PIECE_TOKENS` tokens, each after `title`; a text that fits is one piece."""
    before = f"{title}: " if title else ""
    return tuple(f"{before}{' '.join(text[start:end].split())}" for start, end in _spans(text, count, before)) or (
        before,
    )


def _spans(text: str, count: Count, before: str = "") -> list[tuple[int, int]]:
    """Return the pieces of `text` as code points: sentences joined as long as they fit, longer ones cut at words."""
    found: list[tuple[int, int]] = []
    room, used = max(PIECE_TOKENS - count([before])[0], PIECE_TOKENS // 2), 0
    parts = [part for start, end in sentences(text) for part in _words(text, start, end, count, room)]
    sizes = count([text[start:end] for start, end in parts])
    for (start, end), size in zip(parts, sizes, strict=True):
        if found and used + size <= room:
            found[-1], used = (found[-1][0], end), used + size
        else:
            found.append((start, end))
            used = size
    return found


def _words(text: str, start: int, end: int, count: Count, room: int) -> list[tuple[int, int]]:
    """Halve a span at white space until it has at most `room` tokens; where there is none, until it can be embedded."""
    middle = text.find(" ", (start + end) // 2, end)
    size = count([text[start:end]])[0]
    if size <= room or (middle < 0 and size <= LONGEST):
        return [(start, end)]
    if middle < 0:  # a line of underscores, or a table without spaces
        middle = (start + end) // 2
    return [*_words(text, start, middle, count, room), *_words(text, middle, end, count, room)]


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSONL file, gzipped or not."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def _with_passages(name: str, files: Sequence[Path], count: Count) -> QuestionSet:
    pool: dict[str, tuple[str, ...]] = {}
    keys: dict[str, str] = {}
    items = []
    for file in files:
        for row in read_rows(file):
            gold = set()
            for passage in row["passages"]:
                key = keys.setdefault(f"{passage['title']}: {passage['text']}", f"p{len(keys)}")
                if key not in pool:
                    pool[key] = pieces(passage["text"], count, passage["title"])
                if passage["gold"]:
                    gold.add(key)
            answer = str((row.get("answers") or [""])[0])
            identity = f"{file.stem.split('.')[0]}-{row['id']}"
            groups = tuple(f"passage {key}" for key in sorted(gold))
            items.append(Item(identity, row["question"], row["question"], answer, frozenset(gold), groups))
    return QuestionSet(name, pool, tuple(items))


def _echr(data: Path, count: Count) -> QuestionSet:
    pool = {
        f"{row['case_id']}#{row['paragraph_number']}": pieces(row["text"], count)
        for row in read_rows(data / "echr" / "paragraphs.jsonl.gz")
    }
    items = []
    for row in read_rows(data / "echr" / "citations.jsonl"):
        claim = " ".join(row["claim"].split())
        gold = frozenset(f"{row['cited_case']}#{number}" for number in row["cited_paragraphs"]) & pool.keys()
        if len(row["claim"]) < LEAST_CLAIM or row["claim"] == row["sentence"] or not gold:
            continue
        groups = (f"case {row['cited_case']}", *(f"passage {key}" for key in sorted(gold)))
        citing = frozenset([f"{row['citing_case']}#{row['citing_paragraph']}"])
        question = HELD.format(claim=claim.rstrip(".?!;, "))
        items.append(Item(row["id"], question, NEUTRAL_HELD, claim, gold, groups, None, citing))
    return QuestionSet("echr", pool, tuple(items))


def _aquaechr(data: Path, count: Count) -> QuestionSet:
    pool = {
        f"{row['case_id']}#{row['paragraph_number']}": pieces(row["text"], count)
        for row in read_rows(data / "aquaechr" / "paragraph_pool.jsonl")
    }
    items = []
    for row in read_rows(data / "aquaechr" / "questions.jsonl"):
        gold = frozenset(f"{each['case_id']}#{each['paragraph_number']}" for each in row["gold"]) & pool.keys()
        groups = tuple(f"case {each['case_id']}" for each in row["gold"])
        question = row["question"]
        items.append(Item(str(row["question_number"]), question, question, row["answer"], gold, groups))
    return QuestionSet("aquaechr", pool, tuple(item for item in items if item.gold))


def _contractnli(data: Path, count: Count) -> QuestionSet:
    pool: dict[str, tuple[str, ...]] = {}
    places: dict[str, list[tuple[int, int, str]]] = {}
    for row in read_rows(data / "contractnli" / "docs.jsonl"):
        name, text = row["doc_id"], row["text"]
        places[name] = [(start, end, f"{name}#{at}") for at, (start, end) in enumerate(_spans(text, count))]
        pool |= {key: (" ".join(text[start:end].split()),) for start, end, key in places[name]}
    items = []
    for number, row in enumerate(read_rows(data / "contractnli" / "queries.jsonl")):
        here = places[row["doc_id"]]
        spans = row["gold_spans"]
        gold = frozenset(key for start, end, key in here if any(a < end and start < b for a, b in spans))
        if gold:
            hypothesis = row["hypothesis"]
            question = STATED.format(hypothesis=hypothesis[0].lower() + hypothesis[1:])
            within = frozenset(key for _, _, key in here)
            groups = (f"hypothesis {row['short']}",)
            items.append(Item(f"q{number}", question, NEUTRAL_STATED, hypothesis, gold, groups, within))
    return QuestionSet("contractnli", pool, tuple(items))
