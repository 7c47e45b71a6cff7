"""Does a name stand in a text, however it is typeset? What a model claims to have read is held against it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from fonte.chunking.chop.words import words


def grounded(value: str, texts: Iterable[str]) -> bool:
    """Return whether the words of `value` stand in one of `texts`, in a row.

    Case, typography, punctuation and spaces do not count: `S10+` is in "Galaxy s10+", `225 B` in "225B", but `S1` is
    not in "S10". A value without words (such as "-") is in no text.
    """
    wanted = "".join(_words(value))
    return bool(wanted) and any(_stands(wanted, _words(text)) for text in texts)


def _words(text: str) -> list[str]:
    # Soft hyphens and zero-width characters are invisible inside words.
    return words("".join(character for character in text if unicodedata.category(character) != "Cf"))


def _stands(wanted: str, said: list[str]) -> bool:
    """Return whether `wanted` is the join of whole words of `said` that follow each other."""
    starts, position = {}, 0
    for word in said:
        starts[position] = len(word)
        position += len(word)
    borders = {*starts, position}
    joined, at = "".join(said), -1
    while (at := joined.find(wanted, at + 1)) >= 0:
        if at in starts and at + len(wanted) in borders:
            return True
    return False
