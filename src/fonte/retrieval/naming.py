"""The documents that a question names, by the names in their signatures: "on the S10 Lite"."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from fonte.values import Signature

MOST_SHARE = 0.5
"""A name that more than this share of the documents with names bear tells nothing."""

MOST_WORDS = 16
"""A longer value is a sentence, no name; it bounds the work for a question too."""

# "R-290", "8.4" and "10+" are one word each: the Note 10+ is not the Note 10. An accent may be a sign of its own.
_LETTERS = r"[^\W_]++(?:[\u0300-\u036f]++[^\W_]*+)*+"
_WORD = re.compile(rf"{_LETTERS}(?:[-.,/'’]{_LETTERS})*\+*")
Name: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Naming:
    """Ids of the `documents` that a question names, and the `rest` of the question, without their names."""

    documents: frozenset[str]
    rest: str


@dataclass(frozen=True, slots=True)
class _Spoken:
    folded: str
    capital: bool
    start: int
    end: int


class Names:
    """Which documents bear which names.

    Values without a capital or a digit (a category, nouns), of one character, or of more than `MOST_WORDS` are none.
    """

    def __init__(self, bearers: Mapping[Name, frozenset[str]]) -> None:
        self._bearers = bearers
        self._documents = frozenset[str]().union(*bearers.values())
        self._longest = max(map(len, bearers), default=0)

    @classmethod
    def of(cls, signatures: Iterable[tuple[str, Signature]]) -> Names:
        """Collect from pairs of document id and signature.

        What follows the maker counts too, if it begins with a code: "A20" for "Galaxy A20", but not "230" for
        "Ventalba 230", which may be volts.
        """
        found: dict[Name, set[str]] = defaultdict(set)
        for document_id, signature in signatures:
            for _, value in signature.fields:
                for name in _forms(value):
                    found[name].add(document_id)
        return cls({name: frozenset(bearers) for name, bearers in found.items()})

    def in_question(self, question: str, documents: Collection[str] | None = None) -> Naming | None:
        """Return what `question` names among `documents` (None: all); None where it names none of them.

        Of names within one another the longest counts. Documents outside `documents` change nothing, not even what
        counts as a name that tells nothing. A name of one word without a digit ("Note") must be written large.
        """
        seen = self._documents if documents is None else self._documents & frozenset(documents)
        words = [
            _Spoken(_folded(match.group()), match[0][0].isupper(), *match.span()) for match in _WORD.finditer(question)
        ]
        named, rest, end, at = frozenset[str](), [], 0, 0
        while at < len(words) and seen:
            length, bearers = self._longest_in(words[at : at + self._longest], seen)
            if length:
                named |= bearers
                rest.append(question[end : words[at].start])
                end = words[at + length - 1].end
            at += length or 1
        return Naming(named, "".join([*rest, question[end:]])) if named else None

    def _longest_in(self, words: list[_Spoken], seen: frozenset[str]) -> tuple[int, frozenset[str]]:
        """Return how many of the first words are a name that tells documents in `seen` apart, 0 for none, and whose."""
        for length in range(len(words), 0, -1):
            bearers = self._bearers.get(tuple(word.folded for word in words[:length]), frozenset()) & seen
            common = length == 1 and not words[0].capital and not any(map(str.isdigit, words[0].folded))
            if 0 < len(bearers) <= MOST_SHARE * len(seen) and not common:
                return length, bearers
        return 0, frozenset()


def _forms(value: str) -> Iterator[Name]:
    words = _WORD.findall(value)
    if not any(word[0].isupper() or any(map(str.isdigit, word)) for word in words):
        return
    folded = tuple(map(_folded, words))
    if len(folded) > MOST_WORDS or len("".join(folded)) < 2:
        return
    yield folded
    for at, word in enumerate(folded[1:], 1):
        if any(map(str.isdigit, word)) and any(map(str.isalpha, word)):
            yield folded[at:]


def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()
