"""The order of retrieval, that of the re-ranker, and the one between them that is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fonte.ranking.rerank import rerank
from fonte.values import Passage

if TYPE_CHECKING:
    from fonte.models import Reranker


@dataclass(frozen=True)
class Orders:
    """`passages` are those that are used, best first; `retrieval` and `reranking` are ids of all candidates in order.

    Without a re-ranker `reranking` is empty, `name` is "" and `weight` 0. `trained_for` names the language model whose
    behaviour it learnt, "" where it learnt none.
    """

    passages: tuple[Passage, ...]
    retrieval: tuple[str, ...]
    reranking: tuple[str, ...]
    name: str
    weight: float
    trained_for: str = ""

    def places(self, passage: Passage) -> str:
        """Return in words where `passage` stood in both orders, from 1."""
        found = f"retrieval {self.retrieval.index(passage.id) + 1}"
        return f"{found}, re-ranker {self.reranking.index(passage.id) + 1}" if self.reranking else found

    def in_words(self) -> str:
        """Return one line about what ordered the passages."""
        if not self.reranking:
            return "No re-ranker: the order is that of retrieval."
        found = f"{self.name} re-ranked {len(self.retrieval)} candidates; weight {self.weight:.1f} against retrieval."
        return f"{found} It learnt what {self.trained_for} used." if self.trained_for else found

    def to_json(self) -> dict[str, Any]:
        """Return the shape of `fonte search --explain --json`."""
        return {
            "reranker": self.name or None,
            "trained_for": self.trained_for or None,
            "weight": self.weight,
            "retrieval": list(self.retrieval),
            "reranking": list(self.reranking),
        }


def compare_orders(
    reranker: Reranker | None, weight: float, question: str, candidates: Sequence[Passage], passages: int
) -> Orders:
    """Order `candidates` (in the order of retrieval) both ways; the first `passages` of the fused order are used."""
    retrieval = tuple(passage.id for passage in candidates)
    if reranker is None:
        return Orders(tuple(candidates[:passages]), retrieval, (), "", 0.0)
    fused = rerank(reranker, question, candidates, weight)
    alone = sorted(fused, key=lambda passage: (-(passage.rerank_score or 0.0), retrieval.index(passage.id)))
    reranking = tuple(passage.id for passage in alone)
    return Orders(tuple(fused[:passages]), retrieval, reranking, reranker.name, weight)
