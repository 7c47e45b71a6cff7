"""A question through retrieval, ranking and generation to a recorded answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from fonte.corpus.probes import known_probe
from fonte.errors import EndpointError, UsageError
from fonte.generation.answering import write_answer
from fonte.generation.events import MODEL_FAILED, Event, Finished, MarkerShown, Prompted, TextShown, fold
from fonte.generation.quote import quote_answer
from fonte.models import Embedder, LanguageModel, LocalLanguageModel, Reranker
from fonte.ranking import rerank
from fonte.records import AnswerRecord, ModelIdentity, parse_where, settings_snapshot
from fonte.retrieval import retrieve
from fonte.retrieval.secluded import SecludedStore
from fonte.settings import Settings
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


@dataclass(frozen=True)
class Inquiry:
    """A question with the settings that hold for it.

    `documents` are the ids of those that may be searched (None: all). `secluded` keeps the others from showing through
    in scores. `asker` is kept in the record's settings where it is not empty.
    """

    question: str
    settings: Settings
    documents: frozenset[str] | None = None
    secluded: bool = False
    asker: str = ""


@dataclass(frozen=True)
class Retrieved:
    """The passages for an inquiry, best first, and the seconds that `retrieve` and `rerank` took."""

    inquiry: Inquiry
    passages: tuple[Passage, ...]
    seconds: tuple[tuple[str, float], ...] = ()


class Answerer:
    """Answers questions from one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        """`corpus` gives the index, the models, the records and the settings."""
        self._corpus = corpus

    def inquiry(self, question: str, where: str | None) -> Inquiry:
        """Return `question` of the documents that match `where`, with the settings of the corpus."""
        documents = self._corpus.records.documents.matching(parse_where(where)) if where else None
        return Inquiry(question, self._corpus.settings, None if documents is None else frozenset(documents))

    def find(self, inquiry: Inquiry) -> Retrieved:
        """Retrieve and re-rank: at most `settings.retrieval.passages` passages, best first."""
        clock = [time.perf_counter()]
        chosen = inquiry.settings.retrieval
        wanted = max(chosen.passages, chosen.candidates) if self._corpus.reranker else chosen.passages
        candidates = self._retrieve(inquiry, wanted)
        clock.append(time.perf_counter())
        passages = self._rank(inquiry, candidates)
        clock.append(time.perf_counter())
        return Retrieved(inquiry, tuple(passages), _spent(("retrieve", "rerank"), clock))

    def answer(self, found: Retrieved, tell: Callable[[Event], None]) -> Answer:
        """Write the answer from what was found, and record it; `tell` gets every event as it happens.

        An exception of `tell` stops the writing, and nothing is recorded then.
        """
        clock = [time.perf_counter()]
        told = Told()
        answer = fold(_told(self._write(found, told), told, tell), found.inquiry.question, found.passages)
        clock.append(time.perf_counter())
        answer = replace(answer, seconds=(*found.seconds, *_spent(("generate",), clock)))
        return self._record(answer, told, found.inquiry)

    def ask(self, question: str, where: str | None, show: Callable[[str], None] | None) -> Answer:
        """Retrieve, rank, write, and record."""
        if not question.strip():
            raise UsageError("The question is empty. Ask in plain words, such as: How often is the filter cleaned?")

        def tell(event: Event) -> None:
            if show is not None and isinstance(event, TextShown | MarkerShown):
                show(event.text)

        return self.answer(self.find(self.inquiry(question, where)), tell)

    def candidates(self, inquiry: Inquiry) -> list[Passage]:
        """Return what a re-ranker is given: at most `settings.retrieval.candidates` passages, as retrieval has them."""
        chosen = inquiry.settings.retrieval
        return self._retrieve(inquiry, max(chosen.passages, chosen.candidates))

    def _retrieve(self, inquiry: Inquiry, wanted: int) -> list[Passage]:
        corpus, chosen = self._corpus, inquiry.settings.retrieval
        if not corpus.index.exists() or inquiry.documents == frozenset():
            return []
        asked = chosen.model_copy(update={"passages": wanted})
        store = SecludedStore(corpus.index.store) if inquiry.secluded else corpus.index.store
        names = corpus.index.store.names()
        return retrieve(store, corpus.index.embedder, inquiry.question, asked, inquiry.documents, names)

    def _rank(self, inquiry: Inquiry, passages: list[Passage]) -> list[Passage]:
        reranker = self._corpus.reranker
        weight = self._corpus.rerank_weight
        ranked = rerank(reranker, inquiry.question, passages, weight) if reranker else passages
        return ranked[: inquiry.settings.retrieval.passages]

    def _write(self, found: Retrieved, told: Told) -> Generator[Event]:
        """Yield the events of the answer; `told` gets the model that makes it, if one is needed."""
        corpus, question, passages = self._corpus, found.inquiry.question, found.passages
        if not passages:
            yield Finished("not_in_sources", self._why_nothing(found.inquiry), "")
            return
        settings, model = found.inquiry.settings.generation, corpus.language_model
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
            yield Finished("incomplete", f"{MODEL_FAILED}: {error}", "" if mode == "auto" else mode)

    def _why_nothing(self, inquiry: Inquiry) -> str:
        if not inquiry.secluded and not self._corpus.records.documents.list():
            return "The corpus is empty: add documents with fonte add."
        return "No passage was found for this question."

    def _record(self, answer: Answer, told: Told, inquiry: Inquiry) -> Answer:
        corpus, model, settings = self._corpus, told.model, inquiry.settings
        if not settings.records.enabled:
            return answer
        local = isinstance(model, LocalLanguageModel) and bool(told.prompt.user)
        record = AnswerRecord(
            answer=answer,
            prompt=told.prompt,
            segments=model.segment(told.prompt) if local and isinstance(model, LocalLanguageModel) else None,
            raw_text=told.finished.text,
            thinking=told.finished.thinking,
            token_ids=told.finished.token_ids,
            finish_reason=told.finished.finish_reason,
            language_model=_identity(model),
            embedder=_identity(corpus.index.embedder if answer.passages else None),
            reranker=_identity(corpus.reranker) if corpus.reranker else None,
            index_generation=corpus.index.generation(),
            seed=settings.generation.seed,
            settings={**settings_snapshot(settings), **({"asker": inquiry.asker} if inquiry.asker else {})},
        )
        if settings.records.keep_days:
            corpus.records.answers.expire(settings.records.keep_days)
        return corpus.records.answers.save(record).answer


def _told(events: Generator[Event], told: Told, tell: Callable[[Event], None]) -> Iterator[Event]:
    with closing(events):  # at once, whoever still holds on to it: the model goes on writing until then
        for event in events:
            told.note(event)
            tell(event)
            yield event


def _spent(names: Sequence[str], clock: Sequence[float]) -> tuple[tuple[str, float], ...]:
    spent = (round(after - before, 4) for before, after in pairwise(clock))
    return tuple(zip(names, spent, strict=True))


def _identity(model: LanguageModel | Embedder | Reranker | None) -> ModelIdentity:
    return ModelIdentity(model.name, model.fingerprint) if model else ModelIdentity()
