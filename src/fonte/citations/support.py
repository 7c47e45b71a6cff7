"""Is a sentence supported by the passage it cites? Scores, who made them, and the scorer that needs no model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from fonte.citations.quotes import find_quote

Pair = tuple[str, str]
"""(premise, hypothesis): the passage, or several joined by blank lines, and the sentence."""

UNSUPPORTED = 0.5
"""Support is what lies above; a quote that was refused has this share at most."""


@dataclass(frozen=True, slots=True)
class SupportScore:
    """How well a passage supports a sentence.

    `value` is 0 to 1; above .5 is supported. `status` is `scored`, `windowed` (the passage was longer than the model
    reads and went through `windows` windows, the best of which counts), `truncated` (windows were left unread, so the
    value is a lower bound and never a proof that support is missing) or `empty` (passage or sentence is blank: not
    supported). `scorer` names what judged: a model, or the rule `quote overlap`. `calibrated` says whether the value
    is a probability rather than a score.
    """

    value: float
    status: str
    scorer: str
    windows: int = 1
    calibrated: bool = False


class SupportScorer(Protocol):
    """Anything that judges support. Calling it gives the values alone, as the citation measures ask for them."""

    name: str

    def score(self, pairs: Sequence[Pair]) -> list[SupportScore]:
        """Return the score of each (premise, hypothesis), in order."""

    def __call__(self, pairs: Sequence[Pair]) -> list[float]:
        """Return the values of `score`."""


class QuoteOverlap:
    """Support without a model: how much of the sentence a quote of one or two sentences of the passage holds.

    1 for the passage's own words; for other words the weighted share that the best quote holds; at most .5 where
    there is no quote, be it because numbers or negation differ. It knows no meaning: a paraphrase in all new words is
    not supported, a claim that recombines the passage's words may be.
    """

    name = "quote overlap"

    def score(self, pairs: Sequence[Pair]) -> list[SupportScore]:
        """Return the score of each (premise, hypothesis), in order."""
        return [self._one(premise, hypothesis) for premise, hypothesis in pairs]

    def __call__(self, pairs: Sequence[Pair]) -> list[float]:
        """Return the values of `score`."""
        return [score.value for score in self.score(pairs)]

    def _one(self, premise: str, hypothesis: str) -> SupportScore:
        if not premise.strip() or not hypothesis.strip():
            return SupportScore(0.0, "empty", self.name)
        quote = find_quote(hypothesis, premise)
        share = min(1.0, max(0.0, quote.score))
        return SupportScore(min(share, UNSUPPORTED) if quote.status == "no_quote" else share, "scored", self.name)


def load_support(model: str | None, *, label: str | None = None, template: str | None = None) -> SupportScorer:
    """Return the scorer that `model` means: a name in the model folder, a path, a hub id; None means `QuoteOverlap`.

    `label` names the model's output that means support where its configuration does not tell, `template` the prompt
    of a generative model. Errors: `ModelError`, `MissingExtraError`.
    """
    if model is None:
        return QuoteOverlap()
    from fonte.citations.support_model import EntailmentSupport

    return EntailmentSupport.from_pretrained(model, label=label, template=template)
