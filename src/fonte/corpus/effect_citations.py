"""Citations that the measurement places: a sentence without one, and the passage that measurably carries it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fonte.citations import Numbered, PlaceOf, make_citation, passage_quote
from fonte.values import Answer, Citation, Effect, Passage


@dataclass(frozen=True)
class Carried:
    """A sentence of the displayed answer (code points) and the passage whose removal lowers its likelihood most."""

    start: int
    end: int
    passage: Passage
    effect: Effect


Span = tuple[int, int]


def insert_citations(
    answer: Answer, carried: Sequence[Carried], place: PlaceOf, sentences: Sequence[Span]
) -> tuple[Answer, tuple[Span, ...]]:
    """Insert ` [n]` after each carried sentence, with a citation of origin `effect`; every offset behind moves along.

    A passage that is cited already keeps its number, others get the next ones in order of their sentences. Return the
    answer and where its `sentences` (code points) are now.
    """
    text, citations, spans = answer.text, list(answer.citations), list(sentences)
    numbers = {each.passage_id: int(text[each.marker_start + 1 : each.marker_end - 1]) for each in citations}
    for new in sorted(carried, key=lambda each: each.start):
        shift = len(text) - len(answer.text)
        start, at = new.start + shift, new.end + shift
        number = numbers.setdefault(new.passage.id, max(numbers.values(), default=0) + 1)
        marker = Numbered(number, new.passage, at + 1)
        inserted = f" [{number}]"
        quote = passage_quote(text[start:at], new.passage)
        made = make_citation(marker, (start, at), quote, "effect", place)
        citations = [_moved(citation, at, len(inserted)) for citation in citations]
        citations.append(replace(made, effect=new.effect))
        spans = [_moved_span(span, at, len(inserted)) for span in spans]
        text = text[:at] + inserted + text[at:]
    ordered = tuple(sorted(citations, key=lambda each: each.marker_start))
    return replace(answer, text=text, citations=ordered), tuple(spans)


def _moved(citation: Citation, at: int, by: int) -> Citation:
    """Return `citation` with what lies at or behind `at` moved by `by`; a sentence that ends at `at` stays."""
    start, end = _moved_span((citation.answer_start, citation.answer_end), at, by)
    first, last = (value + by if value >= at else value for value in (citation.marker_start, citation.marker_end))
    return replace(citation, answer_start=start, answer_end=end, marker_start=first, marker_end=last)


def _moved_span(span: Span, at: int, by: int) -> Span:
    start, end = span
    return start + by if start >= at else start, end + by if end > at else end
