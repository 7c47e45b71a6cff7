"""BERTScore: answers compared by their words' vectors in context."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fonte.measures.score import Score, not_applicable, scored


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """A text as its encoder sees it: unit vectors, float32 [token, dimension], and bool [token] `counts`.

    Tokens that do not count (the encoder's own marks) may be matched, but are not averaged, as in the bert-score
    package.
    """

    vectors: npt.NDArray[np.float32]
    counts: npt.NDArray[np.bool_]


Encode = Callable[[Sequence[str]], Sequence[TokenVectors]]
"""From texts to their token vectors, in the same order; `TokenEncoder` makes one from any encoder."""


@dataclass(frozen=True, slots=True)
class BertScore:
    """Precision, recall and F1, each -1 to 1 (in practice above 0, and of little spread: compare, do not read)."""

    precision: float
    recall: float
    f1: float


def bert_scores(pairs: Sequence[tuple[str, str]], encode: Encode) -> list[BertScore]:
    r"""BERTScore of (candidate, reference) pairs (Zhang et al. 2020, equations 1 to 3), without idf weights.

    $R = \frac{1}{|x|} \sum_i \max_j x_i^\top y_j$ over the reference's tokens $x$, $P$ over the candidate's, $F_1$
    their harmonic mean. All distinct texts are encoded in one call. A text without tokens gives 0 throughout.
    """
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    known = dict(zip(texts, encode(texts) if texts else [], strict=True))
    return [_greedy(known[candidate], known[reference]) for candidate, reference in pairs]


def bert_score(prediction: str, answers: Sequence[str], encode: Encode) -> Score:
    """Return the best F1 over `answers`; 0 for an empty prediction, not applicable without gold answers."""
    if not answers:
        return not_applicable("the question has no gold answer")
    if not prediction.strip():
        return scored(0.0, "the answer is empty")
    return scored(max(result.f1 for result in bert_scores([(prediction, answer) for answer in answers], encode)))


def _greedy(candidate: TokenVectors, reference: TokenVectors) -> BertScore:
    if not candidate.counts.any() or not reference.counts.any():
        return BertScore(0.0, 0.0, 0.0)
    similarity = candidate.vectors @ reference.vectors.T
    precision = float(similarity.max(axis=1)[candidate.counts].mean())
    recall = float(similarity.max(axis=0)[reference.counts].mean())
    total = precision + recall
    return BertScore(precision, recall, 2 * precision * recall / total if total else 0.0)
