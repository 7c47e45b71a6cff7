"""From a question to passages: by meaning, by words, or both."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping
from typing import Protocol

from fonte.retrieval.fusion import reciprocal_rank_fusion
from fonte.retrieval.naming import Names
from fonte.retrieval.store import Hit, Vector
from fonte.settings import RetrievalSettings
from fonte.values import Passage


class QueryEmbedder(Protocol):
    """The part of an embedder that a search needs."""

    def embed_query(self, text: str) -> Vector:
        """Return the unit vector of a question of any length, float32 [dimension]."""
        ...


class Searchable(Protocol):
    """The part of a store that a search needs; see `Store`."""

    def count(self) -> int:
        """Return the number of rows."""
        ...

    def search_dense(self, vector: Vector, k: int, documents: Collection[str] | None = None) -> list[Hit]:
        """Return the `k` nearest chunks."""
        ...

    def search_lexical(self, text: str, k: int, documents: Collection[str] | None = None) -> list[Hit]:
        """Return the `k` chunks that fit the words best."""
        ...


def retrieve(
    store: Searchable,
    embedder: QueryEmbedder,
    question: str,
    settings: RetrievalSettings,
    documents: Collection[str] | None = None,
    names: Names | None = None,
) -> list[Passage]:
    """Return at most `settings.passages` passages for the question, best first, equal scores ordered by chunk id.

    `documents` restricts the search to these document ids before it starts; None searches all. `retrieval_score`
    compares passages of one question only: in mode `dense` the cosine (-1 to 1), in mode `lexical` the BM25 score
    divided by the best one's (0 to 1), in mode `hybrid` the fused score divided by what a passage gets that leads all
    rankings (0 to 1). A question without a visible character finds nothing; one without letters and digits, such as
    "?!", is searched by meaning only. An empty store gives [].

    With `names`, a question in mode `hybrid` that names documents is also asked of these alone, without the name, and
    all four rankings are fused: passages of other documents still come, after those that are as good.
    """
    if not _is_visible(question):
        return []
    rankings = _rankings(store, embedder, question, settings, documents)
    naming = names.in_question(question, documents) if names and settings.mode == "hybrid" else None
    if naming:
        rest = naming.rest if any(map(str.isalnum, naming.rest)) else question
        rankings += _rankings(store, embedder, rest, settings, naming.documents)
    found = {hit.chunk.id: hit for hits in reversed(rankings) for hit in hits}
    scores = _scores(rankings, settings)
    return [_passage(found[chunk_id], score) for chunk_id, score in list(scores.items())[: settings.passages]]


def _rankings(
    store: Searchable,
    embedder: QueryEmbedder,
    question: str,
    settings: RetrievalSettings,
    documents: Collection[str] | None,
) -> list[list[Hit]]:
    """Return the hits of each index that the mode asks."""
    wanted, rankings = max(settings.candidates, settings.passages), []
    if settings.mode != "lexical":
        dense = store.search_dense(embedder.embed_query(question), wanted, documents) if store.count() else []
        rankings.append(dense)
    if settings.mode != "dense":
        rankings.append(store.search_lexical(question, wanted, documents))
    return rankings


def _scores(hits: list[list[Hit]], settings: RetrievalSettings) -> Mapping[str, float]:
    if settings.mode == "dense":
        return {hit.chunk.id: hit.score for hit in hits[0]}
    if settings.mode == "lexical":
        best = max((hit.score for hit in hits[0]), default=0.0) or 1.0
        return {hit.chunk.id: hit.score / best for hit in hits[0]}
    rankings = [[hit.chunk.id for hit in ranking] for ranking in hits]
    most = len(rankings) / (settings.rank_constant + 1)
    return {chunk_id: score / most for chunk_id, score in reciprocal_rank_fusion(rankings, settings.rank_constant)}


def _passage(hit: Hit, score: float) -> Passage:
    return Passage(hit.chunk, hit.document, score)


def _is_visible(text: str) -> bool:
    return any(unicodedata.category(character)[0] in "LNPSM" for character in text)
