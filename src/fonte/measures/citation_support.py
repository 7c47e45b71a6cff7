"""Are sentences supported by what they cite (recall), and are all of the citations needed (precision)?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fonte.measures.cited import CitedAnswer, CitedPassage, CitedSentence, distinct
from fonte.measures.conventions import FONTE, Conventions
from fonte.measures.score import Score, not_applicable, scored
from fonte.measures.support import THRESHOLD, Pair, Support


@dataclass(frozen=True, slots=True)
class CitationSupport:
    """Both scores of one answer; they come from the same questions to the scorer."""

    recall: Score
    precision: Score


@dataclass(frozen=True, slots=True)
class _Judged:
    """A sentence: is it supported by all it cites, and how many of its citations count and are right?"""

    supported: bool
    right: int
    citations: int


def citation_support(
    answer: CitedAnswer, support: Support, conventions: Conventions = FONTE, threshold: float = THRESHOLD
) -> CitationSupport:
    r"""Citation recall and precision (Gao et al. 2023), counted by `conventions`.

    Recall is the mean over sentences of $1[e(C_s, s) > \theta]$: the cited passages together support the sentence.
    Precision is the mean over citations of 1 if $C_s$ supports the sentence and the citation is not superfluous: alone
    it does not support the sentence, and the others do without it. Both are 0 to 1. An answer without sentences is
    not applicable; every passage of a sentence is looked at, not only the first.
    """
    if not answer.sentences:
        return _both(not_applicable("the answer is empty"))
    counted = _counted(answer.sentences, conventions)
    if not counted:
        return _both(scored(0.0, "the answer cites nothing"))
    judged = [_judge(sentence, support, conventions, threshold) for sentence in counted]
    loose = answer.invented if conventions.invented == "wrong" else 0
    citations = sum(one.citations for one in judged) + loose
    right = sum(one.right for one in judged)
    return CitationSupport(
        scored(sum(one.supported for one in judged) / len(judged)),
        scored(right / citations) if citations else scored(0.0, "the answer cites nothing"),
    )


def citation_pairs(answers: Iterable[CitedAnswer], conventions: Conventions = FONTE) -> list[Pair]:
    """Return the pairs that `citation_support` may ask about, so that they can be put in one batch."""
    pairs: list[Pair] = []
    for answer in answers:
        for sentence in _counted(answer.sentences, conventions):
            passages = _passages(sentence, conventions)
            if passages and not _is_void(sentence, conventions):
                units = _units(passages, conventions)
                premises = [conventions.join(passages), *(premise for unit in units for premise in unit[1:])]
                pairs += [(premise, sentence.text) for premise in premises]
    return pairs


def _both(score: Score) -> CitationSupport:
    return CitationSupport(score, score)


def _counted(sentences: Sequence[CitedSentence], conventions: Conventions) -> list[CitedSentence]:
    if conventions.uncited == "zero":
        return list(sentences)
    return [sentence for sentence in sentences if sentence.passages]


def _is_void(sentence: CitedSentence, conventions: Conventions) -> bool:
    return bool(sentence.invented) and conventions.invented == "zero_sentence"


def _passages(sentence: CitedSentence, conventions: Conventions) -> tuple[CitedPassage, ...]:
    chosen = sentence.passages if conventions.repeated == "kept" else distinct(sentence.passages)
    return chosen[: conventions.at_most]


def _units(passages: Sequence[CitedPassage], conventions: Conventions) -> list[tuple[str, str, str]]:
    """Return (name, premise alone, premise of the others) of each citation that counts."""
    if conventions.unit == "passage":
        return [
            (passage.id, conventions.join([passage]), conventions.join(_others(passages, passage)))
            for passage in passages
        ]
    groups = {passage.group or passage.id: passage for passage in passages}  # the last paragraph of a case stays
    return [
        (
            name,
            conventions.join([last]),
            conventions.join([passage for passage in passages if (passage.group or passage.id) != name]),
        )
        for name, last in groups.items()
    ]


def _others(passages: Sequence[CitedPassage], passage: CitedPassage) -> list[CitedPassage]:
    """Return the passages without the first occurrence of one, as ALCE does where a passage is cited twice."""
    rest = list(passages)
    rest.remove(passage)
    return rest


def _judge(sentence: CitedSentence, support: Support, conventions: Conventions, threshold: float) -> _Judged:
    if _is_void(sentence, conventions):
        return _Judged(False, 0, 0)
    invented = sentence.invented if conventions.invented == "wrong" else 0
    passages = _passages(sentence, conventions)
    if not passages:
        return _Judged(False, 0, invented)
    together = support([(conventions.join(passages), sentence.text)])[0] > threshold
    if len(passages) == 1:
        return _Judged(together, int(together), 1 + invented)
    units = _units(passages, conventions)
    right = sum(_is_needed(unit, sentence.text, support, threshold) for unit in units) if together else 0
    return _Judged(together, right, len(units) + invented)


def _is_needed(unit: tuple[str, str, str], sentence: str, support: Support, threshold: float) -> bool:
    _, alone, others = unit
    if support([(alone, sentence)])[0] > threshold:
        return True
    return not support([(others, sentence)])[0] > threshold
