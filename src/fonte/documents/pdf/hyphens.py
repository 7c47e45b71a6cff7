"""Words broken at line ends, mended: `ther-` / `mostat` is one word again, `AX-` / `200` keeps its hyphen.

Whether the hyphen was part of the word is told by the rest of the document: a spelling that occurs elsewhere wins. Else
it goes between lower-case letters, unless one letter stands before it (`e-mail`), the word already has a hyphen
(`up-to-` / `date`), or both halves are words of the document (`long-` / `term`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from fonte.documents.pdf.line import Line

_HYPHENS = "-\u2010\u00ad"
_LETTERS = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_SUSPENDED = frozenset(
    ("und", "oder", "bzw", "and", "or", "to", "nor", "y", "o", "e", "ed", "et", "ou", "og", "och", "en", "of")
)


def mend(lines: Sequence[Line]) -> list[Line]:
    """Return `lines` with the first piece of a broken word's next line moved up; lines that held only that are gone."""
    words = Counter(word.lower() for line in lines for word in _LETTERS.findall(line.text))
    mended: list[Line] = []
    for line in lines:
        rest = _join(mended[-1], line, words) if mended else line
        if rest is not None:
            mended.append(rest)
    return mended


def _join(before: Line, line: Line, words: Counter[str]) -> Line | None:
    """Move the second half of a broken word from `line` to `before`; return what is left of `line`, None if nothing."""
    last = before.runs[-1].text
    head = last.rstrip(_HYPHENS)
    if len(last) - len(head) != 1 or not head or not head[-1].isalnum():
        return line
    count = _word_length(line)
    tail = "".join(run.text for run in line.runs[:count])
    if not tail[0].isalnum() or tail.lower().rstrip(".,;:") in _SUSPENDED:
        return line
    text = head if last[-1] == "\u00ad" or _drops_hyphen(head, tail, words) else last
    before.runs[-1] = before.runs[-1]._replace(text=text)
    before.runs.extend(run._replace(gap="") for run in line.runs[:count])
    return Line(line.runs[count:], line.page_height) if count < len(line.runs) else None


def _word_length(line: Line) -> int:
    """Return how many runs make the first word of the line."""
    return next((index for index, run in enumerate(line.runs) if index and run.gap), len(line.runs))


def _drops_hyphen(head: str, tail: str, words: Counter[str]) -> bool:
    first, second = _last(_LETTERS.findall(head)), _LETTERS.match(tail)
    if not head[-1].isalpha() or second is None or second.end() == 0:
        return False
    one, two = first.lower(), second[0].lower()
    joined, hyphenated = words[one + two], words[f"{one}-{two}"]
    if joined or hyphenated:
        return joined >= hyphenated
    if "-" in head or len(first) == 1 or first.isupper() or not tail[0].islower():
        return False
    return not (words[one] > 1 and words[two] > 1)


def _last(found: Iterable[str]) -> str:
    return next(reversed(list(found)), "")
