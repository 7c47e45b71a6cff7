"""Sentences of a text by rules: exact offsets, linear time, no model to download."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fonte.chunking.abbreviations import (
    BEFORE_GERMAN_ORDINAL,
    BOUND,
    BOUND_AS_WRITTEN,
    FINAL,
    GERMAN_MONTHS,
    LETTERED,
    NUMBERED,
    QUANTITIES,
    STARTERS,
    TIMES,
)
from fonte.chunking.lines import segments

Span = tuple[int, int]

_WIDE = "。！？｡．"
# Always matches where it starts, so that a run of a million dots is scanned once.
_TERMINATOR = re.compile(
    r"(?P<stop>[.!?…‽؟।॥۔።։။។。！？｡．]++)"
    # “ ‘ « close in some languages and open in others: they close where nothing directly follows.
    r"(?P<close>(?:[\"'”’»›)\]}」』】）〉》*_`]|[“‘«](?=[\s\"'”’»›)\]}]|$))*+)"
    r"(?:\[\d{1,3}\]|[⁰¹²³⁴-⁹])*+"
)
_OPENERS = "\"'“”„‘‚«»‹›([{「『【（〈《*_`¿¡–—-•"
_BOUND_SPACES = "\u00a0\u202f"
_ENUMERATOR = re.compile(
    r"[*_\s(\"“„]*(?:"
    r"(?:§+|chapter|section|sec|article|art|part|clause|rule|annex|appendix|step|figure|fig|table|tab|note|question|q|"
    r"kapitel|artikel|abschnitt|teil|ziffer|schritt|abbildung|abb|tabelle|anhang|"
    r"capitolo|articolo|sezione|parte|passo|figura|tabella|allegato|chapitre|étape|annexe|tableau)\.?\s*)?"
    r"(?:\d{1,4}[a-z]?(?:\.\d{1,3}){0,5}|(?-i:[IVXLC]{1,7}|[ivx]{1,5})|[a-z])\)?",
    re.IGNORECASE,
)
_DESIGNATION = re.compile(r"[§/°]|[A-Za-z]{0,4}-?\d|[IVXLCDM]+\b|[A-Za-z]\b")
_LETTER_OR_WORD = ("A", "I", "E", "O")
_DOTTED_LETTERS = re.compile(r"(?:[^\W\d_]\.-?)+[^\W\d_]")
_LETTERS = re.compile(r"[^\W\d_]+")
_SPACE = re.compile(r"\s*")
_ELISION = re.compile(r"^[^\W\d_]{1,6}['’]")
_AFTER_JAPANESE_QUOTE = "とっなのはがをに、，,。"


def sentences(text: str) -> list[Span]:
    """Return the sentences of `text` as `(start, end)` in code points, end exclusive, in order.

    No span begins or ends with white space, spans do not overlap, and every character that is not white space lies in
    one. Paragraphs, list items, headings and table rows end a sentence; the line breaks of a wrapped paragraph do
    not. Inside a paragraph sentences end at `. ! ? …` and their counterparts in other scripts, except after
    abbreviations (English, German, Italian, French), initials, ordinals, enumerators and where a lower-case word
    follows. Blank text gives an empty list. Time is linear; a sentence may be of any length.
    """
    spans: list[Span] = []
    for segment in segments(text):
        start = segment.start
        ends = () if segment.whole else _ends(text, segment.start, segment.end)
        for end in (*ends, segment.end):
            if (span := strip_span(text, start, end))[0] < span[1]:
                spans.append(span)
            start = end
    return spans


def strip_span(text: str, start: int, end: int) -> Span:
    """Return `(start, end)` moved inwards past white space; a blank span becomes empty."""
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return start, max(start, end - len(piece) + len(piece.rstrip()))


def skip_space(text: str, start: int, end: int) -> int:
    """Return the offset of the first character of `text[start:end]` that is not white space, else `end`."""
    match = _SPACE.match(text, start, end)
    return match.end() if match else start


def _ends(text: str, start: int, end: int) -> Iterator[int]:
    sentence_start = start
    caseless: bool | None = None  # whether the segment has no capitals at all; looked up when first needed
    for match in _TERMINATOR.finditer(text, start, end):
        stop = match.end()
        if stop >= end or not _may_end(text, match, end):
            continue
        follower = _first_of_next(text, stop, end)
        if follower < 0 or text[follower] in ".…":  # nothing follows, or a spaced omission ". . ."
            continue
        if text[follower].islower() and not _camel_case(text, follower):
            if caseless is None:
                caseless = text[start:end] == text[start:end].lower()
            if not caseless:
                continue
        if match["stop"] == "." and _full_stop_binds(text, sentence_start, match.start(), follower):
            continue
        yield stop
        sentence_start = stop


def _may_end(text: str, match: re.Match[str], end: int) -> bool:
    """Return whether what directly follows a terminator lets a sentence end there."""
    stop, close, after = match["stop"], match["close"], match.end()
    before = text[match.start() - 1 : match.start()]
    if before in ("[", "(", "（") and close:
        return False  # an omission: […] or (...)
    if stop == "．" and text[after].isdecimal():
        return False
    if stop[-1] in _WIDE:
        return not (close and text[after] in _AFTER_JAPANESE_QUOTE)
    if text[after] in _BOUND_SPACES:
        return False
    return text[after].isspace() or stop[-1] in "؟।॥۔።။។"


def _first_of_next(text: str, offset: int, end: int) -> int:
    """Return the offset of the first letter, digit or symbol after `offset`, past spaces and openers; -1 for none."""
    for position in range(offset, min(offset + 200, end)):
        if not text[position].isspace() and text[position] not in _OPENERS:
            return position
    return -1 if end - offset <= 200 else offset + 200


def _camel_case(text: str, offset: int) -> bool:
    """Return whether a lower-case word is a name such as iPhone or eBay."""
    return text[offset + 1 : offset + 2].isupper()


def _full_stop_binds(text: str, sentence_start: int, stop: int, follower: int) -> bool:
    """Return whether the full stop at `stop` belongs to the word before it and ends nothing."""
    if stop - sentence_start <= 24 and _ENUMERATOR.fullmatch(text[sentence_start:stop].strip()):
        return True
    words = text[max(sentence_start, stop - 60) : stop].split()[-2:]
    if not words:
        return False
    word = words[-1].lstrip(_OPENERS)
    if word != words[-1] and _ENUMERATOR.fullmatch(word):
        return True  # a quotation that begins with its number: “1. Everyone …
    before = words[-2].lstrip(_OPENERS) if len(words) > 1 else ""
    following = text[follower : follower + 30]
    if word.isdecimal():
        return _ordinal(word, before.casefold(), following)
    return _abbreviation(word, before, following)


def _ordinal(word: str, before: str, following: str) -> bool:
    """Return whether `12.` is a German ordinal, judged by its neighbours."""
    if len(word) > 2:
        return False
    name = _LETTERS.match(following)
    month = name is not None and name[0].casefold() in GERMAN_MONTHS
    return month or (before in BEFORE_GERMAN_ORDINAL and following[0].isupper())


def _abbreviation(word: str, before: str, following: str) -> bool:
    elided = _ELISION.sub("", word)  # l'art. 12, dell’avv. Rossi
    word = elided if len(elided) > 1 else word
    key = word.casefold()
    if key in BOUND or word in BOUND_AS_WRITTEN or (key in QUANTITIES and before[-1:].isdecimal()):
        return True
    if key in NUMBERED:
        return _designates(key, following)
    if key in TIMES:
        return not following[0].isupper()
    initial = len(word) == 1 and (word.isupper() or (word.isalpha() and word.isascii()))
    if initial or _DOTTED_LETTERS.fullmatch(word):
        # "a breaker of 16 A. Use a cable", but "Abs. 2 S. 1"
        unit = len(word) == 1 and before[-1:].isdecimal() and not following[0].isdecimal()
        return not unit and not _starts_sentence(following)
    if key in FINAL:
        return not _starts_sentence(following)
    # An unknown short abbreviation before its number: "Bsp. 2".
    return len(word) <= 4 and word.istitle() and word.isalpha() and following[0].isdecimal()


def _designates(key: str, following: str) -> bool:
    """Return whether `following` begins with the number, numeral or letter that an abbreviation introduces."""
    designation = _DESIGNATION.match(following)
    return designation is not None and (designation[0] not in _LETTER_OR_WORD or key in LETTERED)


def _starts_sentence(following: str) -> bool:
    word = _LETTERS.match(following)
    return word is not None and word[0].casefold() in STARTERS and following[word.end() :][:1] != "."
