"""The documents that a question names, by the names in their signatures: "on the S10 Lite", "in Rossi v. Italy"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from fonte.values import Signature

MOST_SHARE = 0.5
"""A name that more than this share of the documents with names bear tells nothing."""

# "R-290", "8.4" and "10+" are one word each: the Note 10+ is not the Note 10.
_WORD = re.compile(r"[^\W_]+(?:[-.,/'’][^\W_]+)*\+*")
Name: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Naming:
    """Ids of the `documents` that a question names, and the `rest` of the question, without their names."""

    documents: frozenset[str]
    rest: str


class Names:
    """Which documents bear which names. Values without a capital or a digit (a category, nouns) are no names."""

    def __init__(self, bearers: Mapping[Name, frozenset[str]]) -> None:
        self._bearers = bearers

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
        counts as a name that tells nothing.
        """
        bearers = self._bearers if documents is None else self._among(frozenset(documents))
        if not bearers:
            return None
        most = MOST_SHARE * len(frozenset().union(*bearers.values()))
        longest = max(map(len, bearers))
        words = [(match.group().casefold(), match.span()) for match in _WORD.finditer(question)]
        named, rest, end, at = frozenset[str](), [], 0, 0
        while at < len(words):
            length = self._length(bearers, [word for word, _ in words[at : at + longest]], most)
            if length:
                named |= bearers[tuple(word for word, _ in words[at : at + length])]
                rest.append(question[end : words[at][1][0]])
                end = words[at + length - 1][1][1]
            at += length or 1
        return Naming(named, "".join([*rest, question[end:]])) if named else None

    def _among(self, documents: frozenset[str]) -> dict[Name, frozenset[str]]:
        visible = ((name, bearers & documents) for name, bearers in self._bearers.items())
        return {name: bearers for name, bearers in visible if bearers}

    @staticmethod
    def _length(bearers: Mapping[Name, frozenset[str]], words: list[str], most: float) -> int:
        """Return how many of the first words are a name that tells documents apart, 0 where none are."""
        names = ((length, bearers.get(tuple(words[:length]))) for length in range(len(words), 0, -1))
        return next((length for length, found in names if found and len(found) <= most), 0)


def _forms(value: str) -> Iterator[Name]:
    words = _WORD.findall(value)
    if not any(word[0].isupper() or any(map(str.isdigit, word)) for word in words):
        return
    folded = tuple(word.casefold() for word in words)
    yield folded
    for at, word in enumerate(folded[1:], 1):
        if any(map(str.isdigit, word)) and any(map(str.isalpha, word)):
            yield folded[at:]
