"""All measures over files of questions, answers and runs that any system wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fonte.errors import MissingExtraError, UsageError
from fonte.evaluation.answers import GivenAnswer
from fonte.evaluation.citation_suite import CitationItem, citation_measures
from fonte.evaluation.cited_answers import spoken_text
from fonte.evaluation.questions import Question
from fonte.measures.abstention import Attempt, coverage, right_silence, risk, wrong_silence
from fonte.measures.bert_score import Encode, bert_score
from fonte.measures.cited import CitedPassage
from fonte.measures.containment import containment
from fonte.measures.conventions import FONTE, Conventions
from fonte.measures.counterfactual import counterfactual, counterfactual_outcome
from fonte.measures.exact_match import exact_match
from fonte.measures.expressions import expression_match
from fonte.measures.reliance import reliance
from fonte.measures.rouge_l import rouge_l
from fonte.measures.score import Score, Summary, not_applicable, not_scored, scored, summarise
from fonte.measures.support import Support, known_support
from fonte.measures.token_f1 import token_f1

Pairs = Sequence[tuple[Question, GivenAnswer | None]]


@dataclass(frozen=True)
class Scorer:
    """What judges support: its name is shown beside every number that depends on it."""

    name: str
    support: Support


@dataclass(frozen=True)
class Choices:
    """What to measure with: a support scorer, conventions of counting, an encoder for BERTScore, the seed."""

    scorer: Scorer | None = None
    conventions: Sequence[Conventions] = (FONTE,)
    encode: Encode | None = None
    encoder: str = ""
    seed: int = 0


@dataclass(frozen=True)
class Measured:
    """Summaries by measure, for some the model that judged, and what a reader should know about the files."""

    measures: Mapping[str, Summary]
    judges: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the public shape: `measures`, with `scorer` where a model or a rule judged, and `notes`."""
        shapes = {
            name: {**summary.to_json(), **({"scorer": self.judges[name]} if name in self.judges else {})}
            for name, summary in self.measures.items()
        }
        return {"measures": shapes, "notes": list(self.notes)}

    def items_json(self) -> Iterator[dict[str, Any]]:
        """Yield one object per item: its id, and value, status and reason of every measure that saw it."""
        names = dict.fromkeys(item for summary in self.measures.values() for item in summary.items)
        for item in names:
            yield {
                "id": item,
                "measures": {
                    name: {"value": score.value, "status": score.status, "reason": score.reason}
                    for name, summary in self.measures.items()
                    if (score := summary.items.get(item))
                },
            }


def measure_answers(
    questions: Sequence[Question],
    answers: Mapping[str, GivenAnswer],
    choices: Choices | None = None,
    closed_book: Mapping[str, GivenAnswer] | None = None,
) -> Measured:
    """Measure `answers` to `questions`, and with `closed_book` (answers without documents) what documents added.

    A question without an answer in the file counts as not answered, never as absent: its correctness is 0. Answers to
    unknown questions are left out and counted in `notes`. Errors: `UsageError` where no answer belongs to a question.
    """
    chosen = choices or Choices()
    shared = [question.id for question in questions if question.id in answers]
    if not shared:
        example = next(iter(answers), "")
        raise UsageError(
            f"No answer belongs to a question: the first question is {questions[0].id!r}, the first answer "
            f"{example!r}. Give each answer the id of its question."
        )
    pairs: Pairs = [(question, answers.get(question.id)) for question in questions]
    spoken = _spoken(pairs)
    items = {**_correctness(spoken, chosen), **_behaviour(spoken)}
    measures = {name: summarise(scores, seed=chosen.seed) for name, scores in items.items()}
    measures |= _contradicted(spoken, chosen.seed)
    if closed_book is not None:
        without = [(question, closed_book.get(question.id)) for question in questions]
        measures |= _reliance(_spoken(without), spoken, chosen.seed)
    cited, judges = _citations(pairs, chosen)
    measures |= {name: summarise(scores, seed=chosen.seed) for name, scores in cited.items()}
    if chosen.encode:
        judges["bert_score"] = chosen.encoder
    return Measured(measures, judges, tuple(_notes(questions, answers)))


def _spoken(pairs: Pairs) -> Pairs:
    """Return the answers without their markers: what correctness is judged by."""
    return [
        (question, answer and replace(answer, text=spoken_text(answer, _given(question, answer))))
        for question, answer in pairs
    ]


def _notes(questions: Sequence[Question], answers: Mapping[str, GivenAnswer]) -> Iterator[str]:
    missing = sum(question.id not in answers for question in questions)
    known = {question.id for question in questions}
    unknown = sum(name not in known for name in answers)
    incomplete = sum(answer.status == "incomplete" for name, answer in answers.items() if name in known)
    if missing:
        yield f"{missing} of {len(questions)} questions have no answer in the file; they count as not answered."
    if unknown:
        yield f"{unknown} answers have an id that no question has; they are left out."
    if incomplete:
        yield f"{incomplete} answers are incomplete: something failed while they were made."


