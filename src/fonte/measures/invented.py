"""How many of an answer's citations name a source that does not exist?"""

from __future__ import annotations

from fonte.measures.cited import CitedAnswer
from fonte.measures.score import Score, not_applicable, scored


def invented_citations(answer: CitedAnswer) -> Score:
    """Share of the citations that were invented: 0 (none) to 1 (all).

    Every citation of a sentence counts, also a repeated one. An answer without citations is not applicable: it
    invented nothing, and cited nothing.
    """
    real = sum(len(sentence.passages) for sentence in answer.sentences)
    invented = answer.all_invented
    if not real + invented:
        return not_applicable("the answer cites nothing")
    return scored(invented / (real + invented))
