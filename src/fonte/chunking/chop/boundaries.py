"""Where one document ends and the next begins in a stream of units: read in order, with bounded look-ahead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fonte.chunking.chop.continuity import Continuity
from fonte.chunking.chop.evidence import Evidence, Present
from fonte.chunking.chop.names import same_name

Decision = Literal["start", "same", "new", "undecided"]
REVISED_WITHIN = 120  # words in which a better beginning may still replace the one that was found
MUCH_BETTER = 1.0  # nats of log-odds by which it has to be better


@dataclass(frozen=True, slots=True)
class Gap:
    """What was decided before a unit.

    `probability` is that of a new document (0 to 1), `decided_by` the stage: `file` (a hard boundary), `text` (free
    evidence), `model`. An `undecided` gap was in the band where a model should be asked, and none was: it goes on.
    """

    decision: Decision
    probability: float
    decided_by: str


Ask = Callable[[int], float | None]
"""Asks a language model whether a new document begins at a gap: its probability, or None where it may not be asked."""


def decide(texts: Sequence[str], model: Continuity | None = None, ask: Ask | None = None) -> list[Gap]:
    """Return the decision before each unit; the first one is a `start`. No units give [].

    Depends on the texts and the answers of `ask` only. Memory and time grow linearly; what a decision looks at ends
    `windows.AHEAD` words after the gap. A text without one gap beyond doubt (`Continuity.certain`) is one document.
    """
    model = model or Continuity()
    gaps = list(_Reader(texts, model, ask).gaps())
    if any(gap.decision == "new" and gap.probability >= model.certain for gap in gaps):
        return gaps
    return [replace(gap, decision="same") if gap.decision in ("new", "undecided") else gap for gap in gaps]


class _Reader:
    """Reads units in order and keeps the document that it is in."""

    def __init__(self, texts: Sequence[str], model: Continuity, ask: Ask | None) -> None:
        self._evidence = Evidence(texts)
        self._model = model
        self._ask = ask
        self._present = Present()

    def gaps(self) -> Iterator[Gap]:
        count = len(self._evidence)
        if count:
            self._begin(0)
            yield Gap("start", 1.0, "file")
        begins = 0  # where the document begins that a weaker gap before it has announced
        for gap in range(1, count):
            found = self._look(gap)
            if found.decision == "new" and gap >= begins:
                begins = self._better(gap)
            if found.decision == "new" and gap < begins:
                found = Gap("same", found.probability, found.decided_by)
            if found.decision == "new":
                self._begin(gap)
            yield found

    def _look(self, gap: int) -> Gap:
        probability = self._model.probability(self._evidence.at(gap, self._present))
        if probability >= self._model.new:
            return Gap("new", probability, "text")
        if probability < self._model.same:
            return Gap("same", probability, "text")
        answer = self._ask(gap) if self._ask else None
        if answer is None:
            return Gap("undecided", probability, "text")
        return Gap("new" if answer >= 0.5 else "same", answer, "model")

    def _better(self, gap: int) -> int:
        """Return the gap among the next ones at which the same document begins with far more evidence, else `gap`."""
        best, odds = gap, self._odds(gap)
        windows, openings = self._evidence.windows, self._evidence.openings
        for other in range(gap + 1, len(self._evidence)):
            if windows.size(gap, other) > REVISED_WITHIN:
                break
            if same_name(openings[other].name, openings[best].name):
                continue
            if (found := self._odds(other)) > odds + MUCH_BETTER:
                best, odds = other, found
        return best

    def _odds(self, gap: int) -> float:
        return self._model.log_odds(self._evidence.at(gap, self._present))

    def _begin(self, gap: int) -> None:
        self._present = Present(gap, self._evidence.openings[gap].name)
