"""Search over the chunks of one row of the benchmark: exact cosines, and BM25 over the project's own terms."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from fonte.retrieval import reciprocal_rank_fusion
from fonte.retrieval.naming import Names
from fonte.retrieval.terms import index_terms, query_terms
from fonte.values import Signature

CANDIDATES = 50  # per index, as the settings have it
K1, B = 1.2, 0.75  # those of the keyword index


Allowed = Sequence["np.ndarray | None"]  # per question, which chunks may be found; None: all


def dense(vectors: np.ndarray, questions: np.ndarray, allowed: Allowed | None = None) -> list[list[int]]:
    """Return, per question, the chunks with the highest cosines, best first."""
    masks = allowed or [None] * len(questions)
    return [_best(vectors @ question, mask) for question, mask in zip(questions, masks, strict=True)]


def lexical(texts: Sequence[str], questions: Sequence[str], allowed: Allowed | None = None) -> list[list[int]]:
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
    for question, mask in zip(questions, allowed or [None] * len(questions), strict=True):
        scores = np.zeros(len(texts))
        for term in query_terms(question):
            if (column := vocabulary.get(term)) is None:
                continue
            start, end = frequency.indptr[column], frequency.indptr[column + 1]
            chunks, counted = frequency.indices[start:end], frequency.data[start:end]
            inverse = math.log(1 + (len(texts) - len(chunks) + 0.5) / (len(chunks) + 0.5))
            scores[chunks] += inverse * counted * (K1 + 1) / (counted + norm[chunks])
        found.append([chunk for chunk in _best(scores, mask) if scores[chunk] > 0])
    return found


def hybrid(*rankings: Sequence[list[int]]) -> list[list[int]]:
    """Return the rankings of each question fused by the project's reciprocal rank fusion; empty ones say nothing."""
    return [
        [int(chunk) for chunk, _ in reciprocal_rank_fusion([[f"{at:07d}" for at in one] for one in own])]
        for own in zip(*rankings, strict=True)
    ]


def namings(signatures: Sequence[Signature], questions: Sequence[str]) -> tuple[list[str], list[np.ndarray]]:
    """Return each question without the names of documents in it, and which chunks bear these; none where none is named.

    Chunks with the same model are one document here, as they are in the index.
    """
    models = [signature.get("model") or "" for signature in signatures]
    names = Names.of({model: (model, one) for model, one in zip(models, signatures, strict=True) if model}.values())
    found = [names.in_question(question) for question in questions]
    masks = [np.array([bool(one) and model in one.documents for model in models]) for one in found]
    return [one.rest if one else question for one, question in zip(found, questions, strict=True)], masks


def _best(scores: np.ndarray, allowed: np.ndarray | None = None) -> list[int]:
    chunks = np.arange(len(scores)) if allowed is None else np.flatnonzero(allowed)
    count = min(CANDIDATES, len(chunks))
    if not count:
        return []
    top = chunks[np.argpartition(-scores[chunks], count - 1)[:count]]
    return top[np.lexsort((top, -scores[top]))].tolist()
