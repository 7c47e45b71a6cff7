"""Does the answer hold a gold answer?"""

from __future__ import annotations

from collections.abc import Sequence

from fonte.measures.score import Score, not_applicable, scored
from fonte.measures.words import answer_words, contains, visible_answer


def containment(prediction: str, answers: Sequence[str]) -> Score:
    """Containment with word boundaries: 1 if the words of any of `answers` stand in `prediction` in a row, else 0.

    "no" is not in "not known", "12" not in "120" and not in "1.12". An empty prediction scores 0; gold answers
    without words are never contained; without gold answers the measure is not applicable.
    """
    if not answers:
        return not_applicable("the question has no gold answer")
    words = answer_words(prediction)
    return scored(any(contains(words, answer_words(answer)) for answer in answers))


def substring_accuracy(prediction: str, answers: Sequence[str]) -> Score:
    """Accuracy as RAGQALeaderboard counts it: 1 if any of `answers` is a substring, in lower case, else 0.

    For comparison with figures published there only. Bold and italic marks and the thinking are removed. Known quirk:
    there are no word boundaries, so that "no" is found in "not known". (Its own code further drops what follows a
    second `</think>`; that is a defect and not followed.) Empty input: as for `containment`.
    """
    if not answers:
        return not_applicable("the question has no gold answer")
    text = visible_answer(prediction).replace("*", "").replace("__", "").lower()
    return scored(any(answer.lower() in text for answer in answers if answer))
