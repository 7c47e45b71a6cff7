"""Answer files of any system: the objects of `fonte ask --json` plus `id`, or as little as `{id, answer}`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fonte.evaluation.files import Json, read_objects, refuse, require, require_id, require_new, require_object, texts
from fonte.measures.cited import CitedPassage
from fonte.measures.words import visible_answer
from fonte.values import Effect

STATUSES = ("answered", "not_in_sources", "incomplete")


@dataclass(frozen=True, slots=True)
class AnswerCitation:
    """A citation as the file tells it: spans in code points of the answer, None where they are not given."""

    passage_id: str
    answer: tuple[int, int] | None = None
    marker: tuple[int, int] | None = None
    quote: str = ""
    effect: Effect | None = None


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One line of an answer file.

    `text` is what a reader sees: without the model's thinking, empty where the system did not answer. `citations` is
    None where the file does not list them (they are then read from markers such as `[1]`), `passages` None where it
    does not tell what the system was given.
    """

    id: str
    text: str
    status: str
    passages: tuple[CitedPassage, ...] | None = None
    citations: tuple[AnswerCitation, ...] | None = None
    invented: int = 0
    effects: tuple[Effect, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether the system gave an answer."""
        return self.status != "not_in_sources" and bool(self.text.strip())


def read_answers(path: Path) -> dict[str, GivenAnswer]:
    """Read an answer file, by id, in file order.

    Errors: `UsageError` with file, line and what to do: no id or answer, an id used twice, a part of the wrong type, an
    unknown status, a span outside of the answer.
    """
    seen: dict[str, int] = {}
    answers: dict[str, GivenAnswer] = {}
    for line, row in read_objects(path):
        answer = _answer(path, line, row)
        require_new(path, line, answer.id, seen)
        answers[answer.id] = answer
    if not answers:
        refuse(path, None, "the file holds no answer.", "Write one JSON object per line, at least {id, answer}.")
    return answers


def _answer(path: Path, line: int, row: Json) -> GivenAnswer:
    raw = require(path, line, row, "answer", str)
    status = row.get("status") or ("answered" if visible_answer(raw).strip() else "not_in_sources")
    if status not in STATUSES:
        refuse(path, line, f"the status {status!r} is not known.", f"It is one of: {', '.join(STATUSES)}.")
    citations = None
    if row.get("citations") is not None:
        parts = require(path, line, row, "citations", list)
        citations = tuple(_citation(path, line, require_object(path, line, part), len(raw)) for part in parts)
    # Spans count in the text as it was written, so that one is kept where there are citations.
    text = raw if citations else visible_answer(raw)
    return GivenAnswer(
        id=require_id(path, line, row),
        text="" if status == "not_in_sources" else text,
        status=status,
        passages=_passages(path, line, row),
        citations=citations,
        invented=len(texts(path, line, row, "invented_markers")),
        effects=tuple(_effect(path, line, part) for part in row.get("effects") or ()),
    )


def _passages(path: Path, line: int, row: Json) -> tuple[CitedPassage, ...] | None:
    if row.get("passages") is None:
        return None
    found: list[CitedPassage] = []
    for position, value in enumerate(require(path, line, row, "passages", list), start=1):
        part = {"text": value} if isinstance(value, str) else require_object(path, line, value)
        key = next((key for key in ("passage_id", "id") if part.get(key) is not None), None)
        name = require_id(path, line, part, key) if key else str(position)
        document = str(part.get("document") or "")
        title = str(part.get("title") or document)
        found.append(CitedPassage(name, require(path, line, part, "text", str), title, document))
    if len({passage.id for passage in found}) < len(found):
        refuse(path, line, "two passages have the same id.", "Ids of passages must be unique in an answer.")
    return tuple(found)


def _citation(path: Path, line: int, part: Json, length: int) -> AnswerCitation:
    key = "passage_id" if "passage_id" in part else "id"
    effect = part.get("effect")
    return AnswerCitation(
        passage_id=require_id(path, line, part, key),
        answer=_span(path, line, part, "answer", length),
        marker=_span(path, line, part, "marker", length),
        quote=str(part.get("quote") or ""),
        effect=None if effect is None else _effect(path, line, effect),
    )


def _span(path: Path, line: int, part: Mapping[str, Any], name: str, length: int) -> tuple[int, int] | None:
    if part.get(f"{name}_start") is None:
        return None
    start, end = (require(path, line, part, f"{name}_{side}", int) for side in ("start", "end"))
    if not 0 <= start <= end <= length:
        refuse(path, line, f"the {name} span {start} to {end} is outside of the answer.", "Offsets are code points.")
    return start, end


def _effect(path: Path, line: int, value: Any) -> Effect:
    part = require_object(path, line, value)
    name, status = require_id(path, line, part, "passage_id"), require(path, line, part, "status", str)
    numbers = {
        key: None if part.get(key) is None else float(require(path, line, part, key, (int, float)))
        for key in ("value", "low", "high", "signature_value")
    }
    if status != "not_measured" and numbers["value"] is None:
        refuse(path, line, f"the effect of {name!r} is {status} without a value.", "Write its value in nats.")
    return Effect(name, status, group=str(part.get("group") or ""), unit=str(part.get("unit") or "nats"), **numbers)
