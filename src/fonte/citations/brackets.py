r"""What a pair of brackets says: sources of this question, an attempt to cite something else, or ordinary text.

An *attempt to cite* is a bracket whose whole content, after NFKC and in any case, is a list (separated by `,` `;` `/`
`&` `|`, spaces or a word such as "and") of

* labels: a letter and a digit, whether or not they were given out: `[z9]`;
* bare whole numbers and ranges: `[3]`, `[1-4]`, `[2..5]`;
* citation words, alone or with a number, letter or label: `[source]`, `[Doc 2]`, `[doc-99]`, `[Quelle 3]`;
* footnote-like marks of other products: `[4†L1-L5]`;

or such a first item, then a separator and a detail: `[b4, p. 12]`, `[b4: section 2]`, `[3, p. 12]`.

Ordinary text is all else, and explicitly: years, since law reports are cited by them (`[2019] UKSC 5`,
`[1939-1945]`); a zero or negative index directly after an identifier (`array[0]`); intervals that begin at or below
zero (`[0, 1]`); footnotes (`[^1]`); single letters, decimals, words, empty brackets (`[a]`, `[x]`, `[2.1]`, `[sic]`,
`[ ]`). A paragraph number such as `at [23]` cannot be told from a rank, and goes: better a missing pinpoint than a
number that seems to be a source.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set
from dataclasses import dataclass

# Words by which a model names a source when it does not use the labels it was given, in the languages of our users.
CITATION_WORDS = (
    "source|sources|src|doc|docs|document|documents|passage|passages|chunk|context|excerpt|snippet|label|id|"
    "ref|refs|reference|references|citation|citations|cite|footnote|"
    "quelle|quellen|dokument|dokumente|beleg|fonte|fonti|documento|documenti|passaggio|fuente|fuentes|documentos|"
    "référence|来源|來源|文档|文檔|资料|資料|出处|出處|出典|資料|مصدر|المصدر|وثيقة"
)
_SEPARATOR = re.compile(r"\s*[,;/&|、·]+\s*|\s+(?:and|or|und|oder|e|et|y)\s+", re.IGNORECASE)
_DETAIL = re.compile(r"\s*[,;:|]\s*")
_LABEL = re.compile(r"[#@]?([a-z]\d)", re.IGNORECASE | re.ASCII)
_NUMBER = re.compile(r"([+-]?)#?(\d+)")
_RANGE = re.compile(r"(\d+|[a-z]\d)\s*(?:-|–|—|−|~|\.{2,}|…|to|bis)\s*(\d+|[a-z]\d)", re.IGNORECASE)
_NAMED = re.compile(rf"(?:{CITATION_WORDS})(?:[\s._:#№°-]*(?:n[.°o]{{1,2}}\s*)?([a-z]\d|\d+|[a-z])?)", re.IGNORECASE)
_FOREIGN = re.compile(r"\d+(?::\d+)?†.*")
_PINPOINT = re.compile(r"(?:p|pp|page|pages|s|seite|pag|pagina|para|¶|§)\.?\s*\d.*", re.IGNORECASE)
_YEAR = re.compile(r"(?:1\d|20|21)\d\d")


@dataclass(frozen=True, slots=True)
class Marker:
    """A label that was given out for this question."""

    label: str


@dataclass(frozen=True, slots=True)
class Invented:
    """An attempt to cite something that is not a source of this question, as the model wrote it."""

    text: str


def read_bracket(content: str, labels: Set[str], after_identifier: bool = False) -> tuple[Marker | Invented, ...]:
    """Return what the bracket around `content` cites, in order; empty if it is ordinary text.

    `labels` are lower-case. `after_identifier` says that a letter, digit or underscore (ASCII) comes directly before.
    """
    visible = "".join(character for character in content if unicodedata.category(character) != "Cf")
    text = unicodedata.normalize("NFKC", visible).strip(" \t*_\\")
    parts = [part for part in _SEPARATOR.split(text) if part]
    items = _flatten(parts)
    if items and all(_is_attempt(item) for item in items):
        return () if _is_ordinary(items, labels, after_identifier) else _read_items(items, labels)
    return _read_with_detail(text, labels)


def _flatten(parts: list[str]) -> list[str]:
    """Split `b4 k2` and `1 2` at their spaces; leave `doc 2` and `1 to 4` whole."""
    items: list[str] = []
    for part in parts:
        words = part.split()
        items += words if all(_LABEL.fullmatch(word) or _NUMBER.fullmatch(word) for word in words) else [part]
    return items


def _is_attempt(item: str) -> bool:
    return any(pattern.fullmatch(item) for pattern in (_LABEL, _NUMBER, _RANGE, _NAMED, _FOREIGN))


def _is_ordinary(items: list[str], labels: Set[str], after_identifier: bool) -> bool:
    if any(_label_in(item) in labels for item in items):
        return False
    numbers = [number for item in items for number in _numbers(item)]
    if any(_YEAR.fullmatch(number) for number in numbers):
        return True
    first = _NUMBER.fullmatch(items[0])
    not_a_rank = first is not None and (first[1] == "-" or not first[2].strip("0"))
    return not_a_rank and (after_identifier or len(items) > 1)


def _numbers(item: str) -> tuple[str, ...]:
    if number := _NUMBER.fullmatch(item):
        return (number[2],)
    span = _RANGE.fullmatch(item)
    return (span[1], span[2]) if span else ()


def _read_items(items: list[str], labels: Set[str]) -> tuple[Marker | Invented, ...]:
    return tuple(Marker(label) if (label := _label_in(item)) in labels else Invented(f"[{item}]") for item in items)


def _read_with_detail(text: str, labels: Set[str]) -> tuple[Marker | Invented, ...]:
    """Read `b4, p. 12`: the label counts, the detail is left to the citation's own page and quote."""
    head, *rest = _DETAIL.split(text, maxsplit=1)
    if not rest or _RANGE.fullmatch(head):
        return ()
    label = _label_in(head)
    if label or (_NUMBER.fullmatch(head) and not _YEAR.fullmatch(head) and _PINPOINT.fullmatch(rest[0])):
        found = [label, *(_label_in(part) for part in _DETAIL.split(rest[0]))]
        valid = tuple(Marker(name) for name in found if name in labels)
        return valid or (Invented(f"[{text}]"),)
    return ()


def _label_in(item: str) -> str:
    """Return the label that `item` is or names (`b4`, `source: b4`), else an empty string."""
    match = _LABEL.fullmatch(item) or _NAMED.fullmatch(item)
    name = (match[1] or "").casefold() if match else ""
    return name if _LABEL.fullmatch(name) else ""
