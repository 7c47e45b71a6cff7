"""The words of a question that decide which source may answer it: names, codes, and what is asked for."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise

# A word keeps its inner signs ("R-290", "8.4", "d'acqua" is two) and a trailing plus ("Note 10+" is not "Note 10").
_WORD = re.compile(r"[^\W_]+(?:[-.,/][^\W_]+)*\+*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;]\s|[\"“«(¿¡])\s*$")
_DIGITS = {
    name: digit
    for digit, names in {
        "2": "two due zwei deux dos",
        "3": "three tre drei trois tres",
        "4": "four quattro vier quatre cuatro",
        "5": "five cinque fünf cinq cinco",
        "6": "six sechs seis",
        "7": "seven sette sieben sept siete",
        "8": "eight otto acht huit ocho",
        "9": "nine nove neun neuf nueve",
        "10": "ten dieci zehn dix diez",
        "11": "eleven undici elf onze once",
        "12": "twelve dodici zwölf douze doce",
    }.items()
    for name in names.split()
}


@dataclass(frozen=True, slots=True)
class Word:
    """A word as written, its folded form, and its neighbours' folded forms ("" at the ends)."""

    text: str
    folded: str
    start: int
    before: str = ""
    after: str = ""

    @property
    def is_code(self) -> bool:
        """Whether it holds a digit: "S30", "E3", "210"."""
        return any(letter.isdigit() for letter in self.folded)


def folded(text: str) -> str:
    """Return `text` in the form in which words are compared: NFKC, case-folded, underscores as spaces."""
    return unicodedata.normalize("NFKC", text).casefold().replace("_", " ")


def words(text: str) -> list[Word]:
    """Return the words of `text` in order, with their neighbours; text without letters or digits gives none."""
    found = [(match.group(), match.start()) for match in _WORD.finditer(text.replace("_", " "))]
    forms = ["", *(folded(word) for word, _ in found), ""]
    return [
        Word(word, forms[index + 1], start, forms[index], forms[index + 2]) for index, (word, start) in enumerate(found)
    ]


def codes(question: str) -> list[Word]:
    """Return the words of `question` that hold a digit: models, part numbers, articles, amounts."""
    return [word for word in words(question) if word.is_code]


def names(question: str) -> list[Word]:
    """Return the capitalised words of `question` that do not begin a sentence, hold no digit, and are not "I"."""
    capitalised = (word for word in words(question) if word.text[0].isupper() and word.text != "I")
    return [word for word in capitalised if not word.is_code and not _SENTENCE_START.search(question[: word.start])]


def as_digit(word: str) -> str:
    """Return a folded numeral from two to twelve as digits ("three" as "3"), any other word as it is."""
    return _DIGITS.get(word, word)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words and neighbouring pairs of a text, folded: what a code or a name is looked up in."""

    single: frozenset[str]
    pairs: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, *texts: str) -> Vocabulary:
        """Collect from `texts`; words of different texts are never neighbours."""
        found = [[word.folded for word in words(text)] for text in texts]
        single = frozenset(word for text in found for word in text)
        return cls(single, frozenset(pair for text in found for pair in pairwise(text)))

    def holds(self, word: Word) -> bool:
        """Return whether `word` occurs; a bare number must have one of its neighbours in the question beside it.

        "22" in "Article 22" is not held by a text about the "Corvessa 22".
        """
        if word.folded not in self.single:
            return False
        if not word.folded[0].isdigit() or not (word.before or word.after):
            return True
        return (word.before, word.folded) in self.pairs or (word.folded, word.after) in self.pairs
