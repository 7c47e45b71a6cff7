"""The sentences that may be quoted: those of the passages that were found, each once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fonte.chunking import sentences
from fonte.values import Passage

_LONGEST = 1500
_MOST = 400
"""Sentences that are looked at, those of the best passages first: what a few seconds are enough for."""

_LEAD = re.compile(r"(?:[-*+•‣◦▪▫●○■□·※►➢✓✔☐☑>|]\s+)+|\|")
_TRAIL = re.compile(r"\s*\|\s*$")
_HEADING = re.compile(r"\s{0,3}#{1,6}(?:\s|$)")
_NUMBERED_HEADING = re.compile(r"\d+(?:\.\d+)*\.?(?:\s+[^\s|]+){1,8}(?<![.!?:;。])")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence (or table row) of `passages[passage]`; `start` and `end` are code points of the document's text."""

    passage: int
    start: int
    end: int
    text: str
    context: str

    @property
    def shown(self) -> str:
        """The sentence as displayed: its own words, line breaks as spaces."""
        return " ".join(self.text.split())

    @property
    def in_context(self) -> str:
        """The sentence below the title, headings and header row that say what it is about."""
        return f"{self.context}\n{self.shown}" if self.context else self.shown


def candidates(passages: Sequence[Passage]) -> list[Candidate]:
    """Return the sentences of `passages` in their order; headings, header rows and repeats (by place) are left out.

    List bullets and the outer bars of table rows are not part of a sentence. Passages that overlap give their common
    sentences once. A sentence above 1,500 code points is left out: nobody wants it quoted whole. A sentence that a
    chunk cuts at its edge is quoted as far as the chunk holds it.
    """
    found: list[Candidate] = []
    seen: set[tuple[str, int, int]] = set()
    headings = {_plain(heading) for passage in passages for heading in (passage.chunk.title, *passage.chunk.heading)}
    for index, passage in enumerate(passages):
        aside = headings | {_plain(passage.chunk.header)}
        for start, end in _spans(passage.chunk.text, aside):
            place = (passage.chunk.document_id, passage.chunk.start + start, passage.chunk.start + end)
            if place not in seen:
                seen.add(place)
                text = passage.chunk.text[start:end]
                found.append(Candidate(index, place[1], place[2], text, _context(passage)))
    return found[:_MOST]


def _spans(text: str, aside: set[str]) -> Iterator[tuple[int, int]]:
    """Yield the quotable sentences of a passage's text, without bullets and bars."""
    for start, end in sentences(text):
        whole = text[start:end]
        if len(whole) > _LONGEST or _HEADING.match(whole):
            continue
        if lead := _LEAD.match(whole):
            start += lead.end()
        if trail := _TRAIL.search(text, start, end):
            end = trail.start()
        start += len(text[start:end]) - len(text[start:end].lstrip())
        sentence = text[start:end]
        if _quotable(sentence) and _plain(sentence) not in aside and not _NUMBERED_HEADING.fullmatch(sentence):
            yield start, end


def _plain(text: str) -> str:
    return " ".join(text.replace("|", " ").split())


def _quotable(text: str) -> bool:
    return any(letter.isalpha() for letter in text) and (len(text.split()) > 1 or _wide(text))


def _wide(text: str) -> bool:
    """Return whether `text` is in a script without spaces, so that one "word" may be a sentence."""
    return sum(letter > "\u2e7f" and letter.isalpha() for letter in text) > 3


def _context(passage: Passage) -> str:
    chunk = passage.chunk
    title = chunk.title or passage.document
    path = " > ".join(heading for heading in (title, *chunk.heading) if heading)
    return f"{path}\n{chunk.header}" if chunk.header else path
