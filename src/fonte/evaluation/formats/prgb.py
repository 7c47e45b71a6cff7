"""PRGB, the placeholder benchmark (arXiv 2507.22927)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from fonte.errors import UsageError
from fonte.evaluation.files import Json, read_objects, refuse, require, require_id, require_new, require_object, texts
from fonte.evaluation.questions import Question, QuestionPassage

KINDS = {"filter": "filter", "combination_v1": "combination", "combination_v2": "combination"}


def read_prgb(path: Path, variants: int = 3, noise: Sequence[int] = (4, 4, 1), seed: int = 0) -> list[Question]:
    """Read `en.jsonl` or `zh.jsonl` and fill in the placeholders: up to `variants` questions `<id>#<variant>` per item.

    Each question has its gold documents with the variant's values and `noise` documents of levels 1 to 3, shuffled.
    `extra` has `item` (average over its variants first), `kind` (`filter`, `combination`, `reasoning`) and
    `expression`, the gold answer for `expression_match`. An item with fewer variants or noise documents uses all that
    it has, as in the published code; unlike there, an item's choice depends on its id and `seed` only, so that a part
    of the file gives the same questions. Errors: `UsageError`.
    """
    if variants < 1 or len(noise) != 3 or min(noise) < 0:
        raise UsageError(f"PRGB needs at least one variant and three numbers of noise documents, not {list(noise)}.")
    seen: dict[str, int] = {}
    questions: list[Question] = []
    for line, row in read_objects(path):
        name = require_id(path, line, row)
        require_new(path, line, name, seen)
        filled, answers = _variants(path, line, row)
        random = Random(f"{seed}:{name}")
        chosen = sorted(random.sample(range(len(filled)), min(variants, len(filled))))
        for variant in chosen:
            passages = _passages(path, line, row, filled[variant], noise, random)
            questions.append(_question(path, line, row, f"{name}#{variant}", answers[variant], passages))
    return questions


def _question(
    path: Path, line: int, row: Json, name: str, answer: str, passages: tuple[QuestionPassage, ...]
) -> Question:
    item = name.rpartition("#")[0]
    kind = KINDS.get(item.split("-")[0].replace("_v3", "_v1"), "reasoning")
    plain = not any(sign in answer for sign in "&|()")
    return Question(
        id=name,
        question=require(path, line, row, "query", str),
        answers=(answer,) if plain else (),
        passages=passages,
        extra={"item": item, "kind": kind, "expression": answer},
    )


def _variants(path: Path, line: int, row: Json) -> tuple[list[Json], tuple[str, ...]]:
    part = require_object(path, line, require(path, line, row, "placeholder_item", dict))
    values = [require_object(path, line, one) for one in require(path, line, part, "placeholders", list)]
    answers = texts(path, line, part, "answer")
    if len(values) != len(answers):
        refuse(path, line, f"{len(values)} placeholder sets have {len(answers)} answers.", "Fetch the file again.")
    return values, answers


def _passages(
    path: Path, line: int, row: Json, values: dict[str, Any], noise: Sequence[int], random: Random
) -> tuple[QuestionPassage, ...]:
    documents = [(_filled(text, values), True) for text in texts(path, line, row, "golden_doc")]
    for level, count in enumerate(noise, start=1):
        pool = texts(path, line, row, f"noise_doc_level{level}")
        documents += [(text, False) for text in random.sample(pool, min(count, len(pool)))]
    random.shuffle(documents)
    return tuple(QuestionPassage(str(at), text, "", gold) for at, (text, gold) in enumerate(documents, start=1))


def _filled(text: str, values: dict[str, Any]) -> str:
    for placeholder, value in values.items():
        text = text.replace(placeholder, str(value))
    return text
