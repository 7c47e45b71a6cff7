"""How many words do the answer and the gold answer share?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from fonte.measures.score import Score, not_applicable, scored
from fonte.measures.words import answer_words


def token_f1(prediction: str, answers: Sequence[str], words: Callable[[str], list[str]] = answer_words) -> Score:
    r"""Token F1: $2PR / (P + R)$ over the multisets of words, the best over `answers` (SQuAD, Rajpurkar 2016).

    0 to 1. Repeated words count as often as they occur in both. If one side has no words, the F1 is 1 where the other
    has none either, else 0. `words`: as for `exact_match`. Without gold answers the measure is not applicable.
    """
    if not answers:
        return not_applicable("the question has no gold answer")
    found = words(prediction)
    return scored(max(_f1(found, words(answer)) for answer in answers))


def _f1(found: list[str], gold: list[str]) -> float:
    if not found or not gold:
        return float(found == gold)
    shared = (Counter(found) & Counter(gold)).total()
    return 2 * shared / (len(found) + len(gold))
