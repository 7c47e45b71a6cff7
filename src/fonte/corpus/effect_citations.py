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


def insert_citations(answer: Answer, carried: Sequence[Carried], place: PlaceOf) -> Answer:
    """Insert ` [n]` after each carried sentence, with a citation of origin `effect`; every offset behind moves along.

    A passage that is cited already keeps its number, others get the next ones in order of their sentences.
    """
    text, citations = answer.text, list(answer.citations)
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
        text = text[:at] + inserted + text[at:]
    return replace(answer, text=text, citations=tuple(sorted(citations, key=lambda each: each.marker_start)))


def _moved(citation: Citation, at: int, by: int) -> Citation:
    """Return `citation` with what lies at or behind `at` moved by `by`; a sentence that ends at `at` stays."""
    starts = {name: getattr(citation, name) for name in ("answer_start", "marker_start", "marker_end")}
    moved = {name: value + by if value >= at else value for name, value in starts.items()}
    end = citation.answer_end + by if citation.answer_end > at else citation.answer_end
    return replace(citation, answer_end=end, **moved)
