"""ROUGE-L through the rouge-score package, with a tokenizer that also reads what is not ASCII."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from fonte.errors import MissingExtraError
from fonte.measures.score import Score, not_applicable, scored
from fonte.measures.words import fold_answer, runs

STEMMED_FROM = 4  # letters, as in rouge-score


def rouge_l(prediction: str, answers: Sequence[str]) -> Score:
    r"""ROUGE-L: the F measure of the longest common subsequence of words, the best over `answers` (Lin 2004).

    0 to 1. Words are stemmed (Porter) and in lower case; on ASCII texts the value is that of
    `rouge_score.RougeScorer(["rougeL"], use_stemmer=True)`. That package drops every other character, so that a
    Chinese answer always scores 0; here such words count, and each sign of a script without spaces is a word. An
    empty prediction scores 0; without gold answers the measure is not applicable. Errors: `MissingExtraError`.
    """
    if not answers:
        return not_applicable("the question has no gold answer")
    scorer = _scorer()
    return scored(max(scorer.score(answer, prediction)["rougeL"].fmeasure for answer in answers))


class _Words:
    """A tokenizer in the shape that rouge-score asks for."""

    def __init__(self, stemmer: Any) -> None:
        self._stem = lru_cache(maxsize=100_000)(stemmer.stem)

    def tokenize(self, text: str) -> list[str]:
        words = runs(text.lower() if text.isascii() else fold_answer(text))
        return [str(self._stem(word)) if len(word) >= STEMMED_FROM and word.isascii() else word for word in words]


@cache
def _scorer() -> Any:
    try:
        from nltk.stem.porter import PorterStemmer  # type: ignore[import-untyped]
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError:
        raise MissingExtraError("rouge-score", "measures") from None
    return RougeScorer(["rougeL"], use_stemmer=True, tokenizer=_Words(PorterStemmer()))
