"""Which words an answer consists of, so that answers in any language and with any numbers can be compared."""

from __future__ import annotations

import re
import string
import unicodedata

from fonte.citations.folding import fold_text
from fonte.citations.words import UNSPACED

ARTICLES = frozenset(("a", "an", "the"))
_UNSPACED = re.compile(f"([{UNSPACED}])")
_NUMBER = re.compile(r"(?<![\w.,])(?:-(?=[\d.]))?(?:\d+(?:[.,]\d+)*|\.\d+)(?!\w)")
_ENGLISH = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_CONTINENTAL = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}")
_DOTTED = re.compile(r"\b(?:[^\W\d_]\.){2,}")
_THINKING = re.compile(r"\s*<think>")


def answer_words(text: str) -> list[str]:
    """Return the words of an answer for comparison, in order.

    As in SQuAD, case, punctuation and English articles do not count (unless nothing else is left: blood group "A").
    Unlike there, numbers stay numbers (`1.5` is not `15`, `1,000` is `1000`, `2.50` is `2.5`, `-5` is not `5`),
    hyphens separate words, initials are joined (`U.S.` is `us`), typographic variants are folded, the Turkish i's are
    one letter in any case, each sign of a script without spaces is a word, and marks stay with their letters.
    """
    words = _words(fold_answer(text))
    return [word for word in words if word not in ARTICLES] or words


def squad_words(text: str) -> list[str]:
    """Return the words as SQuAD's `normalize_answer` makes them, for comparison with published figures.

    Known quirks: ASCII punctuation is deleted rather than split at (`1.5` becomes `15`, `well-known` `wellknown`),
    other punctuation stays, and a text without spaces is one word.
    """
    kept = "".join(character for character in text.lower() if character not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", kept).split()


def visible_answer(text: str) -> str:
    """Return what a reader sees: without the model's thinking.

    All up to the last `</think>` goes; a text that opens `<think>` and never closes it has no visible answer.
    """
    if "</think>" in text:
        return text.rpartition("</think>")[2].strip()
    return "" if _THINKING.match(text) else text


def contains(words: list[str], part: list[str]) -> bool:
    """Return whether `part` occurs in `words` as a whole, in order and without gaps; an empty part does not."""
    length = len(part)
    return bool(length) and any(words[at : at + length] == part for at in range(len(words) - length + 1))


def fold_answer(text: str) -> str:
    """Return `text` with case, typography, apostrophes and the kinds of i made equal."""
    folded = fold_text(text).text.casefold()
    plain = folded.replace("i\u0307", "i").replace("ı", "i").replace("'", "")
    return unicodedata.normalize("NFC", plain)


def runs(folded: str) -> list[str]:
    """Return the runs of letters, marks and digits; each sign of a script without spaces is a run."""
    spaced = _UNSPACED.sub(r" \1 ", folded)
    return "".join(letter if unicodedata.category(letter)[0] in "LMN" else " " for letter in spaced).split()


def _words(folded: str) -> list[str]:
    spaced = _UNSPACED.sub(r" \1 ", folded)
    words: list[str] = []
    position = 0
    for match in _NUMBER.finditer(spaced):
        words += _plain(spaced[position : match.start()])
        words.append(_canonical(match[0]))
        position = match.end()
    return words + _plain(spaced[position:])


def _plain(text: str) -> list[str]:
    return runs(_DOTTED.sub(lambda match: match[0].replace(".", ""), text))


def _canonical(number: str) -> str:
    sign, digits = ("-", number[1:]) if number.startswith("-") else ("", number)
    if _ENGLISH.fullmatch(digits):
        digits = digits.replace(",", "")
    elif _CONTINENTAL.fullmatch(digits):
        digits = digits.replace(".", "").replace(",", ".")
    elif digits.count(",") == 1 and "." not in digits:
        digits = digits.replace(",", ".")
    if digits.count(".") != 1 or "," in digits:
        return sign + digits
    whole, fraction = digits.split(".")
    fraction = fraction.rstrip("0")
    return sign + (whole or "0") + (f".{fraction}" if fraction else "")
