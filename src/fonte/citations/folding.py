"""Make texts comparable although they are typeset differently, and find the way back to the original.

| Folded | To |
|---|---|
| canonical and typographic compatibility forms (ligatures, full width, presentation forms, `…`, `㎏`) | their letters |
| “ ” „ ‟ « » ″ 〝 〞 and ‘ ’ ‚ ‛ ‹ › ′ ʼ ` ´ | `"` and `'` |
| ‐ ‑ ‒ – — ― − ﹣ － | `-` |
| soft hyphens, zero-width and direction characters, variation selectors | nothing |
| runs of white space, also no-break and line ends | one space |
| a hyphen at a line end between letters | nothing, or the hyphen (two readings) |

Superscripts, subscripts, fractions and circled numbers stay what they are: `10⁵` is not `105`, `1½` is not `11⁄2`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

_SINGLE, _DOUBLE, _DASHES = "‘’‚‛‹›′ʼ`´", "“”„‟«»″〝〞＂", "‐‑‒–—―−﹣－"
_FIXED = {**dict.fromkeys(_SINGLE, "'"), **dict.fromkeys(_DOUBLE, '"'), **dict.fromkeys(_DASHES, "-")}
_KEPT = ("<super>", "<sub>", "<fraction>", "<circle>")
_UNEVEN = re.compile(r"[^\S ]|  |^ | $|`")
_RUN = re.compile(r"\S+")
_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])[-‐\u00ad][ \t]*\n\s*(?=[^\W\d_])")


@dataclass(frozen=True)
class Folded:
    """`text[i]` comes from `original[starts[i]:ends[i]]`, in code points."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original span of `text[start:end]`, which must not be empty."""
        return self.starts[start], self.ends[end - 1]


def fold_text(text: str, *, loose: bool = False, keep_hyphens: bool = False) -> Folded:
    """Fold `text`; `loose` also folds case and drops accents, for comparing words rather than texts.

    `keep_hyphens` reads a hyphen at a line end as part of the word (`well-` `known`), else the word is joined
    (`pres-` `sure`).
    """
    if text.isascii() and not _UNEVEN.search(text):
        return Folded(text.lower() if loose else text, range(len(text)), range(1, len(text) + 1))
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    previous = 0
    for start, end, joined in _runs(text, keep_hyphens):
        if letters and not joined and letters[-1] != " ":
            letters.append(" ")
            starts.append(previous)
            ends.append(start)
        run = text[start:end]
        if run.isascii() and "`" not in run:
            letters.extend(run.lower() if loose else run)
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
        else:
            _fold_run(run, start, loose, (letters, starts, ends))
        previous = end
    while letters and letters[-1] == " ":
        letters.pop()
    return Folded("".join(letters), tuple(starts[: len(letters)]), tuple(ends[: len(letters)]))


def _runs(text: str, keep_hyphens: bool) -> list[tuple[int, int, bool]]:
    """Return `(start, end, continues the word before)` of the pieces between white space and broken words."""
    breaks = [(match.start(), match.end()) for match in _BROKEN_WORD.finditer(text)] if "\n" in text else []
    pieces: list[tuple[int, int, bool]] = []
    begin = 0
    for start, end in [*breaks, (len(text), len(text))]:
        stop = start + 1 if keep_hyphens and start < len(text) else start
        found = [(match.start(), match.end(), False) for match in _RUN.finditer(text, begin, stop)]
        if found and begin and pieces:
            found[0] = (found[0][0], found[0][1], True)
        pieces += found
        begin = end
    return pieces


def _fold_run(run: str, offset: int, loose: bool, into: tuple[list[str], list[int], list[int]]) -> None:
    letters, starts, ends = into
    position = 0
    while position < len(run):
        end = position + 1
        while end < len(run) and unicodedata.combining(run[end]):
            end += 1
        for letter in _fold_cluster(run[position:end], loose):
            if letter != " " or (letters and letters[-1] != " "):
                letters.append(letter)
                starts.append(offset + position)
                ends.append(offset + end)
        position = end


@cache
def _fold_character(character: str) -> str:
    if character in _FIXED:
        return _FIXED[character]
    category = unicodedata.category(character)
    if category == "Cf" or "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef":
        return ""
    if unicodedata.decomposition(character).startswith(_KEPT):
        return character
    folded = unicodedata.normalize("NFKD", character)
    return folded if folded == character else "".join(_FIXED.get(letter, letter) for letter in folded)


def _fold_cluster(cluster: str, loose: bool) -> str:
    """Fold a base character with its combining marks; the order of the marks becomes canonical."""
    folded = "".join(map(_fold_character, cluster))
    if len(folded) > 1:
        folded = unicodedata.normalize("NFD", folded)
    if loose:
        folded = unicodedata.normalize("NFD", folded.casefold())
        return "".join(letter for letter in folded if not unicodedata.category(letter).startswith("M"))
    return folded
