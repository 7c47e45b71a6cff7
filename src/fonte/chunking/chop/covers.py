"""Does a unit look like the first lines of a document: a title page, a case name, the cover of a manual?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fonte.chunking.chop.generic_words import DOCUMENT_WORDS, GENERIC, GREETINGS
from fonte.chunking.chop.names import is_part_code, name_in
from fonte.chunking.chop.words import words

LONGEST_COVER = 40  # words
_OPENING_WORDS = 12  # of a longer unit only so much can be its title
_SENTENCE_END = re.compile(r"[.!?。！？]\s*$")
_OPENERS = re.compile(
    r"\W*(?:\d+\.?\s+)?(?:table of contents|contents|introduction|overview|features|device features|getting started|"
    r"get started|preface|foreword|summary|abstract|safety|important|before you|read this|read me|about this|welcome|"
    r"thank you|inhalt|einleitung|einführung|überblick|sicherheit|vorwort|introduzione|indice|sommario|premessa|"
    r"sicurezza|panoramica|sommaire|table des|avant-propos|sécurité|índice|introducción|seguridad|the facts|"
    r"procedure|background|this agreement|whereas)\b",
    re.IGNORECASE,
)
_SMALL = 4  # letters of words that stay lower-case in titles


@dataclass(frozen=True, slots=True)
class Opening:
    """The first lines of a unit, as evidence of a new document.

    `title` in 0 to 1: how much it reads like a title standing alone. `document_word`: it says manual, guide, welcome or
    so. `name` is what it names, "" for nothing; `coded`: with a digit, or a part code beside it.
    """

    title: float
    document_word: bool
    name: str
    coded: bool


def opening(text: str) -> Opening:
    """Read the beginning of a unit; a unit that is no title has the name "" and `title` 0."""
    title = _title_share(text)
    if not title:
        return Opening(0.0, False, "", False)
    name, said = name_in(text), set(words(text))
    if _lists(text, name):
        return Opening(0.0, False, "", False)
    coded = bool(name) and (any(map(str.isdigit, name)) or any(map(is_part_code, text.split())))
    return Opening(title, bool((DOCUMENT_WORDS | GREETINGS) & said), name, coded)


def _lists(text: str, name: str) -> bool:
    """Return whether a line names several things that begin alike: a list of parts, not a title."""
    first = words(name)[:1]
    return bool(first) and any(words(line).count(first[0]) > 1 for line in text.splitlines())


def opens(text: str) -> bool:
    """Return whether a unit begins as the first section of a document does: contents, introduction, safety."""
    return bool(_OPENERS.match(text))


def _title_share(text: str) -> float:
    """Return the share of longer words that are capitalised or carry digits; 0 for what is long or ends a sentence.

    Generic words (user manual) are not counted: covers write them small or large as they like. Nor is what follows a
    colon: `Ventalba 250: room air heat pump`.
    """
    tokens = " ".join(line.split(": ")[0] for line in text.splitlines()).split()
    if not 0 < len(tokens) <= LONGEST_COVER:
        return 0.0
    lines = [line for line in text.splitlines() if line.strip()]
    prose = any(_SENTENCE_END.search(line) and (len(line.split()) > 2 or len(lines) == 1) for line in lines)
    if prose or max(len(line.split()) for line in lines) > _OPENING_WORDS:
        return 0.0
    bare = [token.strip("()[],.:;'\"“”‘’#*|·") for token in tokens]
    long = [token for token in bare if len(token) >= _SMALL or any(map(str.isdigit, token))]
    counted = [token for token in long if token.casefold() not in GENERIC] or long
    return sum(not token[:1].islower() for token in counted) / len(counted) if counted else 0.0
