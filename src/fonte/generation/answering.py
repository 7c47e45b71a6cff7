"""Write an answer in free text, with a citation for each sentence: the mode `write`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from fonte.citations import Citer, Invented, Numbered, PlaceOf, Sentence, passage_quote
from fonte.errors import EndpointError, ModelError
from fonte.generation.events import (
    MODEL_FAILED,
    CitationMade,
    Event,
    Finished,
    MarkerRemoved,
    MarkerShown,
    Prompted,
    TextShown,
    ThoughtShown,
)
from fonte.generation.loops import LoopGuard
from fonte.generation.prompt import PromptedQuestion, build_prompt
from fonte.generation.sentinel import SentinelReader
from fonte.models import LanguageModel
from fonte.settings import GenerationSettings
from fonte.values import Citation, Passage

MODE = "write"
STOPS = (".", "!", "?", "…", "。", "！", "？", "।", "۔")
TEMPLATE_TOKENS = 64  # room in the window for what a chat template puts around a prompt

NOTHING_FOUND = "No passage was found for the question."
MODEL_SAYS_NO = "The model found no answer in the passages that were retrieved."
PARTLY = "The model says that the sources do not answer all of the question."
UNCITED = "No sentence of the answer could be tied to a source; check it before you rely on it."


def write_answer(
    question: str,
    passages: Sequence[Passage],
    language_model: LanguageModel,
    settings: GenerationSettings,
    place: PlaceOf,
) -> Iterator[Event]:
    """Tell, event by event, how `language_model` answers `question` from `passages`.

    The last event is `Finished`, with status `answered` (its reason is a warning or empty), `not_in_sources` (no
    passages, or the model said so before it cited any) or `incomplete` (no room for a source, the answer was cut,
    empty, went in circles, or the model failed in the middle: what was shown so far stays). A sentence without a
    marker gets one where a forced choice among the labels at its end falls on a passage that holds a quote for it
    (origin `choice`), or where one passage alone holds it word for word (origin `quote`).
    """
    if not passages:
        yield Finished("not_in_sources", NOTHING_FOUND, MODE)
        return
    budget = language_model.context_window - settings.max_tokens - TEMPLATE_TOKENS
    prompted = build_prompt(question, passages, settings.seed, budget, language_model.count_tokens)
    named = tuple((label, passage.id) for label, passage in prompted.passages.items())
    yield Prompted(prompted.prompt, named, tuple(passage.id for passage in prompted.dropped))
    if prompted.kept:
        yield from _Writer(prompted, language_model, settings, place).write()
    else:
        yield Finished("incomplete", _no_room(language_model, settings), MODE)


class _Writer:
    """The course of one answer."""

    def __init__(
        self, prompted: PromptedQuestion, model: LanguageModel, settings: GenerationSettings, place: PlaceOf
    ) -> None:
        self._prompted = prompted
        # Sentences without a marker are asked about after the same prompt: a model in this process reads it once, a
        # server keeps it by itself.
        self._model = model
        if len(prompted.labels) > 1 and hasattr(model, "remembering"):
            self._model = model.remembering()
        self._settings = settings
        self._citer = Citer(prompted.passages, place)
        self._sentinel = SentinelReader(prompted.labels)
        self._loops = LoopGuard()
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._token_ids: list[int] = []
        self._finish_reason = ""
        self._citations = 0
        self._shown = False
        self._looped = False
        self._failure = ""
        self._choice_failure = ""

    def write(self) -> Iterator[Event]:
        try:
            yield from self._stream()
        except (EndpointError, ModelError) as error:
            self._failure = f"{MODEL_FAILED}: {error}"
        if not self._looped:
            rest = self._sentinel.finish()
            yield from self._tell(self._citer.feed(rest))
        yield from self._tell(self._citer.finish())
        status, reason = self._verdict()
        said = "".join(self._text), "".join(self._thinking), tuple(self._token_ids)
        yield Finished(status, reason, MODE, *said, finish_reason=self._finish_reason)

    def _stream(self) -> Iterator[Event]:
        settings = self._settings
        deltas = self._model.stream(
            self._prompted.prompt,
            max_tokens=settings.max_tokens,
            temperature=settings.temperature,
            seed=settings.seed,
        )
        for delta in deltas:
            self._text.append(delta.text)
            self._token_ids.extend(delta.token_ids)
            self._finish_reason = delta.finish_reason or self._finish_reason
            if delta.thinking:
                self._thinking.append(delta.thinking)
                yield ThoughtShown(delta.thinking)
            yield from _joined(self._read(delta.text))
            if self._sentinel.said or self._looped:
                return

    def _read(self, text: str) -> Iterator[Event]:
        """Read one character after the other, so that where an answer stops does not depend on the deltas."""
        for character in text:
            yield from self._tell(self._citer.feed(self._sentinel.feed(character)))
            self._looped = self._looped or self._loops.text_repeats(character)
            if self._sentinel.said or self._looped:
                return

    def _tell(self, outputs: Iterable[str | Numbered | Invented | Citation | Sentence]) -> Iterator[Event]:
        for output in outputs:
            match output:
                case str():
                    self._shown = self._shown or bool(output.strip())
                    yield TextShown(output)
                case Numbered():
                    yield MarkerShown(output.number, output.passage.id, output.start)
                case Invented():
                    yield MarkerRemoved(output.text)
                case Citation():
                    self._citations += 1
                    yield CitationMade(output)
                case Sentence():
                    yield from self._after(output)

    def _after(self, sentence: Sentence) -> Iterator[Event]:
        self._looped = self._looped or self._loops.sentence_repeats(sentence.text)
        if not sentence.cited and not self._is_torn(sentence.text) and (found := self._choose(sentence)):
            yield from self._tell(self._citer.cite(*found))

    def _is_torn(self, sentence: str) -> bool:
        """Return whether the end of the output tore the sentence, so that there is nothing to cite yet."""
        cut = bool(self._failure) or self._finish_reason == "length"
        return cut and not sentence.rstrip("\"'”’)*_ ").endswith(STOPS)

    def _choose(self, sentence: Sentence) -> tuple[str, str] | None:
        """Return the label and origin for a sentence that the model left without a marker.

        A quote must support the choice; where no passage has one the model need not be asked.
        """
        if not _claims(sentence.text):
            return None
        quotes = {label: passage_quote(sentence.text, passage) for label, passage in self._prompted.passages.items()}
        supported = [label for label, quote in quotes.items() if quote.status != "no_quote"]
        if not supported:
            return None
        chosen = self._ask(sentence)
        if chosen in supported:
            return chosen, "choice"
        verbatim = [label for label in supported if quotes[label].status == "verbatim"]
        return (verbatim[0], "quote") if len(verbatim) == 1 else None

    def _ask(self, sentence: Sentence) -> str:
        """Return the label that the model is most likely to write after the sentence; empty if it cannot choose."""
        labels = self._prompted.labels
        if len(labels) == 1:
            return labels[0]
        if self._choice_failure:
            return ""
        try:
            chances = self._model.choose([self._prompted.prompt], labels, prefix=f"{sentence.said} [")
        except (EndpointError, ModelError) as error:
            self._choice_failure = f"Sentences without a marker were not tied to a source by choice: {error}"
            return ""
        return labels[int(np.argmax(chances[0]))]

    def _verdict(self) -> tuple[str, str]:
        if self._failure:
            return "incomplete", self._failure
        if self._sentinel.said:
            return ("answered", PARTLY) if self._citations else ("not_in_sources", MODEL_SAYS_NO)
        if self._looped:
            return "incomplete", "The model repeated itself and was stopped; ask again with another seed or model."
        if self._finish_reason == "length":
            return "incomplete", self._cut()
        if not self._shown:
            return "incomplete", f"The model {self._model.name} said nothing; ask again or use another model."
        return "answered", self._choice_failure if self._citations else self._choice_failure or UNCITED

    def _cut(self) -> str:
        limit = self._settings.max_tokens
        where = "still thinking" if self._thinking and not self._shown else "cut"
        return f"The answer was {where} after {limit} tokens. Raise generation.max_tokens."


def _joined(events: Iterable[Event]) -> Iterator[Event]:
    """Join neighbouring texts of one delta."""
    text = ""
    for event in events:
        if isinstance(event, TextShown):
            text += event.text
            continue
        if text:
            yield TextShown(text)
            text = ""
        yield event
    if text:
        yield TextShown(text)


def _claims(sentence: str) -> bool:
    """Return whether a sentence says something that a source can carry: questions and lead-ins do not."""
    return not sentence.rstrip("\"'”’*_ ").endswith(("?", "？", "؟", ":", "："))


def _no_room(model: LanguageModel, settings: GenerationSettings) -> str:
    return (
        f"The question and its longest source do not fit: {model.name} reads {model.context_window} tokens, of which "
        f"{settings.max_tokens} are for the answer. Shorten the question, lower generation.max_tokens, or use a model "
        "with a larger window."
    )
