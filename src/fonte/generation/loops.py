"""Notice that a model goes round in circles, as small ones do."""

from __future__ import annotations

from collections import Counter

REPEATS = 3  # how often a sentence may be said
PERIODS = 8  # how often a shorter piece may follow itself
_LONGEST_PERIOD = 64  # code points
_MIN_WORDS = 4  # shorter sentences ("Yes.", "Model 12:") may recur in an honest list


class LoopGuard:
    """Counts sentences, and watches the end of the raw text for a piece that follows itself again and again."""

    def __init__(self) -> None:
        self._said: Counter[str] = Counter()
        self._tail = ""
        self._unchecked = 0

    def sentence_repeats(self, sentence: str) -> bool:
        """Return whether `sentence` (case and spaces apart) was now said `REPEATS` times."""
        key = " ".join(sentence.casefold().split())
        if len(key.split()) < _MIN_WORDS:
            return False
        self._said[key] += 1
        return self._said[key] >= REPEATS

    def text_repeats(self, delta: str) -> bool:
        """Return whether the text now ends in a piece of up to 64 code points, with a letter, said `PERIODS` times."""
        for character in delta:
            self._tail = (self._tail + character)[-_LONGEST_PERIOD * PERIODS :]
            self._unchecked += 1
            if self._unchecked >= 32:
                self._unchecked = 0
                if self._is_periodic():
                    return True
        return False

    def _is_periodic(self) -> bool:
        for period in range(1, _LONGEST_PERIOD + 1):
            piece = self._tail[-period:]
            repeated = len(self._tail) >= period * PERIODS and self._tail.endswith(piece * PERIODS)
            if repeated and any(character.isalpha() for character in piece):
                return True
        return False
