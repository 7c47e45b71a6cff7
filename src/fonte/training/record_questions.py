"""Training data from a corpus's own answers: recorded questions with the passages that support what was said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from fonte.evaluation.questions import Question, QuestionPassage
from fonte.records import AnswerRecord
from fonte.records.answers import AnswerRecords

GOLD, CITED = "gold", "citations"
SUPPORTED = frozenset(("verbatim", "paraphrase"))


def questions_from_records(records: AnswerRecords, gold: Sequence[Question] = ()) -> list[Question]:
    """Return a question for every recorded answer that names its sources, the oldest first; asked again, the newest.

    So no question is on two sides of a training.
    Where `gold` has the same question, its answers and its marked passages count (found again by their text), and
    `extra["evidence"]` is `gold`. Else the answer's own text is the gold answer, the passages that it cites with a
    quote that supports it are the supporting ones, and `evidence` is `citations`: the model then learns from what it
    said itself, so only from what was checked. Recorded answers without either are left out.
    """
    known = {_key(one.question): one for one in gold}
    found: dict[str, Question] = {}
    for summary in reversed(records.list()):
        record = records.get(summary.id)
        key = _key(record.answer.question)
        question = _from_gold(record, known.get(key)) or _from_citations(record)
        if question is not None:
            found.pop(key, None)
            found[key] = question
    return list(found.values())


def _from_gold(record: AnswerRecord, gold: Question | None) -> Question | None:
    if gold is None:
        return None
    marked = [passage.text for passage in gold.passages if passage.gold]
    supporting = {
        passage.id for passage in record.answer.passages if any(_overlaps(passage.chunk.text, text) for text in marked)
    }
    return _question(record, gold.answers, supporting, GOLD) if supporting and gold.answers else None


def _from_citations(record: AnswerRecord) -> Question | None:
    supporting = {one.passage_id for one in record.answer.citations if one.status in SUPPORTED}
    if record.answer.status != "answered" or not supporting:
        return None
    return _question(record, (_without_markers(record),), supporting, CITED)


def _question(record: AnswerRecord, answers: Sequence[str], supporting: Iterable[str], evidence: str) -> Question:
    wanted = set(supporting)
    passages = tuple(
        QuestionPassage(str(number), passage.chunk.text, passage.chunk.title, gold=passage.id in wanted)
        for number, passage in enumerate(record.answer.passages, start=1)
    )
    extra: Mapping[str, str] = {"evidence": evidence}
    return Question(record.id, record.answer.question, tuple(answers), passages, extra=extra)


def _without_markers(record: AnswerRecord) -> str:
    """Return the displayed answer without `[1]`, as one line."""
    text = record.answer.text
    spans = sorted({(one.marker_start, one.marker_end) for one in record.answer.citations}, reverse=True)
    for start, end in spans:
        text = text[:start] + text[end:]
    return re.sub(r"\s+([.,;:!?])", r"\1", " ".join(text.split()))


def _overlaps(chunk: str, gold: str) -> bool:
    """Return whether one text holds the other, white space aside."""
    first, second = "".join(chunk.split()), "".join(gold.split())
    return bool(first and second) and (first in second or second in first)


def _key(question: str) -> str:
    return " ".join(question.casefold().split())
