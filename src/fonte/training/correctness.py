"""Is a completion right? The accuracy reward, in several strengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from fonte.errors import UsageError
from fonte.measures.containment import containment, substring_accuracy
from fonte.measures.exact_match import exact_match
from fonte.measures.score import Score, not_applicable, scored
from fonte.measures.support import Support
from fonte.measures.token_f1 import token_f1
from fonte.measures.words import visible_answer

Accuracy = Literal["containment", "exact_match", "token_f1", "substring", "entailment"]
_WORDS: dict[str, Callable[[str, Sequence[str]], Score]] = {
    "containment": containment,
    "exact_match": exact_match,
    "token_f1": token_f1,
    "substring": substring_accuracy,
}


def accuracy(
    prediction: str,
    answers: Sequence[str],
    kind: Accuracy = "containment",
    *,
    question: str = "",
    support: Support | None = None,
) -> Score:
    """Return how right `prediction` is, 0 to 1, after its thinking and without markers (take those out before).

    `containment` compares words with borders; `substring` is RAGQALeaderboard's, where "no" is in "not"; `entailment`
    is the probability that the prediction supports the question with one of its answers, by the model `support`.
    `not_applicable` without gold answers. Errors: `UsageError` for entailment without a model.
    """
    said = visible_answer(prediction)
    if kind != "entailment":
        return _WORDS[kind](said, answers)
    if support is None:
        raise UsageError("Accuracy by entailment needs a support model; name one, or use containment.")
    if not answers:
        return not_applicable("the question has no gold answer")
    return scored(max(support([(said, f"{question} {answer}".strip()) for answer in answers]))) if said else scored(0)
