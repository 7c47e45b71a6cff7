"""The sentences that may be quoted: those of the passages that were found, each once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fonte.chunking.sentences import sentences
from fonte.values import Passage

_LONGEST = 1500


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
    """Return the sentences of `passages` in their order; headings, bare numbers and repeats (by place) are left out.

    Passages that overlap give their common sentences once. A sentence above 1,500 code points is left out: nobody
    wants it quoted whole. A sentence that a chunk cuts at its edge is quoted as far as the chunk holds it.
    """
    found: list[Candidate] = []
    seen: set[tuple[str, int, int]] = set()
    for index, passage in enumerate(passages):
        chunk = passage.chunk
        headings = {" ".join(heading.split()) for heading in (chunk.title, *chunk.heading)}
        for start, end in sentences(chunk.text):
            text = chunk.text[start:end]
            place = (chunk.document_id, chunk.start + start, chunk.start + end)
            if place in seen or " ".join(text.split()) in headings or not _quotable(text):
                continue
            seen.add(place)
            found.append(Candidate(index, place[1], place[2], text, _context(passage)))
    return found


def _quotable(text: str) -> bool:
    return len(text) <= _LONGEST and any(letter.isalpha() for letter in text) and len(text.split()) > 1 or _wide(text)


def _wide(text: str) -> bool:
    """Return whether `text` is in a script without spaces, so that one "word" may be a sentence."""
    return len(text) <= _LONGEST and sum(letter > "\u2e7f" and letter.isalpha() for letter in text) > 3


def _context(passage: Passage) -> str:
    chunk = passage.chunk
    title = chunk.title or passage.document
    path = " > ".join(heading for heading in (title, *chunk.heading) if heading)
    return f"{path}\n{chunk.header}" if chunk.header else path
