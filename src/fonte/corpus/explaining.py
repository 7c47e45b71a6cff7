"""From a recorded answer to its measured effects: the same prompt, one passage less at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from fonte.attribution import Attribution, Measurement, Question, ScoredAnswer, attribute, method_named, scored_answer
from fonte.attribution.passage_sentences import OpenedPassage, open_passage, passages_to_open
from fonte.attribution.recording import to_json
from fonte.citations import PlaceOf
from fonte.corpus.effect_citations import Carried, insert_citations
from fonte.corpus.explanation import Explanation, with_effects
from fonte.errors import ModelError, UsageError
from fonte.generation.prompt import build_prompt
from fonte.likelihood import SqliteEvaluations, expand_passages
from fonte.likelihood.cost import floor_tokens
from fonte.likelihood.trie import distinct_paths
from fonte.models import LocalLanguageModel
from fonte.records import AnswerRecord
from fonte.values import Answer, Citation, Effect, Passage, SegmentedPrompt

if TYPE_CHECKING:
    from fonte.corpus.corpus import Corpus

Progress = Callable[[int, int], None]
# The kind under which a record keeps its measurements, by method.
MEASUREMENT = "measurement"
LEVELS = ("passage", "sentence")
# What a chat template puts around a prompt, at most.
TEMPLATE_TOKENS = 64


@dataclass(frozen=True)
class Wish:
    """How to measure: `method` and `level` as in `fonte explain --help`; `budget` in seconds, None: no limit.

    `tell` gets one sentence before the long part: how long it is expected to take. `stopped` is asked between forward
    passes: True ends the measurement with what is known by then.
    """

    method: str = "leave_one_out"
    level: str = "passage"
    budget: float | None = None
    tell: Callable[[str], None] = lambda message: None
    stopped: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class Scene:
    """The prompt that is ablated, the passages in it, and the answer as it is scored."""

    prompt: SegmentedPrompt
    passages: tuple[Passage, ...]
    scored: ScoredAnswer


class Explainer:
    """Explains answers of one corpus with the language model of its settings."""

    def __init__(self, corpus: Corpus) -> None:
        """`corpus` gives the model, the records and the folder."""
        self._corpus = corpus

    def explain(self, record: AnswerRecord, wish: Wish, progress: Progress | None = None) -> Explanation:
        """Measure the effects on a recorded answer; masks, scores, seeds and noise are kept with the record.

        Errors: `UsageError` for an answer without sentences or passages; `ModelError` where the model of the
        settings is another than the one that answered, or gives no log-probabilities.
        """
        if wish.level not in LEVELS:
            raise UsageError(f"There is no level {wish.level!r}. There are: {', '.join(LEVELS)}.")
        model = self.model_of(record)
        scene = self.scene(record, model)
        order = self._question(record.answer, scene, wish)
        with SqliteEvaluations(self._corpus.folder / "evaluations.db") as store:
            measurement = Measurement(model, scene.prompt, scene.scored.token_ids, store)
            wish.tell(self._expectation(measurement, order))
            found = attribute(measurement, order, progress, wish.stopped)
            opened = self._open(measurement, order, found, model, progress) if wish.level == "sentence" else ()
        payload = to_json(measurement, order)
        self._corpus.records.evaluations.put(record.id, MEASUREMENT, {found.method: payload})
        return replace(_explanation(record.answer, scene, found, self._corpus.place), opened=opened)

    def _open(
        self,
        measurement: Measurement,
        order: Question,
        found: Attribution,
        model: LocalLanguageModel,
        progress: Progress | None,
    ) -> tuple[OpenedPassage, ...]:
        """Measure the sentences of the passages that matter most."""
        asked = replace(order, least=found.placebo)
        return tuple(open_passage(measurement, asked, number, model, progress) for number in passages_to_open(found))

    def _expectation(self, measurement: Measurement, order: Question) -> str:
        """Time the full context, which is needed anyway, and scale to the tokens of the whole design."""
        passages = len(order.passage_ids)
        measurement.evaluate(expand_passages(np.ones((1, passages), bool), measurement.segments))
        keep = method_named(order.method).design(passages, order.seed).keep
        paths, _ = distinct_paths(measurement.segments, expand_passages(keep, measurement.segments))
        tokens = floor_tokens(paths, len(measurement.segments.tail), [measurement.answer])
        computed = measurement.tokens.computed
        if not computed:
            return f"Measuring {len(keep)} ablations; all or most are known already."
        seconds = measurement.seconds / computed * tokens
        return f"Measuring {len(keep)} ablations of {passages} passages: about {seconds:.0f} seconds."

    def model_of(self, record: AnswerRecord) -> LocalLanguageModel:
        """Return the model that made `record`. Errors: `ModelError` where the settings name another, or a server."""
        model = self._corpus.language_model
        if not isinstance(model, LocalLanguageModel):
            raise ModelError(
                f"{model.name} runs behind a server, which gives no log-probabilities of a given text. Effects need a "
                "local model: set language_model.model, without an endpoint."
            )
        used = record.language_model
        if used.fingerprint and used.fingerprint != model.fingerprint:
            raise ModelError(
                f"The answer {record.id} was made with {used.name} ({used.fingerprint}); your settings have "
                f"{model.name} ({model.fingerprint}). Set the same model, or ask again."
            )
        return model

    def scene(self, record: AnswerRecord, model: LocalLanguageModel) -> Scene:
        """Return what is ablated for `record`. Errors: `UsageError` for an answer without sentences or passages."""
        answer = record.answer
        scored = scored_answer(answer.text, answer.citations, model)
        if not scored.token_ids or not answer.passages:
            raise UsageError(f"The record {record.id} has no answer whose passages could be removed ({answer.status}).")
        if record.segments is not None and record.segments.passages:
            kept = tuple(passage for passage in answer.passages if passage.id not in set(answer.dropped_passages))
            return Scene(record.segments, kept, scored)
        room = model.context_window - len(scored.token_ids) - TEMPLATE_TOKENS
        built = build_prompt(answer.question, answer.passages, record.seed, room, model.count_tokens)
        return Scene(model.segment(built.prompt), tuple(built.kept), scored)

    def _question(self, answer: Answer, scene: Scene, wish: Wish) -> Question:
        cited = {citation.passage_id for citation in answer.citations}
        return Question(
            passage_ids=tuple(passage.id for passage in scene.passages),
            texts=tuple(passage.chunk.text for passage in scene.passages),
            spans=(scene.scored.whole, *scene.scored.tokens),
            first=tuple(number for number, passage in enumerate(scene.passages) if passage.id in cited),
            method=wish.method,
            budget=wish.budget,
        )


def _explanation(answer: Answer, scene: Scene, found: Attribution, place: PlaceOf) -> Explanation:
    whole, *by_sentence = found.effects
    effects = tuple(_effect_on(citation, scene.scored, by_sentence) for citation in answer.citations)
    explained = with_effects(answer, whole, effects)
    carried = list(_carried(answer, scene, by_sentence))
    explained, sentences = insert_citations(explained, carried, place, scene.scored.sentences)
    return Explanation(explained, sentences, tuple(by_sentence), found.memory_share[0], found)


def _effect_on(citation: Citation, scored: ScoredAnswer, by_sentence: list[tuple[Effect, ...]]) -> Effect | None:
    """Return the effect of the cited passage on the sentence that cites it; None where that is not measured."""
    for span, effects in zip(scored.sentences, by_sentence, strict=True):
        if _touches(span, citation):
            return next((effect for effect in effects if effect.passage_id == citation.passage_id), None)
    return None


def _carried(answer: Answer, scene: Scene, by_sentence: list[tuple[Effect, ...]]) -> Iterator[Carried]:
    """Yield each sentence without a citation whose likelihood a passage measurably carries, with the strongest one."""
    passages = {passage.id: passage for passage in scene.passages}
    for span, effects in zip(scene.scored.sentences, by_sentence, strict=True):
        if any(_touches(span, citation) for citation in answer.citations):
            continue
        carrying = [effect for effect in effects if effect.status == "measured" and (effect.low or 0) > 0]
        if carrying:
            strongest = max(carrying, key=lambda effect: effect.value or 0)
            yield Carried(*span, passages[strongest.passage_id], strongest)


def _touches(span: tuple[int, int], citation: Citation) -> bool:
    return span[0] < citation.answer_end and citation.answer_start < span[1]
