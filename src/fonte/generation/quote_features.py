"""What speaks for a sentence as the answer: one row of numbers per candidate, one column per reason."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fonte.generation.quote_candidates import Candidate
from fonte.generation.quote_identity import Identity
from fonte.generation.quote_kinds import asked_kind, holds_kind
from fonte.generation.quote_words import Word, as_digit, words
from fonte.values import Passage

_UNRELATED, _SAME = 0.35, 0.75
"""Cosines of two single words between which they pass from unrelated to synonyms (any embedder's are near these)."""

_WORDS_ASKED = 64
"""Words of a question that are weighed one by one; the rest of a longer one counts through its vector alone."""

Matrix = NDArray[np.float64]


class TextEmbedder(Protocol):
    """What is needed of an embedder: vectors of unit length, and how much it reads at once (tokens)."""

    window: int

    @property
    def special_tokens(self) -> int: ...  # noqa: D102

    def count_tokens(self, texts: Sequence[str]) -> list[int]: ...  # noqa: D102

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]: ...  # noqa: D102

    def embed_query(self, text: str) -> NDArray[np.float32]: ...  # noqa: D102


def similarities(question: str, candidates: Sequence[Candidate], embedder: TextEmbedder) -> Matrix:
    """Return the cosines of the question with the sentence alone and below its title and headings: [candidate, 2]."""
    vector = embedder.embed_query(question)
    alone = _embed(embedder, [candidate.shown for candidate in candidates]) @ vector
    within = _embed(embedder, [candidate.in_context for candidate in candidates]) @ vector
    return np.column_stack([alone, within]).astype(np.float64)


def coverage(
    question: str, passages: Sequence[Passage], candidates: Sequence[Candidate], embedder: TextEmbedder
) -> Matrix:
    """Return the share of the question that the sentence with its context, and its document, speak of: [candidate, 2].

    A word of the question weighs as much as the question's vector turns when the word is left out, which needs no
    list of stop words in any language. It is covered by the same word fully, by one of similar meaning in part; a
    number or a code by itself alone. Of the document only the passages that were found are read. A question without
    words is covered by nothing: zeros. Both in [0, 1].
    """
    asked = words(question)[:_WORDS_ASKED]
    if not asked or not candidates:
        return np.zeros((len(candidates), 2))
    own = [frozenset(_terms(candidate.context, candidate.text)) for candidate in candidates]
    documents: dict[str, set[str]] = defaultdict(set)
    for passage in passages:
        documents[passage.chunk.document_id].update(
            _terms(passage.chunk.title, *passage.chunk.heading, passage.chunk.text)
        )
    names = [passages[candidate.passage].chunk.document_id for candidate in candidates]
    similar = _Similar(asked, set().union(*own, *documents.values()), embedder)
    weights = _weights(asked, embedder)
    whole = {name: similar.best(terms) @ weights for name, terms in documents.items()}
    return np.array([(similar.best(terms) @ weights, whole[name]) for terms, name in zip(own, names, strict=True)])


def kind_match(question: str, candidates: Sequence[Candidate]) -> NDArray[np.float64]:
    """Return .5 where a sentence holds the kind of thing that is asked for, -.5 where not, 0 for no kind."""
    kind = asked_kind(question)
    if not kind:
        return np.zeros(len(candidates))
    return np.array([holds_kind(kind, candidate.shown) for candidate in candidates], dtype=np.float64) - 0.5


def identity_matrix(found: Sequence[Identity]) -> Matrix:
    """Return the shares of `found` as columns: codes, own_codes."""
    rows = [(identity.codes, identity.own_codes) for identity in found]
    return np.array(rows, dtype=np.float64).reshape(len(found), 2)


def _embed(embedder: TextEmbedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Embed each different text once; one above the window as the mean of its windows, as long questions are."""
    different = list(dict.fromkeys(texts))
    room = embedder.window - embedder.special_tokens
    fits = [count <= room for count in embedder.count_tokens(different)]
    short = iter(embedder.embed_documents([text for text, fit in zip(different, fits, strict=True) if fit]))
    vectors = {
        text: next(short) if fit else embedder.embed_query(text) for text, fit in zip(different, fits, strict=True)
    }
    return np.stack([vectors[text] for text in texts])


def _weights(asked: Sequence[Word], embedder: TextEmbedder) -> NDArray[np.float64]:
    if len(asked) == 1:
        return np.ones(1)
    shorter = [" ".join(word.text for word in asked if word is not left) for left in asked]
    whole = _embed(embedder, [" ".join(word.text for word in asked)])[0]
    weights = np.clip(1 - _embed(embedder, shorter).astype(np.float64) @ whole, 1e-3, None)
    return np.asarray(weights / weights.sum())


def _terms(*texts: str) -> list[str]:
    return [as_digit(word.folded) for text in texts for word in words(text)]


class _Similar:
    """How well each word of the question is covered by each of `terms`: 1 the same, 0 unrelated."""

    def __init__(self, asked: Sequence[Word], terms: Collection[str], embedder: TextEmbedder) -> None:
        self._place = {term: index for index, term in enumerate(sorted(terms))}
        forms = [as_digit(word.folded) for word in asked]
        self._table = np.zeros((len(asked), len(self._place)))
        if self._place:
            cosines = _embed(embedder, [word.folded for word in asked]) @ _embed(embedder, list(self._place)).T
            self._table = np.clip((cosines.astype(np.float64) - _UNRELATED) / (_SAME - _UNRELATED), 0, 1)
        for row, form in enumerate(forms):
            if any(letter.isdigit() for letter in form):
                self._table[row] = 0
            if form in self._place:
                self._table[row, self._place[form]] = 1

    def best(self, terms: Collection[str]) -> NDArray[np.float64]:
        """Return how well each word of the question is covered by the best of `terms`: [word]."""
        columns = [self._place[term] for term in terms]
        return np.asarray(self._table[:, columns].max(axis=1, initial=0))
