"""Where a text may be cut without tearing apart what a reader sees as one character or one word."""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"
LOOK_BACK = 24  # code points that a cut may move back to reach white space or the end of punctuation


def breaks_between(text: str, offset: int) -> bool:
    """Return whether `text[:offset]` and `text[offset:]` are cut between two user-perceived characters.

    A conservative reading of the grapheme clusters of UAX #29: marks, joiners, variation selectors, emoji modifiers
    and tags stay with what they follow, flags stay in pairs, Hangul syllables and CR LF stay whole. The ends of the
    text are breaks.
    """
    if offset <= 0 or offset >= len(text):
        return True
    left, right = text[offset - 1], text[offset]
    if left < "\u0300" and right < "\u0300":
        return not (left == "\r" and right == "\n")
    if _extends(right) or left == _JOINER or _virama(left):
        return False
    if _flag(left) and _flag(right):
        return _flags_before(text, offset) % 2 == 0
    return not (_hangul(left) and _conjoining_vowel_or_tail(right))


def cut_near(text: str, low: int, offset: int) -> int:
    """Return the best place to cut at or a little before `offset`, always above `low`.

    White space at most 24 code points back, else the end of punctuation as near, else the edge of a grapheme cluster
    at most 200 back, else `offset` itself (one cluster of hundreds of marks has to be torn).
    """
    near = range(offset, max(low, offset - LOOK_BACK), -1)
    for position in near:
        if _beside_space(text, position) and breaks_between(text, position):
            return position
    for position in near:
        if not text[position - 1].isalnum() and breaks_between(text, position):
            return position
    for position in range(offset, max(low, offset - 200), -1):
        if breaks_between(text, position):
            return position
    return offset


def _beside_space(text: str, offset: int) -> bool:
    return offset >= len(text) or text[offset].isspace() or text[offset - 1].isspace()


def _extends(character: str) -> bool:
    if unicodedata.category(character) in ("Mn", "Me", "Mc"):
        return True
    code = ord(character)
    return (
        code in (0x200C, 0x200D) or 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F or 0xFF9E <= code <= 0xFF9F
    )


def _virama(character: str) -> bool:
    return unicodedata.combining(character) == 9


def _flag(character: str) -> bool:
    return 0x1F1E6 <= ord(character) <= 0x1F1FF


def _flags_before(text: str, offset: int) -> int:
    count = 0
    while count < min(offset, 200) and _flag(text[offset - 1 - count]):
        count += 1
    return count


def _hangul(character: str) -> bool:
    code = ord(character)
    return 0x1100 <= code <= 0x11FF or 0xA960 <= code <= 0xA97C or 0xAC00 <= code <= 0xD7FB


def _conjoining_vowel_or_tail(character: str) -> bool:
    code = ord(character)
    return 0x1100 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FB or 0xA960 <= code <= 0xA97C
