"""The sets that generators are trained on and evaluated with, as questions with passages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fonte.evaluation.files import read_objects
from fonte.evaluation.questions import Question, QuestionPassage, read_questions
from fonte.measures.words import answer_words
from fonte.training.alteration import SUBSTITUTED
from fonte.training.examples import split_by_hash

APART = {"nq_oracle": 300, "2wiki": 200}
"""Rows that are set apart by hash for development; the others may be trained on."""

FILES = {
    "hotpotqa": "hotpotqa/dev300.jsonl.gz",
    "2wiki": "2wiki/train500.jsonl.gz",
    "musique": "musique/dev_half.jsonl",
    "popqa": "popqa/popqa500.jsonl.gz",
    "pubmedqa": "pubmedqa/not_test500.jsonl",
    "rgb": "rgb/en_fact.jsonl",
    "clapnq": "clapnq/dev_half.jsonl",
    "nq_oracle": "nq_oracle/questions2655.jsonl",
}
LONG_ANSWERS = frozenset(("clapnq",))
MULTI_HOP = frozenset(("hotpotqa", "2wiki", "musique"))


def development(data: Path, name: str) -> list[Question]:
    """Return the development questions of a set. Errors: `UsageError` where the folder lacks it."""
    if name == "rgb":
        return list(_rgb(data / FILES[name]))
    questions = read_questions(data / FILES[name])
    if name in APART:
        questions, _ = split_by_hash(questions, APART[name])
    return [_pubmedqa(question) for question in questions] if name == "pubmedqa" else questions


def training(data: Path, name: str, measured_on: Sequence[str] = ()) -> tuple[list[Question], int]:
    """Return the questions of a set that may be trained on, and how many more share evidence with a measured one.

    Never a development question, nor one with a gold passage of a development question of the sets `measured_on`.
    """
    rows = _not_development(data, name)
    kept = apart(rows, [question for other in measured_on for question in development(data, other)])
    return kept, len(rows) - len(kept)


def apart(questions: Sequence[Question], measured: Sequence[Question]) -> list[Question]:
    """Return the `questions` of which no gold passage is one of a `measured` question.

    Passages are equal where their words are: case, punctuation, articles, white space and typography do not count.
    """
    taken = {text for question in measured for text in _evidence(question)}
    return [question for question in questions if taken.isdisjoint(_evidence(question))]


def _evidence(question: Question) -> set[str]:
    return {" ".join(answer_words(one.text)) for one in question.passages if one.gold} - {""}


def _not_development(data: Path, name: str) -> list[Question]:
    if name == "hotpotqa":
        return read_questions(data / "hotpotqa/train300.jsonl.gz")
    if name == "musique":
        return read_questions(data / "musique/train100.jsonl")
    _, rest = split_by_hash(read_questions(data / FILES[name]), APART[name])
    return rest


def _pubmedqa(question: Question) -> Question:
    """Say what is asked for, as its leaderboards do."""
    return replace(question, question=f"{question.question} Answer yes, no or maybe.")


def _rgb(path: Path) -> Iterator[Question]:
    """Yield the questions with their own changed documents; those with several answers that must all be there go."""
    for _, row in read_objects(path):
        groups = [one if isinstance(one, list) else [one] for one in row["answers"]]
        nested = any(isinstance(one, list) for one in row["answers"])
        if nested and len(groups) > 1:
            continue
        passages = tuple(_passage(number, one, bool(one["gold"])) for number, one in enumerate(row["passages"]))
        changed = tuple(_passage(number, one, True) for number, one in enumerate(row["counterfactual_passages"]))
        extra = {SUBSTITUTED: [row["fake_answer"]], "changed": (*changed, *(one for one in passages if not one.gold))}
        answers = tuple(answer for group in groups for answer in group)
        yield Question(str(row["id"]), row["question"], answers, passages, extra=extra)


def _passage(number: int, value: Any, gold: bool) -> QuestionPassage:
    text = value if isinstance(value, str) else value["text"]
    return QuestionPassage(f"{'gold' if gold else 'other'} {number}", text, gold=gold)
