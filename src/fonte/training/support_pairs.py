"""Labelled pairs of claim and evidence, and a split of them in which no question and no claim is on two sides."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fonte.errors import UsageError
from fonte.evaluation.files import read_objects, refuse, require, texts

Side = Literal["train", "calibrate", "test"]
SHARES: dict[Side, float] = {"train": 0.6, "calibrate": 0.15, "test": 0.25}

SHIPPABLE = frozenset(("ExpertQA", "WiCE"))
"""Sources whose licences (MIT, ODC-BY, CC-BY-SA) allow a model trained on them to be given away."""


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A claim, the evidence that people read with it, and whether they found it supported (1) or not (0)."""

    id: str
    claim: str
    evidence: tuple[str, ...]
    label: int
    source: str = ""
    question: str = ""

    @property
    def premise(self) -> str:
        """The evidence as one text."""
        return "\n\n".join(self.evidence)


def read_pairs(path: Path, sources: Iterable[str] | None = None) -> list[LabelledPair]:
    """Read JSONL (gzipped or not) of `{id, claim, evidence: [text], label: 0 or 1, src, question}`.

    `src` and `question` may be absent.
    `sources` keeps the pairs of these sources only. Errors: `UsageError` with file and line, or where none is left.
    """
    wanted = None if sources is None else frozenset(sources)
    pairs = [_pair(path, line, row) for line, row in read_objects(path)]
    kept = [pair for pair in pairs if wanted is None or pair.source in wanted]
    if not kept:
        found = ", ".join(sorted({pair.source for pair in pairs})) or "none"
        raise UsageError(f"{path}: no pair is left of the sources {sorted(wanted or ())}; there are: {found}.")
    return kept


def split_pairs(pairs: Sequence[LabelledPair], seed: int = 0) -> dict[Side, list[LabelledPair]]:
    """Split pairs into sides, `SHARES` of the groups each.

    Pairs with the same question or the same claim (in any case and spacing) are one group, also through others. A
    group's side is the hash of its least id and `seed`, so it does not depend on order.
    """
    sides: dict[Side, list[LabelledPair]] = {side: [] for side in SHARES}
    for group in _groups(pairs):
        sides[_side(min(pair.id for pair in group), seed)] += group
    return sides


def _pair(path: Path, line: int, row: dict[str, object]) -> LabelledPair:
    label = require(path, line, row, "label", int)
    if label not in (0, 1):
        refuse(path, line, f"the label {label!r} is neither 0 nor 1.", "1 is supported, all else 0.")
    question = texts(path, line, row, "question")
    return LabelledPair(
        id=str(row.get("id", line)),
        claim=require(path, line, row, "claim", str),
        evidence=texts(path, line, row, "evidence"),
        label=label,
        source=str(row.get("src") or ""),
        question=question[0] if question else "",
    )


def _side(name: str, seed: int) -> Side:
    digest = hashlib.blake2b(f"{seed}:{name}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    place = int.from_bytes(digest, "big") / 2**64
    for side, share in SHARES.items():
        if place < share:
            return side
        place -= share
    return "test"


def _groups(pairs: Sequence[LabelledPair]) -> list[list[LabelledPair]]:
    parent = list(range(len(pairs)))
    first: dict[str, int] = {}
    find = _finder(parent)
    for index, pair in enumerate(pairs):
        for key in (f"claim {_key(pair.claim)}", f"question {_key(pair.question)}" if pair.question.strip() else ""):
            if key:
                parent[find(index)] = find(first.setdefault(key, index))
    groups: dict[int, list[LabelledPair]] = {}
    for index, pair in enumerate(pairs):
        groups.setdefault(find(index), []).append(pair)
    return list(groups.values())


def _finder(parent: list[int]) -> Callable[[int], int]:
    def find(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    return find


def _key(text: str) -> str:
    return " ".join(text.casefold().split())
