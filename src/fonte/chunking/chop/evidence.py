"""What speaks for and against a new document at a gap, as numbers: the free stages of the cascade."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fonte.chunking.chop.cohesion import cohesion
from fonte.chunking.chop.covers import opening, opens
from fonte.chunking.chop.names import same_name
from fonte.chunking.chop.windows import WINDOW, Windows
from fonte.chunking.chop.words import words

NAMES = (
    "cohesion",  # how alike the words of both sides are, against the rest of this text (standard deviations)
    "restart",  # how much more the right side repeats the document so far than the left one
    "clear_restart",  # what of it goes beyond .3, where the unit reads like a title
    "title",  # the unit reads like a title that stands alone
    "title_word",  # which says manual, guide, or the like
    "fresh",  # which names something that the document has not spoken of
    "fresh_coded",  # with a digit in it, as products and cases have
    "fresh_sibling",  # which shares a first word with the name of the present document, yet differs
    "fresh_opens",  # and which is followed by contents, an introduction, safety notes, or the like
    "cover",  # and which says manual, welcome, or the like, or is a sibling: everything that makes a cover
    "young",  # the present document is still shorter than a window
)


@dataclass
class Present:
    """The document that is being read: where it begins, and what it is called."""

    begin: int = 0
    name: str = ""


class Evidence:
    """The evidence at every gap of a text."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.windows = Windows(texts)
        self.openings = [opening(text) for text in texts]
        begins = [*map(opens, texts), False, False]
        # A line such as "Owner's manual" below a name belongs to the cover, and what follows it is the first section.
        subtitle = [bool(each.title and each.document_word and not each.name) for each in self.openings] + [False]
        self._says_document = [own.document_word or subtitle[at + 1] for at, own in enumerate(self.openings)]
        self._opens = [begins[at + 1] or (subtitle[at + 1] and begins[at + 2]) for at in range(len(texts))]
        counted = [words(text) for text in texts]
        self._cohesion = _standardised(cohesion(texts))
        self._joined = [f" {' '.join(each)} " for each in counted]
        self._units: dict[str, list[int]] = {}
        for unit, each in enumerate(counted):
            for word in set(each):
                self._units.setdefault(word, []).append(unit)

    def __len__(self) -> int:
        return len(self.openings)

    def at(self, gap: int, present: Present) -> NDArray[np.float64]:
        """Return the evidence at `gap` in the order of `NAMES`, given the document that is being read there."""
        unit = self.openings[gap]
        fresh = unit.title * self._fresh(gap, present)
        restart = self.windows.restart(gap, present.begin)
        family = set(words(unit.name)[:2]) & set(words(present.name)[:2])
        return np.array(
            [
                self._cohesion[gap],
                restart,
                max(restart - 0.3, 0.0) * (unit.title > 0),
                unit.title,
                unit.title * self._says_document[gap],
                fresh,
                fresh * unit.coded,
                fresh * bool(family) * unit.coded,
                fresh * self._opens[gap],
                fresh * self._opens[gap] * (self._says_document[gap] or bool(family)),
                max(0.0, 1.0 - self.windows.size(present.begin, gap) / WINDOW),
            ],
            dtype=np.float64,
        )

    def _fresh(self, gap: int, present: Present) -> float:
        """Return 1 where the unit names something new, .5 where the document spoke of it long ago, else 0.

        What the last window has spoken of is a part that was announced; what the document is called is itself. A cover
        that says nothing but the beginning of that (`S8` after the manual of the `S8 Active`) may be another device,
        if the document has never called itself so.
        """
        name = self.openings[gap].name
        if not name:
            return 0.0
        if same_name(name, present.name):
            return 0.5 * self._is_shorter_sibling(gap, name, present)
        recent = max(self.windows.first(gap), present.begin)
        if self._spoken(name, recent, gap):
            return 0.0
        return 0.5 if self._spoken(name, present.begin, recent) else 1.0

    def _is_shorter_sibling(self, gap: int, name: str, present: Present) -> bool:
        said, called = words(name), words(present.name)
        if len(called) <= len(said) or called[: len(said)] != said or self._joined[gap].split() != said:
            return False
        longer = f" {' '.join(called[: len(said) + 1])} "
        short = longer[: -len(called[len(said)]) - 1]
        return not any(
            text.count(short) > text.count(longer) for text in self._joined[present.begin + 1 : gap] if short in text
        )

    def _spoken(self, name: str, begin: int, end: int) -> bool:
        """Return whether a unit from `begin` to `end` says `name`."""
        said = words(name)
        wanted = f" {' '.join(said)} "
        units = min((self._units.get(word, []) for word in said), key=len, default=[])
        return any(wanted in self._joined[unit] for unit in units[bisect_left(units, begin) : bisect_left(units, end)])


def _standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    logs = np.log(values + 0.02)
    spread = float(logs[1:].std()) if len(logs) > 2 else 0.0
    return (logs - logs[1:].mean()) / spread if spread > 0 else np.zeros_like(logs)
