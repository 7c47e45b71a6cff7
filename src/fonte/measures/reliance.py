"""How much of a system's accuracy comes from its documents: Acc(Q), Acc(Q, D) and their difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fonte.measures.score import Score, Summary, not_scored, scored, summarise


@dataclass(frozen=True)
class Reliance:
    """`closed_book` is Acc(Q), `with_documents` Acc(Q, D), `reference_reliance` RR = Acc(Q, D) - Acc(Q), -1 to 1.

    RR also rises when Acc(Q) falls (the model forgot something), so read all three, and the table: how many questions
    are right `both` ways, only `gained` with documents, `lost` with them, or `neither` way.
    """

    closed_book: Summary
    with_documents: Summary
    reference_reliance: Summary
    both: int
    gained: int
    lost: int
    neither: int


def reliance(closed_book: Mapping[str, Score], with_documents: Mapping[str, Score], seed: int = 0) -> Reliance:
    """Compare the correctness of the same questions without and with documents (CTRL-RAG).

    The difference is paired: a question that has no value in one of the two is not scored. A value of .5 or more is
    right in the table.
    """
    names = [*closed_book, *(name for name in with_documents if name not in closed_book)]
    differences = {name: _difference(closed_book.get(name), with_documents.get(name)) for name in names}
    table = {(False, False): 0, (False, True): 0, (True, False): 0, (True, True): 0}
    for name, difference in differences.items():
        if difference.value is not None:
            before, after = closed_book[name].value or 0.0, with_documents[name].value or 0.0
            table[before >= 0.5, after >= 0.5] += 1
    return Reliance(
        summarise(closed_book, seed=seed),
        summarise(with_documents, seed=seed),
        summarise(differences, bounds=(-1.0, 1.0), seed=seed),
        both=table[True, True],
        gained=table[False, True],
        lost=table[True, False],
        neither=table[False, False],
    )


def _difference(before: Score | None, after: Score | None) -> Score:
    if before is None or after is None or before.value is None or after.value is None:
        return not_scored("not scored both with and without documents")
    return scored(after.value - before.value)
