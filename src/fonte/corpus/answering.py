"""A question through retrieval, ranking and generation to a recorded answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from fonte.corpus.probes import known_probe
from fonte.errors import EndpointError, UsageError
from fonte.generation.answering import write_answer
from fonte.generation.events import Event, Finished, MarkerShown, Prompted, TextShown, fold
from fonte.generation.quote import quote_answer
from fonte.models import Embedder, LanguageModel, LocalLanguageModel, Reranker
from fonte.ranking import rerank
from fonte.records import AnswerRecord, ModelIdentity, parse_where, settings_snapshot
from fonte.retrieval import retrieve
from fonte.values import Answer, Passage, Prompt

if TYPE_CHECKING:
    from fonte.corpus.corpus import Corpus


@dataclass
class Told:
    """What the events say beside the answer itself: for the record."""

    model: LanguageModel | None = None
    prompt: Prompt = field(default_factory=Prompt)
    finished: Finished = field(default_factory=lambda: Finished("incomplete", "", ""))

    def note(self, event: Event) -> None:
        """Keep the prompt and the end."""
        if isinstance(event, Prompted):
            self.prompt = event.prompt
        elif isinstance(event, Finished):
            self.finished = event


class Answerer:
    """Answers questions from one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        """`corpus` gives the index, the models, the records and the settings."""
        self._corpus = corpus

    def find(self, question: str, where: str | None) -> list[Passage]:
        """Retrieve and re-rank: at most `settings.retrieval.passages` passages, best first."""
        return self._rank(question, self._retrieve(question, where))

    def ask(self, question: str, where: str | None, show: Callable[[str], None] | None) -> Answer:
        """Retrieve, rank, write, and record."""
        if not question.strip():
            raise UsageError("The question is empty. Ask in plain words, such as: How often is the filter cleaned?")
        clock = [time.perf_counter()]
        candidates = self._retrieve(question, where)
        clock.append(time.perf_counter())
        passages = self._rank(question, candidates)
        clock.append(time.perf_counter())
        told = Told()
        answer = fold(self._shown(self._write(question, passages, told), told, show), question, passages)
        clock.append(time.perf_counter())
        spent = (round(after - before, 4) for before, after in pairwise(clock))
        answer = replace(answer, seconds=tuple(zip(("retrieve", "rerank", "generate"), spent, strict=True)))
        return self._record(answer, told)

    def _retrieve(self, question: str, where: str | None) -> list[Passage]:
        corpus, chosen = self._corpus, self._corpus.settings.retrieval
        documents = corpus.records.documents.matching(parse_where(where)) if where else None
        if not corpus.index.exists() or documents == set():
            return []
        wanted = max(chosen.passages, chosen.candidates) if corpus.reranker else chosen.passages
        asked = chosen.model_copy(update={"passages": wanted})
        return retrieve(corpus.index.store, corpus.index.embedder, question, asked, documents)

    def _rank(self, question: str, passages: list[Passage]) -> list[Passage]:
        reranker = self._corpus.reranker
        ranked = rerank(reranker, question, passages) if reranker else passages
        return ranked[: self._corpus.settings.retrieval.passages]

    def _write(self, question: str, passages: list[Passage], told: Told) -> Iterator[Event]:
        """Yield the events of the answer; `told` gets the model that makes it, if one is needed."""
        corpus = self._corpus
        if not passages:
            yield Finished("not_in_sources", self._why_nothing(), "")
            return
        settings, model = corpus.settings.generation, corpus.language_model
        told.model = model
        mode = settings.mode
        try:
            mode = known_probe(model).mode if mode == "auto" else mode
            if mode == "quote":
                yield from quote_answer(question, passages, model, corpus.index.embedder, settings, corpus.place)
            else:
                yield from write_answer(question, passages, model, settings, corpus.place)
        except EndpointError as error:
            # An answer that could not be made is a result too, with its passages: never only a message.
            yield Finished("incomplete", f"The language model failed: {error}", "" if mode == "auto" else mode)

    def _why_nothing(self) -> str:
        if not self._corpus.records.documents.list():
            return "The corpus is empty: add documents with fonte add."
        return "No passage was found for this question."

    def _shown(self, events: Iterable[Event], told: Told, show: Callable[[str], None] | None) -> Iterator[Event]:
        for event in events:
            told.note(event)
            if show is not None and isinstance(event, TextShown | MarkerShown):
                show(event.text)
            yield event

    def _record(self, answer: Answer, told: Told) -> Answer:
        corpus, model = self._corpus, told.model
        if not corpus.settings.records.enabled:
            return answer
        local = isinstance(model, LocalLanguageModel) and bool(told.prompt.user)
        record = AnswerRecord(
            answer=answer,
            prompt=told.prompt,
            segments=model.segment(told.prompt) if local and isinstance(model, LocalLanguageModel) else None,
            raw_text=told.finished.text,
            thinking=told.finished.thinking,
            token_ids=told.finished.token_ids,
            language_model=_identity(model),
            embedder=_identity(corpus.index.embedder if answer.passages else None),
            reranker=_identity(corpus.reranker) if corpus.reranker else None,
            index_generation=corpus.index.generation(),
            seed=corpus.settings.generation.seed,
            settings=settings_snapshot(corpus.settings),
        )
        if corpus.settings.records.keep_days:
            corpus.records.answers.expire(corpus.settings.records.keep_days)
        return corpus.records.answers.save(record).answer


def _identity(model: LanguageModel | Embedder | Reranker | None) -> ModelIdentity:
    return ModelIdentity(model.name, model.fingerprint) if model else ModelIdentity()
