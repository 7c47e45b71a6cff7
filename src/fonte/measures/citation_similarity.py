"""Does an answer cite what the gold answer cites?"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from fonte.measures.cited import CitedPassage
from fonte.measures.score import Score, not_applicable, scored
from fonte.measures.support import THRESHOLD, Pair, Support


@dataclass(frozen=True, slots=True)
class CitationMatch:
    """Precision, recall and F1 of one answer's citations against the gold ones."""

    precision: Score
    recall: Score
    f1: Score


def citation_match(cited: Collection[str], gold: Collection[str], invented: int = 0) -> CitationMatch:
    """Exact match of citations as sets of ids (AQuAECHR's "citation similarity EM"): precision, recall, F1, 0 to 1.

    `invented` citations count as wrong ones. An answer without any citation scores 0; without gold citations nothing
    is applicable.
    """
    if not gold:
        none = not_applicable("the question has no gold citation")
        return CitationMatch(none, none, none)
    found, wanted = set(cited), set(gold)
    right = len(found & wanted)
    claimed = len(found) + invented
    precision = right / claimed if claimed else 0.0
    recall = right / len(wanted)
    return CitationMatch(scored(precision), scored(recall), scored(2 * right / (claimed + len(wanted))))


def citation_similarity(
    blocks: Sequence[str],
    cited: Sequence[CitedPassage],
    support: Support,
    *,
    uncited: Literal["zero", "left_out"] = "zero",
    threshold: float = THRESHOLD,
) -> Score:
    r"""Entailment-based citation similarity (AQuAECHR): $\frac{1}{|B|} \sum_b 1[\max_c e(b, c) > \theta]$.

    `blocks` are the gold citations; AQuAECHR joins all paragraphs of a case to one block (`case_blocks`), else give
    one block per paragraph. Named quirks of the published measure: the *gold* block is the premise and the cited
    paragraph the hypothesis, so a longer citation is harder to match than a shorter one; and an answer without any
    citation is -1 in its files, 0 in its tables. Here it is 0, or with `uncited="left_out"` not applicable. Without
    gold citations the measure is not applicable. 0 to 1.
    """
    if not blocks:
        return not_applicable("the question has no gold citation")
    if not cited:
        return scored(0.0, "the answer cites nothing") if uncited == "zero" else not_applicable("cites nothing")
    values = support(similarity_pairs(blocks, cited))
    width = len(cited)
    best = [max(values[at : at + width]) for at in range(0, len(values), width)]
    return scored(sum(value > threshold for value in best) / len(blocks))


def similarity_pairs(blocks: Sequence[str], cited: Sequence[CitedPassage]) -> list[Pair]:
    """Return the pairs that `citation_similarity` asks about, block by block."""
    return [(block, passage.text) for block in blocks for passage in cited]


def case_blocks(gold: Sequence[CitedPassage]) -> list[str]:
    """Join the gold paragraphs of each case (`group`) with spaces, in order of first use, as AQuAECHR does."""
    cases: dict[str, list[str]] = {}
    for passage in gold:
        cases.setdefault(passage.group or passage.id, []).append(passage.text)
    return [" ".join(texts) for texts in cases.values()]
