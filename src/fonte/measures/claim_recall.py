"""How many of the gold claims does the answer make?"""

from __future__ import annotations

from collections.abc import Sequence

from fonte.chunking.sentences import sentences
from fonte.measures.score import Score, not_applicable, scored
from fonte.measures.support import THRESHOLD, Pair, Support


def claim_recall(answer: str, claims: Sequence[str], support: Support, threshold: float = THRESHOLD) -> Score:
    r"""Claim recall: $\frac{1}{|S^*|} \sum_{s \in S^*} 1[e(answer, s) > \theta]$, $e$ the probability of support.

    0 to 1. With the sentences of the gold answer as claims it is AQuAECHR's claim recall, with given claims and the
    answer without its markers ALCE's `claims_nli`. RAGChecker calls something else "claim recall": the share of gold
    claims that the *retrieved passages* entail. An empty answer scores 0 and asks the scorer nothing; without claims
    the measure is not applicable.
    """
    if not claims:
        return not_applicable("the question has no gold claims")
    if not answer.strip():
        return scored(0.0, "the answer is empty")
    values = support(claim_pairs(answer, claims))
    return scored(sum(value > threshold for value in values) / len(claims))


def claim_pairs(answer: str, claims: Sequence[str]) -> list[Pair]:
    """Return the pairs that `claim_recall` asks about."""
    return [(answer, claim) for claim in claims] if answer.strip() else []


def claims_of(answer: str) -> tuple[str, ...]:
    """Return the sentences of a gold answer, as claims."""
    return tuple(answer[start:end] for start, end in sentences(answer))
