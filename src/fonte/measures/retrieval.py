"""What the retrieval measures share: the order of a run's documents, and the checks of their input."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from fonte.errors import UsageError
from fonte.measures.score import Score, not_applicable

Relevance = Mapping[str, int]
"""Grade of each judged document: above 0 is relevant, 0 and below is not; documents without a grade are not."""


def order(scores: Mapping[str, float]) -> list[str]:
    """Return the documents of one question from best to worst.

    Scores decide; equal ones are ordered by document id from last to first, as trec_eval does, so that figures agree
    with those of ir-measures and pytrec_eval. Errors: `UsageError` for a score that is not a finite number.
    """
    for document, score in scores.items():
        if not math.isfinite(score):
            raise UsageError(f"The score of document {document!r} is {score}; a ranking needs finite numbers.")
    by_id = sorted(scores, reverse=True)
    return sorted(by_id, key=lambda document: -scores[document])


def relevant(relevance: Relevance) -> frozenset[str]:
    """Return the documents with a grade above 0."""
    return frozenset(document for document, grade in relevance.items() if grade > 0)


def require_depth(k: int | None) -> None:
    """Raise `UsageError` unless `k` is None (no cut) or at least 1."""
    if k is not None and k < 1:
        raise UsageError(f"A measure at depth {k} does not exist; k counts from 1.")


def without_relevant(relevance: Relevance) -> Score | None:
    """Return the score of a question for which no relevant document is known, or None where there is one."""
    return None if relevant(relevance) else not_applicable("no relevant document is known")


def gains(ranking: Sequence[str], relevance: Relevance, k: int | None = None) -> list[int]:
    """Return the grade (not below 0) at each of the first `k` ranks.

    A document that is listed again takes up its rank and gains nothing, so no measure can be raised by repeating it.
    """
    seen: set[str] = set()
    found: list[int] = []
    for document in ranking[:k]:
        found.append(0 if document in seen else max(0, relevance.get(document, 0)))
        seen.add(document)
    return found
