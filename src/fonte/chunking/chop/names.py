"""What a title page, a file name or a running header names: the words that are left when the generic ones are gone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fonte.chunking.chop.generic_words import DOCUMENT_WORDS, GENERIC
from fonte.chunking.chop.words import words

MOST_NAME_WORDS = 10

_CODE = re.compile(r"(?=[^a-z]*\d)(?=[^a-z]*[A-Z])[A-Z0-9]+(?:[-/.][A-Z0-9]+)*\+?")
_TOKEN = re.compile(r"[^\W_][^\s|,;:()\[\]{}<>/\\\"“”«»·•–—_]*")
_BREAK = re.compile(r"[|,;:()\[\]{}<>\\\"“”«»·•–—\n]|\s[-/]\s")
_TRADEMARK = re.compile("[®™©]")
_DATE = re.compile(r"(?:19|20)\d\d|\d{1,2}|v\d+(?:\.\d+)*|\d+(?:\.\d+)+")
_MONTH_YEAR = re.compile(r"\b(?:\d{1,2}[/.])?\d{1,2}[/.](?:19|20)\d\d\b")


def name_in(title: str) -> str:
    """Return the name in a title such as `Samsung Galaxy S8 user manual`, as it is written there; "" where none is.

    Of the stretches that are left when generic words (manual, guide, welcome …), dates, versions and part codes are
    taken out, the first one that reads like a name; a part code only where nothing else is left. `title` is data of
    any length; only its first 40 tokens are looked at.
    """
    runs = [run for piece in _pieces(title) for run in _runs(piece)][:20]
    names = [run for run in runs if not all(map(is_part_code, run)) and any(map(_naming, run))]
    chosen = next(iter(names), None) or next(iter(run for run in runs if any(map(_naming, run))), None)
    return " ".join(chosen[:MOST_NAME_WORDS]) if chosen else ""


def is_part_code(token: str) -> bool:
    """Return whether `token` is a code of an order form (`SM-N975U`, `GH68-50519A`) rather than a model's name (`S10`).

    Codes have four and more letters and digits in capitals, and a hyphen or three digits with letters around.
    """
    bare = token.strip("+.")
    if not _CODE.fullmatch(bare) or len(bare) < 5:
        return False
    return sum(map(str.isdigit, bare)) >= 3 and sum(map(str.isalpha, bare)) >= 2


def same_name(one: str, present: str) -> bool:
    """Return whether `one` names what `present` does: the same words, fewer of them, or a maker before them.

    `Samsung Galaxy S10` is the `Galaxy S10`, but `Galaxy S10 Lite` is another device.
    """
    a, b = words(one), words(present)
    return bool(a and b) and ("".join(a) == "".join(b) or contains(b, a) or a[-len(b) :] == b)


def contains(long: Sequence[str], short: Sequence[str]) -> bool:
    """Return whether `short` is a run of `long`; an empty one is in none."""
    size = len(short)
    return size > 0 and any(list(long[at : at + size]) == list(short) for at in range(len(long) - size + 1))


def without_shared_brand(names: Sequence[str]) -> list[str]:
    """Return the names, each without a first word that others leave out.

    Covers differ in whether they say the maker: beside `Galaxy S9`, `Samsung Galaxy S8` is `Galaxy S8`. The first
    word goes where what follows it begins another name, and at least two words remain.
    """
    firsts = {tokens[0] for name in names if (tokens := words(name))}
    shortened = []
    for name in names:
        tokens = name.split()
        brand = len(tokens) > 2 and tokens[1].casefold() in firsts - {tokens[0].casefold()}
        shortened.append(" ".join(tokens[1:]) if brand else name)
    return shortened


def shared_run(one: str, other: str) -> str:
    """Return the longest run of words of `one` that `other` has too, as `one` writes it; "" for none."""
    tokens, known = one.split(), words(other)
    best: list[str] = []
    for start in range(len(tokens)):
        for end in range(len(tokens), start + len(best), -1):
            if contains(known, words(" ".join(tokens[start:end]))):
                best = tokens[start:end]
                break
    return " ".join(best)


def _pieces(title: str) -> list[str]:
    return _BREAK.split(_MONTH_YEAR.sub("\n", _TRADEMARK.sub("", title[:2000])).replace("_", " "))


def _runs(piece: str) -> list[list[str]]:
    """Return the stretches between words such as "manual", without generic words, dates and codes at their edges."""
    runs: list[list[str]] = [[]]
    for token in _TOKEN.findall(piece)[:40]:
        bare = token.rstrip(".!?'’")
        if _folded(bare) in DOCUMENT_WORDS:
            runs.append([])
        elif bare:
            if runs[-1] and bare == runs[-1][0]:
                runs.append([])  # a list of names that begin alike
            runs[-1].append(bare)
    return [stripped for run in runs if (stripped := _strip(run))]


def _strip(run: list[str]) -> list[str]:
    """Return `run` without what names nothing at its beginning and end."""
    while run and (_folded(run[0]) in GENERIC or _DATE.fullmatch(run[0]) or (is_part_code(run[0]) and len(run) > 1)):
        run = run[1:]
    # At the end a number or a single capital belongs to the name: "Tab A", "Note 10".
    while len(run) > 1 and ((_folded(run[-1]) in GENERIC and len(run[-1]) > 1) or is_part_code(run[-1])):
        run = run[:-1]
    return run


def _folded(token: str) -> str:
    return token.casefold().replace("’", "'")


def _naming(token: str) -> bool:
    """Return whether a token looks like part of a name: a capital, a digit, or a script without capitals."""
    return not token[:1].islower() or any(map(str.isdigit, token)) or any(map(str.isupper, token))
