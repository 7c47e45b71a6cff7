"""Sentences of an answer while it is written, with the markers that belong to each.

A marker belongs to the sentence it stands in, or, after its full stop, to the sentence before (as ALCE's answers are
read). Before the first sentence, or on a new line when the sentence before has its own, it belongs to the next one.
What is text and what is sentence depends on the order of code points and markers only, not on how they were split.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from fonte.chunking import sentences
from fonte.citations.brackets import Marker

LOOK_AHEAD = 40  # code points after a possible sentence end that decide whether it is one
LOOK_BEHIND = 200  # code points before it that matter
LONGEST = 2000  # code points: a longer sentence is cut, so that no answer costs more than linear time
_MAY_END = frozenset(".!?…‽؟।॥۔።։។။。！？｡．\n")
_CLOSERS = frozenset("\"'”’“‘»«›)]}」』】）〉》*_`⁰¹²³⁴⁵⁶⁷⁸⁹")
_STOPS = frozenset(".,;:!?…)")


@dataclass(frozen=True, slots=True)
class Opened:
    """The next text begins a sentence."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The sentence's own text is complete: `text`, without markers; `cited` says whether any marker belongs to it."""

    text: str
    cited: bool


@dataclass(frozen=True, slots=True)
class Closed:
    """The markers after the sentence are through."""


Part = str | Marker | Opened | Ended | Closed


class SentenceReader:
    """Groups text and markers into sentences; text is passed on as soon as no sentence end can come before it."""

    def __init__(self) -> None:
        self._tail = ""
        self._places: list[int] = []  # of every marker of the tail
        self._markers: list[tuple[int, Marker]] = []  # those that were not passed on yet
        self._visible = -1  # the last character that is not white space
        self._passed = 0
        self._floor = 0
        self._opened = False
        self._cited = False
        self._candidates: list[int] = []

    def feed(self, piece: str | Marker) -> Iterator[Part]:
        """Take the next text or marker."""
        if isinstance(piece, Marker):
            self._markers.append((len(self._tail), piece))
            self._places.append(len(self._tail))
            return
        for character in piece:
            self._add(character)
            if self._candidates and self._decidable(self._candidates[0]):
                at = self._candidates.pop(0)
                yield from self._cut(max(0, at - LOOK_BEHIND), at + 1)
            elif len(self._tail) >= LONGEST and self._visible >= 0:
                yield from self._close(len(self._tail.rstrip()), len(self._tail))
        yield from self._pass_safe()

    def finish(self) -> Iterator[Part]:
        """Close what is left."""
        yield from self._cut(0, len(self._tail))
        if self._tail.strip():
            yield from self._close(len(self._tail.rstrip()), len(self._tail))
        yield from self._emit(len(self._tail), len(self._markers))

    def _add(self, character: str) -> None:
        """Remember the last character of each run of stops and of what closes them (`?!`, `."`)."""
        here, before = len(self._tail), self._tail[-1:]
        self._tail += character
        if not character.isspace():
            self._visible = here
        adjacent = bool(self._candidates) and self._candidates[-1] == here - 1 and before != "\n"
        ends = character in _MAY_END and not (
            character == "\n" and bool(self._candidates) and self._visible < self._candidates[-1]
        )
        continues = adjacent and (character in _CLOSERS or (ends and character != "\n" and before in _MAY_END))
        if continues:
            self._candidates.pop()
        if continues or ends:
            self._candidates.append(here)

    def _decidable(self, candidate: int) -> bool:
        return self._visible > candidate and len(self._tail) - candidate >= LOOK_AHEAD

    def _cut(self, begin: int, limit: int) -> Iterator[Part]:
        """Close the sentences that end at or before `limit` and are followed by another, reading from `begin` on."""
        while end_and_following := self._next_end(begin, limit):
            limit -= end_and_following[1]
            begin = 0
            yield from self._close(*end_and_following)
        self._floor = max(self._floor, limit)

    def _next_end(self, begin: int, limit: int) -> tuple[int, int] | None:
        """Return the first sentence end up to `limit` that was not passed over before, and the next beginning."""
        for (_, end), (following, _) in pairwise(sentences(self._tail[begin:])):
            end, following = begin + end, begin + following
            visible = self._tail[end - 1] in _MAY_END or self._tail[end - 1] in _CLOSERS
            if self._floor < end <= limit and (visible or "\n" in self._tail[end:following]):
                return end, following
        return None

    def _close(self, end: int, following: int) -> Iterator[Part]:
        """Close the sentence that ends at `end`; the next begins at `following`."""
        inside = sum(at < end for at, _ in self._markers)
        cited = self._cited or inside > 0
        own, border = inside, end
        for at, _ in self._markers[inside:]:
            if at > following or (cited and following < len(self._tail) and "\n" in self._tail[end:at]):
                break
            own, border, cited = own + 1, at, True
        text = self._sentence_text(end)
        yield from self._emit(end, inside)
        yield Ended(text, cited)
        yield from self._emit(border, own - inside)
        yield Closed()
        self._cited, self._opened = False, self._passed > following
        yield from self._emit(following, sum(at <= following for at, _ in self._markers))
        self._forget(following)

    def _forget(self, length: int) -> None:
        self._tail = self._tail[length:]
        self._markers = [(at - length, marker) for at, marker in self._markers]
        self._places = [at - length for at in self._places if at > length]
        self._candidates = [at - length for at in self._candidates if at >= length]
        self._passed = max(0, self._passed - length)
        self._visible = max(-1, self._visible - length)
        self._floor = 0

    def _sentence_text(self, end: int) -> str:
        """Return the sentence without its markers and without the space that stood before a marker and a stop."""
        pieces, start = [], 0
        for at in self._places:
            if at < end and self._tail[at] in _STOPS:
                pieces.append(self._tail[start:at].rstrip(" "))
                start = at
        return "".join([*pieces, self._tail[start:end]]).strip()

    def _pass_safe(self) -> Iterator[Part]:
        """Pass on what lies before the first possible sentence end, without the white space at its end."""
        upto = self._candidates[0] + 1 if self._candidates else len(self._tail)
        upto = len(self._tail[:upto].rstrip())
        yield from self._emit(upto, sum(at < upto for at, _ in self._markers))

    def _emit(self, upto: int, markers: int) -> Iterator[Part]:
        """Pass on the text before `upto` with the first `markers` of the markers that wait."""
        for at, marker in self._markers[:markers]:
            yield from self._text_to(at)
            self._cited = True
            yield marker
        del self._markers[:markers]
        yield from self._text_to(upto)

    def _text_to(self, upto: int) -> Iterator[Part]:
        text = self._tail[self._passed : upto]
        self._passed = max(self._passed, upto)
        if not self._opened and (visible := text.lstrip()):
            if blank := text[: len(text) - len(visible)]:
                yield blank
            self._opened = True
            yield Opened()
            text = visible
        if text:
            yield text
