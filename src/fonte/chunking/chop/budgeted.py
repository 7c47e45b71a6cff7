"""A language model that may be asked so many times and no more, and what the cascade asks of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fonte.chunking.chop.decision import continuity
from fonte.chunking.chop.extraction import SegmentHead, extract
from fonte.chunking.chop.schema import SignatureSchema
from fonte.models.language_model import LanguageModel

if TYPE_CHECKING:
    from fonte.records.outputs import OutputCache

ASKED_TOKENS = 120  # of each side of a gap: what begins and what ends stands near it
NAMED_WITHIN = 3  # chunks of a document that are read for its name, one after another


class BudgetedModel:
    """Counts `calls` and `tokens` (of prompts and answers), and asks nothing more once `limit` calls were made."""

    def __init__(self, model: LanguageModel, limit: int, at_once: int = 1) -> None:
        self.model = model
        self.at_once = at_once
        self.calls = 0
        self.tokens = 0
        self._limit = limit

    def affords(self, calls: int) -> bool:
        """Return whether so many more calls may be made."""
        return self.calls + calls <= self._limit

    def spend(self, calls: int, tokens: int) -> None:
        """Count calls that were made elsewhere."""
        self.calls += calls
        self.tokens += tokens

    def new_document(self, before: str, after: str, cache: OutputCache | None) -> float | None:
        """Return the probability that another document begins between two texts; None where it may not be asked."""
        if not self.affords(1):
            return None
        decision = continuity([(before, after)], self.model, tokens=ASKED_TOKENS, cache=cache)[0]
        self.spend(decision.calls, decision.tokens)
        return None if decision.probability is None else 1.0 - decision.probability

    def said_of(
        self,
        texts: Sequence[str],
        grounds: Sequence[str],
        schema: SignatureSchema,
        naming: str,
        cache: OutputCache | None,
        document: str,
    ) -> list[tuple[str, str, int]] | None:
        """Return what the first texts of a document say, as (field, value, number of the text), in order.

        Texts are read until one fills the field `naming`, which names the document; [] where none says anything, None
        without budget.
        """
        found: list[tuple[str, str, int]] = []
        for number, text in enumerate(texts[:NAMED_WITHIN]):
            if not self.affords(2):  # a reply that does not fit is asked for once more
                return found or None
            head = SegmentHead(text, (*texts, *grounds))
            extraction = extract([head], self.model, schema=schema, cache=cache, documents=[document])[0]
            self.spend(extraction.calls, extraction.tokens)
            found += [(name, value, number) for name, value in extraction.signature.fields]
            if any(name == naming for name, _ in extraction.signature.fields):
                break
        return found
