"""How well ends of documents are found where they are known: in a person's own files, joined in random orders."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fonte.chunking.chop.boundaries import decide
from fonte.chunking.chop.continuity import Continuity

ORDERS = 3


@dataclass(frozen=True, slots=True)
class Joined:
    """What was found in documents joined in `ORDERS` orders, and in each of them alone.

    Of `joins` ends of documents `found` were found, exactly where they are; `false` gaps inside of a document were
    taken for one. `taken_apart` documents are several where they stand alone, as most files do.
    """

    joins: int
    found: int
    false: int
    taken_apart: int

    @property
    def mistakes(self) -> int:
        """Ends that were missed or invented, and documents that are taken apart."""
        return self.joins - self.found + self.false + self.taken_apart


def joined(documents: Sequence[Sequence[str]], model: Continuity, seed: int = 0) -> Joined:
    """Return how `model` does on `documents`, each given as its units in order and none without units.

    Each order is drawn from `seed` on. No documents, or a single one, give no joins.
    """
    joins = found = false = 0
    for turn in range(ORDERS):
        order = random.Random(seed + turn).sample(list(documents), len(documents))
        gold = set(np.cumsum([len(document) for document in order])[:-1].tolist())
        said = _begins([unit for document in order for unit in document], model)
        joins, found, false = joins + len(gold), found + len(said & gold), false + len(said - gold)
    return Joined(joins, found, false, sum(bool(_begins(document, model)) for document in documents))


def _begins(units: Sequence[str], model: Continuity) -> set[int]:
    return {unit for unit, gap in enumerate(decide(units, model)) if gap.decision == "new"}
