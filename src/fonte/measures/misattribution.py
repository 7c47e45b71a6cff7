"""Is a sentence supported, but by another passage than the one it cites?"""

from __future__ import annotations

from collections.abc import Iterable

from fonte.measures.cited import CitedAnswer, CitedPassage, CitedSentence
from fonte.measures.conventions import FONTE, Conventions
from fonte.measures.score import Score, not_applicable, scored
from fonte.measures.support import THRESHOLD, Pair, Support


def misattribution(
    answer: CitedAnswer, support: Support, conventions: Conventions = FONTE, threshold: float = THRESHOLD
) -> Score:
    """Share of the cited sentences that only a passage which they do not cite supports: 0 to 1, lower is better.

    Such a sentence is true to the sources and still wrongly cited: support elsewhere excuses nothing, so it also
    counts as unsupported in citation recall. A sentence whose citations are all invented counts as cited. An answer
    without cited sentences, or of a system that was given nothing else, is not applicable.
    """
    cited = [sentence for sentence in answer.sentences if sentence.passages or sentence.invented]
    if not cited:
        return not_applicable("the answer cites nothing")
    if not answer.given:
        return not_applicable("the passages that the system was given are not known")
    wrong = sum(_is_misattributed(sentence, answer, support, conventions, threshold) for sentence in cited)
    return scored(wrong / len(cited))


def misattribution_pairs(answers: Iterable[CitedAnswer], conventions: Conventions = FONTE) -> list[Pair]:
    """Return the pairs that `misattribution` may ask about."""
    return [
        (conventions.join(premise), sentence.text)
        for answer in answers
        for sentence in answer.sentences
        if (sentence.passages or sentence.invented) and answer.given
        for premise in ([sentence.passages] if sentence.passages else []) + [[one] for one in _others(sentence, answer)]
    ]


def _others(sentence: CitedSentence, answer: CitedAnswer) -> list[CitedPassage]:
    cited = {passage.id for passage in sentence.passages}
    return [passage for passage in answer.given if passage.id not in cited]


def _is_misattributed(
    sentence: CitedSentence, answer: CitedAnswer, support: Support, conventions: Conventions, threshold: float
) -> bool:
    if sentence.passages and support([(conventions.join(sentence.passages), sentence.text)])[0] > threshold:
        return False
    others = [(conventions.join([passage]), sentence.text) for passage in _others(sentence, answer)]
    return any(value > threshold for value in support(others))
