"""What a text is in the keyword index: folded words, the parts of model codes, and character pairs.

The index splits at spaces only; everything else is decided here, the same way for texts and questions. Chosen by
measurement on 100,000 passages of 420 characters (a question is a legal claim of about 28 words; milliseconds of
processor time for its best 50, without reading the rows):

| analysis | finds `XM4` in `WH-1000XM4` | finds 空调 inside a sentence | index | question, median |
|---|---|---|---|---|
| Lance `simple` | no | no | 18 MB | 9 ms |
| Lance `icu/split` | no | yes; 청소 in Korean not | 18 MB | 7 ms |
| Lance `ngram(2,3)` | yes | yes | 66 MB | 2,457 ms |
| this one (words and fragments) | yes | yes | 31 MB | 7 ms |

English stemming lost (hit@50 .784 without, .767 with, on 421 claims of the European Court of Human Rights), and so did
stop words (hit@10 .572 kept, .556 removed), so there are none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

TERMS_VERSION = "1"
"""Changes when the same text would be indexed differently."""

MAX_TERMS = 96
"""Distinct terms of a question that are looked up: those with digits first, then the longest, then the earliest."""

_MARKS = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f\u0670\u00ad\u061c\u200c-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
_ARABIC = str.maketrans({"\u0649": "\u064a", "\u0629": "\u0647"})
_WORD_CHARACTERS = "[^\\W_]|[\u0900-\u0963\u0966-\u109f\u1780-\u17ff]"  # marks of South Asian scripts are not \w
_COMPOUND = re.compile(f"(?:{_WORD_CHARACTERS})+(?:[-/_.,\u2010-\u2015](?:{_WORD_CHARACTERS})+)*")
_SEPARATOR = re.compile("[-/_.,\u2010-\u2015]")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_PIECE = re.compile(r"\d+|[^\d]+")
_ARTICLE = re.compile(
    "^(?:[\u0648\u0641\u0628\u0643]?\u0627\u0644|\u0644\u0644)(?=...)"
)  # wal-, fal-, bal-, kal-, al-, lil-
_LONG_WORD = 9
_FRAGMENT = 4
_MAX_TERM = 64
_MAX_PIECES = 8
_MAX_REMEMBERED = 32


def index_terms(text: str) -> str:
    """Return the terms of a passage joined by spaces, with repetitions, in the order of the text.

    `WH-1000XM4` gives `wh`, `1000xm4`, the joined `wh1000xm4` and every run of its letter and digit pieces, so that
    `XM4` finds it. Scripts without spaces (Chinese, Japanese, Thai, and Korean, whose words carry endings) give single
    characters and pairs. Accents, Arabic and Hebrew points, soft hyphens and direction marks are folded away.
    """
    return " ".join(term for compound in _compounds(text) for term in _terms_of(compound))


def index_fragments(text: str) -> str:
    """Return the 4-letter fragments of the words of 9 letters and more, joined by spaces; "" where there are none.

    They find a word inside a German compound; only questions with a word that no passage has as a word look here.
    """
    long = (compound for compound in _compounds(text) if len(compound) >= _LONG_WORD)
    words = {word for compound in long for word in _words(compound) if len(word) >= _LONG_WORD}
    return " ".join(sorted({fragment for word in words for fragment in _fragments(word[:_MAX_TERM])}))


def query_terms(text: str) -> list[str]:
    """Return at most `MAX_TERMS` distinct terms of a question in order of first appearance; [] when it has no word."""
    terms = dict.fromkeys(term for compound in _compounds(text) for term in _queried(compound))
    if len(terms) <= MAX_TERMS:
        return list(terms)
    rarest = sorted(terms, key=lambda term: (not any(map(str.isdigit, term)), -len(term)))
    kept = set(rarest[:MAX_TERMS])
    return [term for term in terms if term in kept]


def query_fragments(term: str) -> list[str]:
    """Return the 4-letter fragments that a word of a passage must all have to contain `term`; [] for what is too short.

    Terms with digits and terms of scripts without spaces give [].
    """
    if len(term) < _FRAGMENT or not term.isalpha() or _UNSPACED.search(term):
        return []
    return list(dict.fromkeys(_fragments(term)))


def _terms_of(compound: str) -> tuple[str, ...]:
    # Words recur: remembering them makes this ten times faster. Runs without spaces are long and never recur.
    return _remembered(compound) if len(compound) <= _MAX_REMEMBERED else tuple(_indexed(compound))


@lru_cache(maxsize=100_000)
def _remembered(compound: str) -> tuple[str, ...]:
    return tuple(_indexed(compound))


def _compounds(text: str) -> Iterator[str]:
    # Surrogates cannot be stored and match no word; the rest is folded to letters that compare.
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    folded = unicodedata.normalize("NFKC", _MARKS.sub("", decomposed)).translate(_ARABIC)
    return (match.group() for match in _COMPOUND.finditer(folded))


def _words(compound: str) -> list[str]:
    return [word for word in _SEPARATOR.split(compound) if word.isalpha() and not _UNSPACED.search(word)]


def _fragments(word: str) -> Iterator[str]:
    return (word[start : start + _FRAGMENT] for start in range(len(word) - _FRAGMENT + 1))


def _indexed(compound: str) -> Iterable[str]:
    spaced = _SEPARATOR.split(_UNSPACED.sub("-", compound))
    yield from (term for word in spaced if word for term in _word_terms(word))
    yield from _code_terms([word for word in spaced if word], compound)
    for run in _UNSPACED.findall(compound):
        yield from run
        yield from _pairs(run)


def _queried(compound: str) -> Iterable[str]:
    spaced = [word for word in _SEPARATOR.split(_UNSPACED.sub("-", compound)) if word]
    yield from (term for word in spaced for term in _word_terms(word))
    if len(spaced) > 1 and not _UNSPACED.search(compound):
        yield from _short("".join(spaced))
    for run in _UNSPACED.findall(compound):
        yield from _pairs(run) if len(run) > 1 else run


def _word_terms(word: str) -> Iterator[str]:
    yield from _short(word)
    if bare := _ARTICLE.sub("", word):
        yield from _short(bare) if bare != word else ()


def _code_terms(words: list[str], compound: str) -> Iterator[str]:
    if _UNSPACED.search(compound):
        return
    pieces = [piece for word in words for piece in _PIECE.findall(word)]
    coded = any(map(str.isdigit, compound)) and len(pieces) <= _MAX_PIECES
    known = set(words)
    spans = _runs(pieces) if coded else ["".join(words)]
    yield from (span for run in spans for span in _short(run) if span not in known)


def _runs(pieces: list[str]) -> list[str]:
    count = len(pieces)
    return list(dict.fromkeys("".join(pieces[i:j]) for i in range(count) for j in range(i + 1, count + 1)))


def _pairs(run: str) -> Iterator[str]:
    return (run[start : start + 2] for start in range(len(run) - 1))


def _short(term: str) -> Iterator[str]:
    # A word of thousands of letters is no word; its beginning is kept, so that it can still be found.
    yield term[:_MAX_TERM]
