"""Targets from a corpus: its questions answered, and the answers attributed to the passages that were shown."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from fonte.attribution import Measurement, attribute, expectation, method_named
from fonte.attribution import Question as Asked
from fonte.attribution.placebo import placebos
from fonte.chunking import embedded_text
from fonte.corpus import Corpus
from fonte.corpus.explaining import Explainer, Scene
from fonte.errors import UsageError
from fonte.evaluation.questions import Question
from fonte.likelihood import SqliteEvaluations
from fonte.records import AnswerRecord
from fonte.training.corpus_passages import CorpusPassages, overlaps
from fonte.training.reranker_targets import QuestionTargets, TargetFile, TargetPassage, wording
from fonte.values import Answer, Passage, content_id

Progress = Callable[[int, int], None]
Tell = Callable[[str], None]
# An order of passages needs less than `fonte explain` does: fewer pairs, and two of the texts that say nothing.
SIZE, PLACEBOS = 7, 2


@dataclass(frozen=True, slots=True)
class Collection:
    """How to measure targets.

    `method` is one of attribution's: `pairs` (leave-one-out and sampled pairs, 20 evaluations of ten passages at most,
    stopping early), `clime` (the paper's), `alone` or `first_and_last`. `answer` is the model's own, or the gold one
    where a question has one. `limit` is the most questions (None: all).
    """

    method: str = "pairs"
    answer: Literal["model", "gold"] = "model"
    seed: int = 0
    limit: int | None = None

    def __post_init__(self) -> None:
        """Refuse another answer, since settings come from files and command lines."""
        if self.answer not in ("model", "gold"):
            raise UsageError(f"The answer to attribute is model or gold, not {self.answer!r}.")


@dataclass(frozen=True)
class Collected:
    """`targets` of questions that have some; `without` says why others have none: reason to number of questions."""

    targets: tuple[QuestionTargets, ...]
    without: tuple[tuple[str, int], ...]


class _NoTargetsError(Exception):
    """A question has no targets; the message says why."""


class Collector:
    """Measures targets of one corpus, each question once: what `file` holds already is not measured again."""

    def __init__(self, corpus: Corpus, file: TargetFile, wish: Collection, tell: Tell, progress: Progress) -> None:
        """`tell` gets what it will cost before the long part; `progress(done, total)` counts questions."""
        method_named(wish.method)
        self._corpus = corpus
        self._explainer = Explainer(corpus)
        self._file = file
        self._wish = wish
        self._tell = tell
        self._progress = progress
        self._passages = CorpusPassages(corpus)
        self._left = 0

    def from_questions(self, questions: Sequence[Question]) -> Collected:
        """Ask each question, or take its gold answer, and measure. Errors: those of `Corpus.ask` and the engine."""
        chosen = {_key(question): question for question in questions[: self._wish.limit]}

        def record_of(name: str) -> tuple[AnswerRecord, Question | None]:
            return self._asked(chosen[name]), chosen[name]

        return self._collect(list(chosen), record_of, self._all_there)

    def from_records(self) -> Collected:
        """Measure the corpus's answer records, the newest first; of the same question only the newest."""
        newest: dict[str, str] = {}
        for entry in self._corpus.records.answers.list():
            if entry.status == "answered":
                newest.setdefault(wording(entry.question), entry.id)

        def record_of(name: str) -> tuple[AnswerRecord, Question | None]:
            record = self._corpus.records.answers.get(name)
            used = record.language_model.fingerprint
            if used and used != self._corpus.language_model.fingerprint:
                raise _NoTargetsError("answered by another model than that of the settings")
            return record, None

        return self._collect(list(newest.values())[: self._wish.limit], record_of, lambda targets: True)

    def _collect(
        self,
        names: list[str],
        record_of: Callable[[str], tuple[AnswerRecord, Question | None]],
        lasting: Callable[[QuestionTargets], bool],
    ) -> Collected:
        """Measure what is not known; why a question has no targets holds until something else is indexed."""
        ids = {self._id(name): name for name in names}
        state = self._passages.state()
        kept = self._file.read()
        known = {one.id: one for one in kept if (one.corpus == state if one.reason else lasting(one))}
        self._left = len(ids.keys() - known.keys())

        def measure(identity: str) -> QuestionTargets:
            started = time.perf_counter()
            try:
                record, question = record_of(ids[identity])
                return self._measure(identity, record, question, time.perf_counter() - started)
            except _NoTargetsError as why:
                return QuestionTargets(identity, "", "", (), corpus=state, reason=str(why))

        found = []
        for done, targets in enumerate(self._file.measured(list(ids), measure, known), start=1):
            self._progress(done, len(ids))
            found.append(targets)
        reasons = Counter(one.reason for one in found if one.reason)
        return Collected(tuple(one for one in found if not one.reason), tuple(sorted(reasons.items())))

    def _all_there(self, targets: QuestionTargets) -> bool:
        """Return whether the corpus still has every measured passage, word for word."""
        return all(self._passages.holds(passage.document, passage.id) for passage in targets.passages)

    def _id(self, name: str) -> str:
        """Name a measurement by question or record and by what measured it: another method or model measures again."""
        wish = self._wish
        return f"{name} {wish.method} {wish.answer} {wish.seed} {self._corpus.language_model.fingerprint}"

    def _asked(self, question: Question) -> AnswerRecord:
        if self._wish.answer == "gold":
            if not question.answers:
                raise _NoTargetsError("no gold answer in the file")
            passages = tuple(self._corpus.search(question.question))
            return AnswerRecord(answer=Answer(question.question, "answered", "", question.answers[0], (), passages))
        answer = self._corpus.ask(question.question)
        if answer.status != "answered":
            raise _NoTargetsError(f"the answer is {answer.status}")
        return self._corpus.records.answers.get(answer.record) if answer.record else AnswerRecord(answer=answer)

    def _measure(
        self, identity: str, record: AnswerRecord, question: Question | None, answering: float
    ) -> QuestionTargets:
        model = self._explainer.model_of(record)
        try:
            scene = self._explainer.scene(record, model)
        except UsageError:
            raise _NoTargetsError("no passages, or an answer without words") from None
        ids = tuple(passage.id for passage in scene.passages)
        texts = tuple(passage.chunk.text for passage in scene.passages)
        wish = self._wish
        order = Asked(
            ids,
            texts,
            (scene.scored.whole,),
            method=wish.method,
            seed=wish.seed,
            size=SIZE,
            signatures=False,
            groups=False,
        )
        started = time.perf_counter()
        with SqliteEvaluations(self._corpus.folder / "evaluations.db") as store:
            measurement = Measurement(model, scene.prompt, scene.scored.token_ids, store, placebos(model)[:PLACEBOS])
            self._announce(measurement, order, answering)
            found = attribute(measurement, order)
        if any(effect.value is None for effect in found.effects[0]):
            raise _NoTargetsError("a passage could not be measured")
        passages = tuple(
            TargetPassage(
                passage.id,
                embedded_text(passage.chunk),
                effect.value or 0.0,
                effect.low or 0.0,
                effect.high or 0.0,
                holds_gold(passage, question),
                passage.document,
                rank,
                passage.retrieval_score,
            )
            for rank, (passage, effect) in enumerate(zip(scene.passages, found.effects[0], strict=True), start=1)
        )
        return QuestionTargets(
            identity,
            record.answer.question,
            record.answer.text,
            passages,
            tuple(self._groups(record.answer.question, passages, question)),
            (model.name, model.fingerprint),
            found.method,
            wish.seed,
            _fingerprint(scene),
            found.unit,
            found.ablations,
            found.tokens.computed,
            time.perf_counter() - started,
        )

    def _groups(self, asked: str, passages: Sequence[TargetPassage], question: Question | None) -> Iterator[str]:
        yield wording(asked)
        gold = {passage.id for passage in passages if passage.gold}
        gold.update(self._passages.gold(question) if question is not None else ())
        yield from (f"passage {name}" for name in sorted(gold))
        yield from (f"named {name}" for name in _named(question))

    def _announce(self, measurement: Measurement, order: Asked, answering: float) -> None:
        """Say once what all will cost: the full context of the first question, which is needed anyway, is timed."""
        if not self._left:
            return
        expected = expectation(measurement, order, len(measurement.answer))
        measurement.evaluate(measurement.masks(np.ones((1, len(order.passage_ids)), bool)))
        speed = measurement.seconds / measurement.tokens.computed if measurement.tokens.computed else 0.0
        minutes = self._left * (expected.tokens * speed + answering) / 60
        self._tell(
            f"{self._left} questions to measure: at most {expected.ablations} evaluations and about "
            f"{expected.tokens:,} tokens each, in all about {minutes:.0f} minutes here. What is measured "
            "is kept, also when this is interrupted."
        )
        self._left = 0


def holds_gold(passage: Passage, question: Question | None) -> bool | None:
    """Say whether a passage overlaps a gold span of the question; None where the question names none."""
    if question is None or not question.gold:
        return None
    chunk = passage.chunk
    return any(
        span.document in (passage.document, chunk.document_id) and overlaps(span, chunk) for span in question.gold
    )


def _key(question: Question) -> str:
    """Name a question by all that its targets depend on: words, answers, gold and groups."""
    return f"{question.id} {content_id(question.question, *question.answers, repr(question.gold), *_named(question))}"


def _named(question: Question | None) -> tuple[str, ...]:
    named = question.extra.get("groups", ()) if question is not None else ()
    return (named,) if isinstance(named, str) else tuple(str(name) for name in named)


def _fingerprint(scene: Scene) -> str:
    return content_id(json.dumps(asdict(scene.prompt), sort_keys=True))
