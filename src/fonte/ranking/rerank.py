"""Passages in the order of a cross-encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fonte.chunking import embedded_text
from fonte.values import Passage

if TYPE_CHECKING:
    from fonte.models import Reranker


def rerank(reranker: Reranker, question: str, passages: Sequence[Passage]) -> list[Passage]:
    """Return `passages` with their `rerank_score`, best first; ties keep the order of retrieval.

    The re-ranker reads what was embedded: signature, title, heading path and header, then the text. None give [].
    """
    if not passages:
        return []
    scores = reranker.predict([(question, embedded_text(passage.chunk)) for passage in passages])
    scored = [replace(passage, rerank_score=float(score)) for passage, score in zip(passages, scores, strict=True)]
    return sorted(scored, key=lambda passage: -(passage.rerank_score or 0.0))
