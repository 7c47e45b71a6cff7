"""Search over the chunks of one row of the benchmark: exact cosines, and BM25 over the project's own terms."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from fonte.retrieval import reciprocal_rank_fusion
from fonte.retrieval.terms import index_terms, query_terms

CANDIDATES = 50  # per index, as the settings have it
K1, B = 1.2, 0.75  # those of the keyword index


def dense(vectors: np.ndarray, questions: np.ndarray) -> list[list[int]]:
    """Return, per question, the chunks with the highest cosines, best first."""
    return [_best(vectors @ question) for question in questions]


def lexical(texts: Sequence[str], questions: Sequence[str]) -> list[list[int]]:
    """Return, per question, the chunks that share terms with it by BM25 as Lance counts it, best first."""
    vocabulary: dict[str, int] = {}
    counts = [Counter(index_terms(text).split(" ")) for text in texts]
    rows, columns, values = [], [], []
    for row, counted in enumerate(counts):
        for term, count in counted.items():
            rows.append(row)
            columns.append(vocabulary.setdefault(term, len(vocabulary)))
            values.append(count)
    shape = (len(texts), len(vocabulary))
    frequency = sparse.csc_matrix((np.array(values, float), (rows, columns)), shape=shape)
    lengths = np.array([sum(counted.values()) for counted in counts], float)
    norm = K1 * (1 - B + B * lengths / lengths.mean())
    found = []
    for question in questions:
        scores = np.zeros(len(texts))
        for term in query_terms(question):
            if (column := vocabulary.get(term)) is None:
                continue
            start, end = frequency.indptr[column], frequency.indptr[column + 1]
            chunks, counted = frequency.indices[start:end], frequency.data[start:end]
            inverse = math.log(1 + (len(texts) - len(chunks) + 0.5) / (len(chunks) + 0.5))
            scores[chunks] += inverse * counted * (K1 + 1) / (counted + norm[chunks])
        found.append([chunk for chunk in _best(scores) if scores[chunk] > 0])
    return found


def hybrid(first: Sequence[list[int]], second: Sequence[list[int]]) -> list[list[int]]:
    """Return both rankings of each question fused by the project's own reciprocal rank fusion."""
    return [
        [int(chunk) for chunk, _ in reciprocal_rank_fusion([[f"{at:07d}" for at in one], [f"{at:07d}" for at in two]])]
        for one, two in zip(first, second, strict=True)
    ]


def _best(scores: np.ndarray) -> list[int]:
    count = min(CANDIDATES, len(scores))
    top = np.argpartition(-scores, count - 1)[:count]
    return top[np.lexsort((top, -scores[top]))].tolist()
