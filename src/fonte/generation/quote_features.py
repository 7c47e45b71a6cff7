"""What speaks for a sentence as the answer: one row of numbers per candidate, one column per reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fonte.generation.quote_candidates import Candidate
from fonte.generation.quote_identity import Identity
from fonte.generation.quote_words import Word, asks_for_number, codes, words

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


def coverage(question: str, candidates: Sequence[Candidate], embedder: TextEmbedder) -> NDArray[np.float64]:
    """Return the share of the question that a sentence and its context speak of: [candidate], in [0, 1].

    A word of the question weighs as much as the question's vector turns when the word is left out, which needs no
    list of stop words in any language. It is covered by the same word fully, by one of similar meaning in part; a word
    with a digit by itself alone. A question without words is covered by nothing: zeros.
    """
    asked = words(question)[:_WORDS_ASKED]
    if not asked:
        return np.zeros(len(candidates))
    weights = _weights(asked, embedder)
    terms = sorted({term for candidate in candidates for term in _terms(candidate)})
    similar = _word_similarity([word.folded for word in asked], [word.is_code for word in asked], terms, embedder)
    column = {term: index for index, term in enumerate(terms)}
    rows = [similar[:, [column[term] for term in _terms(candidate)]].max(axis=1, initial=0) for candidate in candidates]
    return np.array([float(row @ weights) for row in rows])


def number_match(question: str, candidates: Sequence[Candidate]) -> NDArray[np.float64]:
    """Return .5 where a number is asked for and the sentence has one of its own, -.5 where it has none, else 0."""
    if not asks_for_number(question):
        return np.zeros(len(candidates))
    known = {word.folded for word in codes(question)}
    own = [any(word.is_code and word.folded not in known for word in words(candidate.text)) for candidate in candidates]
    return np.array(own, dtype=np.float64) - 0.5


def identity_matrix(found: Sequence[Identity]) -> Matrix:
    """Return the shares of `found` as columns: codes, names, own_codes, other."""
    rows = [(identity.codes, identity.names, identity.own_codes, identity.other) for identity in found]
    return np.array(rows, dtype=np.float64).reshape(len(found), 4)


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


def _terms(candidate: Candidate) -> list[str]:
    return [word.folded for word in words(f"{candidate.context}\n{candidate.text}")]


def _word_similarity(
    asked: Sequence[str], exact: Sequence[bool], terms: Sequence[str], embedder: TextEmbedder
) -> Matrix:
    if not terms:
        return np.zeros((len(asked), 0))
    cosines = _embed(embedder, asked) @ _embed(embedder, terms).T
    table = np.clip((cosines.astype(np.float64) - _UNRELATED) / (_SAME - _UNRELATED), 0, 1)
    table[np.array(exact, dtype=bool)] = 0
    same = np.array([[word == term for term in terms] for word in asked])
    table[same] = 1
    return table
