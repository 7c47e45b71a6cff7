"""Answers that consist of whole sentences of the sources: faithful and cited by construction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fonte.citations import Numbered, PlaceOf, Quote, make_citation
from fonte.generation.events import CitationMade, Event, Finished, MarkerShown, TextShown
from fonte.generation.quote_features import TextEmbedder
from fonte.generation.quote_identity import missing
from fonte.generation.quote_judgment import Judgment, judge
from fonte.settings import GenerationSettings
from fonte.values import Passage

MODE = "quote"
WITHOUT_MODEL = "Chosen by similarity, words and names; the language model's server gives no likelihoods of a prompt."
_SHOWN_AT_MOST = 160


def quote_answer(
    question: str,
    passages: Sequence[Passage],
    language_model: Any,
    embedder: TextEmbedder,
    settings: GenerationSettings,
    place: PlaceOf,
) -> Iterator[Event]:
    """Answer `question` with sentences of `passages`, one per line, each followed by its marker.

    A sentence is shown in its own words, its line breaks as spaces; a table row as it stands in the text. Its citation
    has origin `quote`, status `verbatim` and the exact source span. When the best sentence probably does not answer,
    nothing is shown and the status is `not_in_sources` with the nearest sentence and what it lacks in `reason`.
    `settings` is taken for the sake of one signature for all modes: nothing is sampled here, and the same question
    and passages always give the same answer.
    """
    judgment = judge(question, passages, language_model, embedder)
    if not judgment.answerable:
        yield Finished("not_in_sources", _why_not(question, passages, judgment), MODE)
        return
    yield from _quote(passages, judgment, place)
    said = "\n".join(judgment.candidates[row].shown for row in judgment.chosen)
    yield Finished("answered", "" if judgment.with_model else WITHOUT_MODEL, MODE, text=said)


def _quote(passages: Sequence[Passage], judgment: Judgment, place: PlaceOf) -> Iterator[Event]:
    numbers: dict[str, int] = {}
    length = 0
    for count, row in enumerate(judgment.chosen):
        candidate = judgment.candidates[row]
        passage = passages[candidate.passage]
        before = "\n" if count else ""
        start = length + len(before)
        end = start + len(candidate.shown)
        marker = Numbered(numbers.setdefault(passage.id, len(numbers) + 1), passage, end + 1)
        length = marker.span[1]
        first = passage.chunk.start
        quote = Quote(candidate.start - first, candidate.end - first, candidate.text, "verbatim", 1.0)
        yield TextShown(f"{before}{candidate.shown} ")
        yield MarkerShown(marker.number, passage.id, marker.start)
        yield CitationMade(make_citation(marker, (start, end), quote, MODE, place))


def _why_not(question: str, passages: Sequence[Passage], judgment: Judgment) -> str:
    if not judgment.candidates:
        return "The passages that were found hold no sentence that could be quoted."
    nearest = judgment.candidates[0]
    shown = nearest.shown if len(nearest.shown) <= _SHOWN_AT_MOST else nearest.shown[: _SHOWN_AT_MOST - 1] + "…"
    closest = f"The closest sentence is “{shown}” ({passages[nearest.passage].document}), but"
    absent = missing(question, passages)
    if absent:
        named = ", ".join(f"“{word}”" for word in absent)
        return f"{closest} none of the passages that were found names {named}."
    return f"{closest} it does not seem to answer the question (probability {judgment.probability:.2f})."
