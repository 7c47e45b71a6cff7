"""Passages in the order of a cross-encoder, or in one between that and the order of retrieval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fonte.chunking import embedded_text
from fonte.values import Passage

if TYPE_CHECKING:
    from fonte.models import Reranker


def rerank(reranker: Reranker, question: str, passages: Sequence[Passage], weight: float = 1.0) -> list[Passage]:
    """Return `passages` with their `rerank_score`, best first; ties keep the order of retrieval.

    The re-ranker reads what was embedded: signature, title, heading path and header, then the text. `weight` is that
    of the re-ranker against retrieval; see `fuse`. None give [].
    """
    if not passages:
        return []
    scores = reranker.predict([(question, embedded_text(passage.chunk)) for passage in passages])
    scored = [replace(passage, rerank_score=float(score)) for passage, score in zip(passages, scores, strict=True)]
    fused = fuse([passage.retrieval_score for passage in passages], scores, weight)
    return [scored[number] for number in np.argsort(-fused, kind="stable")]


def fuse(retrieval: ArrayLike, reranking: ArrayLike, weight: float) -> NDArray[np.float64]:
    """Return what passages of one question are ordered by: float64 [passage], higher is better.

    weight * z(re-ranking) + (1 - weight) * z(retrieval), where z takes off the mean over the question's passages and
    divides by the standard deviation (scores that are all equal become zeros). 0 is the order of retrieval, 1 that of
    the re-ranker. Empty input gives an empty array. Errors: ValueError for a weight outside [0, 1].
    """
    if not 0 <= weight <= 1:
        raise ValueError(f"The weight of the re-ranker is {weight}; it must be from 0 to 1.")
    return weight * _standardised(reranking) + (1 - weight) * _standardised(retrieval)


def _standardised(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    spread = float(array.std()) if array.size else 0.0
    return (array - array.mean()) / spread if spread > 0 else np.zeros_like(array)
