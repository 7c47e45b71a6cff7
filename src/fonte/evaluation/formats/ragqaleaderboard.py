"""RAGQALeaderboard (AQ-MedAI)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from fonte.errors import UsageError
from fonte.evaluation.files import (
    Json,
    read_json,
    read_objects,
    refuse,
    require,
    require_id,
    require_new,
    require_object,
    texts,
)
from fonte.evaluation.questions import Question, QuestionPassage

POOL = "documents_pool.json"


def read_ragqaleaderboard(path: Path, total: int = 30, seed: int = 0) -> list[Question]:
    """Read one of its sets (`hotpot_distractor.jsonl`, `popqa.jsonl`, …) with `documents_pool.json` beside it.

    A line is `{id, query, golden_doc, reference, ground_truth}`, the first two lists of document ids. A question gets
    its gold documents and noise documents up to `total`, shuffled; the choice depends on its id and `seed` only. For
    figures like the published ones use `substring_accuracy`. Errors: `UsageError`.
    """
    if total < 1:
        raise UsageError(f"A question needs at least one document, not {total}.")
    pool = require_object(path.parent / POOL, None, read_json(path.parent / POOL))
    seen: dict[str, int] = {}
    questions: list[Question] = []
    for line, row in read_objects(path):
        name = require_id(path, line, row)
        require_new(path, line, name, seen)
        passages = _passages(path, line, row, pool, (total, Random(f"{seed}:{name}")))
        answers = texts(path, line, row, "ground_truth")
        questions.append(Question(name, require(path, line, row, "query", str), answers, passages))
    return questions


def _passages(
    path: Path, line: int, row: Json, pool: Mapping[str, Any], choice: tuple[int, Random]
) -> tuple[QuestionPassage, ...]:
    total, random = choice
    gold = _ids(path, line, row, "golden_doc")
    noise = [name for name in _ids(path, line, row, "reference") if name not in gold]
    chosen = gold + random.sample(noise, max(0, min(total - len(gold), len(noise))))
    random.shuffle(chosen)
    for name in chosen:
        if not isinstance(pool.get(name), str):
            refuse(path, line, f"document {name!r} is not in {POOL}.", f"Fetch {POOL} of the same version.")
    return tuple(QuestionPassage(name, pool[name], "", name in gold) for name in chosen)


def _ids(path: Path, line: int, row: Json, field: str) -> list[str]:
    return list(dict.fromkeys(str(name) for name in require(path, line, row, field, list)))
