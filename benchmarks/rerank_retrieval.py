"""Candidates of the re-ranking benchmark: what the default embedder finds in a set's pool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rerank_cache import vectors
from rerank_sets import Item, QuestionSet

from fonte.models import Embedder

CANDIDATES = 50


@dataclass(frozen=True)
class Candidates:
    """The best passages for an item: keys and cosine similarities, best first; `added` are gold ones not among them.

    `texts` holds, by key, the piece of each passage that is nearest to the question: what re-rankers and models read.
    """

    item: Item
    keys: tuple[str, ...]
    similarities: tuple[float, ...]
    added: tuple[str, ...]
    added_similarities: tuple[float, ...]
    texts: Mapping[str, str]

    @property
    def found(self) -> bool:
        """Whether a gold passage is among the candidates."""
        return bool(self.item.gold & set(self.keys))


class Retriever:
    """Dense retrieval over one pool."""

    def __init__(self, embedder: Embedder, questions: QuestionSet, cache: Path) -> None:
        self._embedder = embedder
        self._keys = list(questions.pool)
        self._place = {key: number for number, key in enumerate(self._keys)}
        self._pieces = [piece for key in self._keys for piece in questions.pool[key]]
        self._vectors = vectors(cache / f"{questions.name}-pool", self._pieces, embedder.embed_documents)
        sizes = [len(questions.pool[key]) for key in self._keys]
        self._first = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        self._last = self._first + np.array(sizes, np.int64)

    def candidates(self, item: Item, count: int = CANDIDATES) -> Candidates:
        """Return the `count` nearest passages that may be candidates; a passage is as near as its nearest piece."""
        by_piece = self._vectors @ self._embedder.embed_query(item.question)
        scores = np.maximum.reduceat(by_piece, self._first)
        allowed = self._allowed(item)
        order = [int(number) for number in np.argsort(-scores, kind="stable") if allowed[number]][:count]
        keys = tuple(self._keys[number] for number in order)
        added = tuple(sorted(item.gold - set(keys)))
        return Candidates(
            item,
            keys,
            tuple(float(scores[number]) for number in order),
            added,
            tuple(float(scores[self._place[key]]) for key in added),
            {key: self._nearest(key, by_piece) for key in (*keys, *added)},
        )

    def _nearest(self, key: str, by_piece: np.ndarray) -> str:
        place = self._place[key]
        first, last = int(self._first[place]), int(self._last[place])
        return self._pieces[first + int(np.argmax(by_piece[first:last]))]

    def _allowed(self, item: Item) -> np.ndarray:
        if item.within is None:
            allowed = np.ones(len(self._keys), bool)
        else:
            allowed = np.zeros(len(self._keys), bool)
            allowed[[self._place[key] for key in item.within]] = True
        allowed[[self._place[key] for key in item.without if key in self._place]] = False
        return allowed
