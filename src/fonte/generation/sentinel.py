"""The word by which a model says that the sources do not answer, and how it is found while the answer streams."""

from __future__ import annotations

import re
from collections.abc import Collection

from fonte.citations import Marker, read_markers

SENTINEL = "NOT_IN_SOURCES"
OPENING = 64  # code points at the start that are held back, so that "Sorry, NOT_IN_SOURCES." shows nothing
_SAID = re.compile(rf"{SENTINEL}|(?<![^\W_])(?i:not\\?_in\\?_(?:the\\?_)?sources?)(?![^\W_])")
_SAID_ALONE = re.compile(r"\W*(?:answer\W+)?not[\W_]+in[\W_]+(?:the[\W_]+)?sources?\W*", re.IGNORECASE)
_LONGEST = len("NOT\\_IN\\_THE\\_SOURCES")
_FORMS = ("not_in_sources", "not_in_the_sources")


def says_not_in_sources(text: str) -> bool:
    """Return whether `text` is nothing but the sentinel, in any case and decoration, or holds it as one word."""
    return _SAID.search(text) is not None or _SAID_ALONE.fullmatch(text) is not None


class SentinelReader:
    """Takes the deltas of an answer and passes them on up to the sentinel; `said` tells whether it came.

    The sentinel in its own spelling (`NOT_IN_SOURCES`, any case, also with escaped underscores) counts anywhere; with
    spaces (`Not in sources.`) only where nothing else is said. Text before it within the first 64 code points is
    swallowed, unless it cites a source; what comes after it always is.
    """

    def __init__(self, labels: Collection[str]) -> None:
        self._labels = labels
        self._held = ""
        self._opening = True
        self.said = False

    def feed(self, delta: str) -> str:
        """Return the text that is certainly no part of the sentinel."""
        return "".join(self._step(character) for character in delta)

    def finish(self) -> str:
        """Return what was held back; empty if it was the sentinel."""
        if self.said:
            return ""
        if says_not_in_sources(self._held):
            return self._stop()
        return self._held

    def _step(self, character: str) -> str:
        if self.said:
            return ""
        if SENTINEL in self._held or (not character.isalnum() and _SAID.search(self._held)):
            return self._stop()
        self._held += character
        if self._opening and len(self._held) < OPENING + _LONGEST:
            return ""
        self._opening = False
        keep = self._possible_start()
        text, self._held = self._held[:keep], self._held[keep:]
        return text

    def _possible_start(self) -> int:
        """Return where a sentinel that is not yet complete may begin in what is held back."""
        for start in range(max(0, len(self._held) - _LONGEST), len(self._held)):
            if self._held[start] == "N" or (self._held[start] == "n" and not self._held[start - 1 : start].isalnum()):
                piece = self._held[start:].casefold().replace("\\", "")
                if any(form.startswith(piece) for form in _FORMS):
                    return start
        return len(self._held)

    def _stop(self) -> str:
        self.said = True
        found = _SAID.search(self._held)
        before = self._held[: found.start()] if found else ""
        cites = any(isinstance(event, Marker) for event in read_markers(before, self._labels))
        return before.rstrip() if cites or not self._opening else ""
