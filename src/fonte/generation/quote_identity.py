"""Whether a source is about what the question names: the 210 is not the 230, and nobody wrote about the 290."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fonte.generation.quote_candidates import Candidate
from fonte.generation.quote_words import Vocabulary, Word, codes, names, words
from fonte.values import Passage


@dataclass(frozen=True, slots=True)
class Identity:
    """How well a candidate's source fits the names of the question; shares are in [0, 1], 1 where nothing is named.

    `codes` is the share of the question's codes ("S30", "210", "E9") that the passage, its title, headings or document
    name hold. `own_codes` is the share of the codes that name no document ("E9") that stand in the sentence itself.
    `named` are the question's words that name this candidate's document.
    """

    codes: float
    own_codes: float
    named: frozenset[str]


def identities(question: str, passages: Sequence[Passage], candidates: Sequence[Candidate]) -> list[Identity]:
    """Return the identity of each candidate.

    A word of the question that names other documents only is not asked of a document that the question names as well:
    of "the S30 or the S60?" the manual of the S30 must hold the S30 alone.
    """
    view = _View(question, passages)
    return [view.identity(candidate) for candidate in candidates]


def missing(question: str, passages: Sequence[Passage]) -> list[str]:
    """Return the codes and names of the question, as written, that no passage, title or document name holds."""
    everywhere = [_all_words(passage) for passage in passages]
    asked = [*codes(question), *names(question)]
    absent = [word for word in asked if not any(vocabulary.holds(word) for vocabulary in everywhere)]
    named = dict.fromkeys(_as_asked(word, question) for word in absent)
    return [name for name in named if not any(name != other and name in other.split() for other in named)]


class _View:
    """The question's codes and names, and where among the passages they occur."""

    def __init__(self, question: str, passages: Sequence[Passage]) -> None:
        self._codes, self._names = codes(question), names(question)
        self._documents = [passage.chunk.document_id for passage in passages]
        self._texts = [_all_words(passage) for passage in passages]
        self._titles = [Vocabulary.of(passage.chunk.title, passage.document) for passage in passages]
        self._naming = {word: self._named_by(word) for word in (*self._codes, *self._names)}

    def identity(self, candidate: Candidate) -> Identity:
        passage = candidate.passage
        document, own = self._documents[passage], Vocabulary.of(candidate.text)
        named = self._names_of(document)
        required = [word for word in self._codes if not self._of_another(word, document, named)]
        details = [word for word in self._codes if not self._naming[word]]
        return Identity(
            codes=_share([self._texts[passage].holds(word) for word in required]),
            own_codes=_share([own.holds(word) for word in details]),
            named=frozenset(word.folded for word in named),
        )

    def _named_by(self, word: Word) -> frozenset[str]:
        pairs = zip(self._documents, self._titles, strict=True)
        return frozenset(document for document, title in pairs if title.holds(word))

    def _names_of(self, document: str) -> list[Word]:
        """Return the codes that name `document`, or, where the question's codes name none at all, the names."""
        asked = self._codes if any(self._naming[word] for word in self._codes) else self._names
        return [word for word in asked if document in self._naming[word]]

    def _of_another(self, word: Word, document: str, named: Sequence[Word]) -> bool:
        return bool(named) and bool(self._naming[word]) and document not in self._naming[word]


def _all_words(passage: Passage) -> Vocabulary:
    chunk = passage.chunk
    values = (value for _, value in chunk.signature.fields)
    return Vocabulary.of(chunk.title, passage.document, *chunk.heading, *values, chunk.header, chunk.text)


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found) if found else 1.0


def _as_asked(word: Word, question: str) -> str:
    """Return a bare number with the word before it: "Ventalba 290" says more than "290"."""
    if word.folded[0].isdigit() and word.before:
        before = next(other for other in words(question) if other.after == word.folded and other.folded == word.before)
        return f"{before.text} {word.text}"
    return word.text
