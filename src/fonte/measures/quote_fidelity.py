"""Are quotes the words of the source they name?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fonte.citations.folding import fold_text
from fonte.measures.score import Score, not_applicable, scored
from fonte.measures.words import runs

PIECE = 3
"""Words that a piece of a stitched quote has at least; shorter runs are found in any text."""
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.{3}|…)\s*\]|\(\s*(?:\.{3}|…)\s*\)|\.{3,}|…)\s*")
_EDGES = " \t\n\"'.,;:!?"

Verdict = Literal["verbatim", "misattributed", "stitched", "fabricated"]


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quote, the text of the source that it names, and the texts of the other sources that were given."""

    quote: str
    source: str
    others: tuple[str, ...] = ()


def quote_fidelity(quotes: Sequence[Quoted]) -> Score:
    """Share of an answer's quotes that are verbatim in the source they name: 0 to 1.

    An answer without quotes is not applicable. See `quote_verdict` for what counts as verbatim.
    """
    if not quotes:
        return not_applicable("the answer quotes nothing")
    return scored(sum(quote_verdict(quote) == "verbatim" for quote in quotes) / len(quotes))


def quote_verdict(quoted: Quoted) -> Verdict:
    """Say what a quote is.

    `verbatim`: its words stand in the named source, between word borders, but for typesetting (quotation marks,
    dashes, ligatures, line ends), the case of the first letter and closing punctuation; parts around an ellipsis must
    follow each other. `misattributed`: it is verbatim in another source. `stitched`: every word of it comes from runs
    of three or more words of the named source that do not stand together there. `fabricated`: anything else, such as
    an empty quote.
    """
    if _is_verbatim(quoted.quote, quoted.source):
        return "verbatim"
    if any(_is_verbatim(quoted.quote, other) for other in quoted.others):
        return "misattributed"
    return "stitched" if _is_stitched(quoted.quote, quoted.source) else "fabricated"


def _is_verbatim(quote: str, source: str) -> bool:
    return any(_holds(fold_text(source, keep_hyphens=keep).text, quote) for keep in (False, True))


def _holds(source: str, quote: str) -> bool:
    parts = [fold_text(part).text.strip(_EDGES) for part in _ELLIPSIS.split(quote)]
    position = 0
    for part in [part for part in parts if part]:
        position = _end_of(part, source, position)
        if position < 0:
            return False
    return any(parts)


def _end_of(part: str, source: str, start: int) -> int:
    """Return where the first occurrence of `part` from `start` on ends, or -1."""
    first = f"[{re.escape(part[0].lower())}{re.escape(part[0].upper())}]" if len(part[0].lower()) == 1 else part[0]
    pattern = (r"\b" if part[0].isalnum() else "") + first + re.escape(part[1:]) + (r"\b" if part[-1].isalnum() else "")
    spaced = pattern if part.isascii() else first + re.escape(part[1:])
    found = re.compile(spaced).search(source, start)
    return found.end() if found else -1


def _is_stitched(quote: str, source: str) -> bool:
    wanted, words = runs(fold_text(quote).text.casefold()), runs(fold_text(source).text.casefold())
    reached = {0}
    for position in range(len(wanted)):
        if position in reached:
            length = _longest(wanted, position, words)
            reached.update(range(position + PIECE, position + length + 1))
    return bool(wanted) and len(wanted) in reached


def _longest(wanted: Sequence[str], start: int, words: Sequence[str]) -> int:
    best = 0
    for at, word in enumerate(words):
        if word == wanted[start]:
            length = 1
            while start + length < len(wanted) and at + length < len(words):
                if wanted[start + length] != words[at + length]:
                    break
                length += 1
            best = max(best, length)
    return best