def _correctness(pairs: Pairs, choices: Choices) -> dict[str, dict[str, Score]]:
    functions: dict[str, Callable[[str, Sequence[str]], Score]] = {
        "exact_match": exact_match,
        "token_f1": token_f1,
        "containment": containment,
        "rouge_l": _rouge_l(),
    }
    if encode := choices.encode:
        known = _encoded(pairs, encode)
        functions["bert_score"] = lambda prediction, answers: bert_score(prediction, answers, known)
    found = {
        name: {question.id: _judged(question, answer, function) for question, answer in pairs}
        for name, function in functions.items()
    }
    if any("expression" in question.extra for question, _ in pairs):
        found["expression_match"] = {
            question.id: expression_match(answer.text if answer else "", str(question.extra.get("expression", "")))
            for question, answer in pairs
        }
    return found


def _judged(question: Question, answer: GivenAnswer | None, function: Callable[[str, Sequence[str]], Score]) -> Score:
    if question.answerable is False:
        return not_applicable("the question cannot be answered")
    result = function(answer.text if answer else "", question.answers)
    if result.value is None:
        return result
    if answer is None:
        return scored(0.0, "no answer in the file")
    return result if answer.answered else scored(0.0, "the system did not answer")


def _rouge_l() -> Callable[[str, Sequence[str]], Score]:
    try:
        rouge_l("a", ["a"])
    except MissingExtraError as error:
        reason = str(error)
        return lambda prediction, answers: not_scored(reason)
    return rouge_l


def _encoded(pairs: Pairs, encode: Encode) -> Encode:
    """Encode all texts in one call, where batches are full."""
    texts = [text for question, answer in pairs if answer for text in (answer.text, *question.answers)]
    distinct = list(dict.fromkeys(texts))
    known = dict(zip(distinct, encode(distinct) if distinct else [], strict=True))
    return lambda wanted: [known[text] for text in wanted]


def _behaviour(pairs: Pairs) -> dict[str, dict[str, Score]]:
    attempts = {question.id: _attempt(question, answer) for question, answer in pairs}
    found = {
        "coverage": {name: coverage(attempt) for name, (attempt, _) in attempts.items()},
        "risk": {
            name: risk(attempt) if known or not attempt.answered or attempt.answerable is False else _no_gold()
            for name, (attempt, known) in attempts.items()
        },
    }
    if any(question.answerable is not None for question, _ in pairs):
        found["right_silence"] = {name: right_silence(attempt) for name, (attempt, _) in attempts.items()}
        found["wrong_silence"] = {name: wrong_silence(attempt) for name, (attempt, _) in attempts.items()}
    return found


def _no_gold() -> Score:
    return not_applicable("the question has no gold answer")


def _attempt(question: Question, answer: GivenAnswer | None) -> tuple[Attempt, bool]:
    """Return the attempt, and whether its correctness is known (containment of a gold answer)."""
    correct = _right(question, answer)
    answered = bool(answer and answer.answered)
    return Attempt(answered, correct.value or 0.0, question.answerable), correct.value is not None


def _right(question: Question, answer: GivenAnswer | None) -> Score:
    if expression := question.extra.get("expression"):
        return expression_match(answer.text if answer else "", str(expression))
    return _judged(question, answer, containment)


def _contradicted(pairs: Pairs, seed: int) -> dict[str, Summary]:
    outcomes = {
        question.id: counterfactual_outcome(answer.text if answer else "", _substituted(question), question.answers)
        for question, answer in pairs
        if _substituted(question)
    }
    if not outcomes:
        return {}
    result = counterfactual(outcomes, seed)
    return {"counterfactual_following": result.following, "memorisation_ratio": result.memorisation}


def _substituted(question: Question) -> list[str]:
    value = question.extra.get("substituted") or []
    return [value] if isinstance(value, str) else [str(one) for one in value]


def _reliance(closed_book: Pairs, with_documents: Pairs, seed: int) -> dict[str, Summary]:
    before, after = (
        {question.id: _right(question, answer) for question, answer in pairs} for pairs in (closed_book, with_documents)
    )
    result = reliance(before, after, seed)
    return {
        "accuracy_closed_book": result.closed_book,
        "accuracy_with_documents": result.with_documents,
        "reference_reliance": result.reference_reliance,
    }


def _citations(pairs: Pairs, choices: Choices) -> tuple[dict[str, dict[str, Score]], dict[str, str]]:
    items = [CitationItem.of(question, answer, _given(question, answer)) for question, answer in pairs]
    scorer = choices.scorer
    support = known_support((), scorer.support) if scorer else None
    scores, judged = citation_measures(items, support, choices.conventions)
    return scores, dict.fromkeys(judged, scorer.name) if scorer else {}


def _given(question: Question, answer: GivenAnswer | None) -> tuple[CitedPassage, ...] | None:
    """Return what the system was given: as its answer tells, else the question's own passages, else not known."""
    if answer and answer.passages is not None:
        return answer.passages
    if question.passages:
        return tuple(CitedPassage(one.id, one.text, one.title, one.title) for one in question.passages)
    return None
