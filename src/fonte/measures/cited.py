"""An answer as the citation measures read it: sentences, each with the passages it cites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fonte.errors import UsageError


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """A passage that was given to the system. `group` is the document or case it belongs to."""

    id: str
    text: str
    title: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of an answer without its markers, the passages it cites in order, and how many it invented."""

    text: str
    passages: tuple[CitedPassage, ...] = ()
    invented: int = 0


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """All sentences of an answer, cited or not.

    `invented` counts the citations of sources that do not exist whose sentence is not known. `given` holds every
    passage that the system was given, cited or not.
    """

    sentences: tuple[CitedSentence, ...]
    invented: int = 0
    given: tuple[CitedPassage, ...] = ()

    def __post_init__(self) -> None:
        """Refuse counts below zero."""
        if self.invented < 0 or any(sentence.invented < 0 for sentence in self.sentences):
            raise UsageError("The number of invented citations cannot be below 0.")

    @property
    def cited(self) -> tuple[CitedPassage, ...]:
        """The distinct passages that are cited, in order of first use."""
        found: dict[str, CitedPassage] = {}
        for sentence in self.sentences:
            for passage in sentence.passages:
                found.setdefault(passage.id, passage)
        return tuple(found.values())

    @property
    def all_invented(self) -> int:
        """How many citations of sources that do not exist the answer holds."""
        return self.invented + sum(sentence.invented for sentence in self.sentences)


def distinct(passages: Sequence[CitedPassage]) -> tuple[CitedPassage, ...]:
    """Return the passages without repetitions (by id), in order."""
    return tuple({passage.id: passage for passage in reversed(passages)}.values())[::-1]
