"""Is the answer a gold answer, word for word?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fonte.measures.score import Score, not_applicable, scored
from fonte.measures.words import answer_words


def exact_match(prediction: str, answers: Sequence[str], words: Callable[[str], list[str]] = answer_words) -> Score:
    """Exact match: 1 if `prediction` has the same words as any of `answers`, else 0 (SQuAD, Rajpurkar 2016).

    `words` decides what is compared (`squad_words` for published figures). Texts without any word, such as "!", are
    compared as they are. An empty prediction scores 0 (unless a gold answer is empty); without gold answers the
    measure is not applicable.
    """
    if not answers:
        return not_applicable("the question has no gold answer")
    found = words(prediction)
    return scored(any(_same(prediction, found, answer, words(answer)) for answer in answers))


def _same(prediction: str, found: list[str], answer: str, gold: list[str]) -> bool:
    return found == gold if found or gold else prediction.strip() == answer.strip()
