r"""The filter language of `--where`: `year >= 2020 and (court = "Grand Chamber" or not language ~ it)`.

A comparison is a key, one of `= != < <= > >= ~`, and a value; `~` means: contains, in any case of letters. Both sides
are compared as numbers where both are numbers, else as text by code point (so ISO dates order rightly). A document
without the key fulfils no comparison but `!=`, so that `a != b` is always `not a = b`. Keywords bind in the order
`not`, `and`, `or`. Keys and values with spaces or brackets are quoted, `\"` and `\\` inside quotes escape.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from fonte.errors import UsageError

BUILT_IN_KEYS = ("document", "title", "format", "source")
MAX_CHARACTERS = 20_000
MAX_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Comparison:
    """`key operator value`, as written; `operator` is one of `= != < <= > >= ~`."""

    key: str
    operator: str
    value: str


@dataclass(frozen=True, slots=True)
class And:
    """All of `parts` hold."""

    parts: tuple[Where, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one of `parts` holds."""

    parts: tuple[Where, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """`part` does not hold."""

    part: Where


Where = Comparison | And | Or | Not

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,4})?", re.ASCII | re.IGNORECASE)
_QUOTED = re.compile(r""""((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'""", re.DOTALL)
_ESCAPE = re.compile(r"""\\(["'\\])""")
_KEY = re.compile(r"""[^\s()=!<>~"']+""")
_VALUE = re.compile(r"""[^\s()"'][^\s()]*""")
_OPERATOR = re.compile(r"!=|<=|>=|==?|<|>|~")
_WORD = re.compile(r"[^\W\d_]+")
_SPACE = re.compile(r"\s*")


def parse_where(text: str) -> Where:
    """Return the filter that `text` says. Errors: `UsageError` that points at the place where it cannot be read."""
    if len(text) > MAX_CHARACTERS:
        raise UsageError(f"--where is {len(text)} characters long; at most {MAX_CHARACTERS} are read. Shorten it.")
    reader = _Reader(text)
    where = reader.alternatives()
    if reader.position < len(text):
        raise reader.expected("`and`, `or` or the end")
    return where


def number(value: str) -> float | None:
    """Return the number that `value` is, None where it is none.

    More than 15 digits are text: a longer identifier would otherwise equal its neighbours after rounding.
    """
    match = _NUMBER.fullmatch(value.strip())
    if not match or len(re.sub(r"\D", "", match[1]).strip("0")) > 15:
        return None
    result = float(match[0])
    lost = result == 0 and match[1].strip("0.") != ""
    return None if lost or abs(result) > 1e300 else result


def comparable(value: str) -> str:
    """Return the form in which text is compared: NFC, so that it does not matter how an accent was typed."""
    return unicodedata.normalize("NFC", value)


def folded(value: str) -> str:
    """Return the form in which `~` looks: NFC without the difference of upper and lower case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", value).casefold())


class _Reader:
    """Reads a filter from left to right; `position` is always at something that is not white space, or the end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.depth = 0
        self._skip(0)

    def alternatives(self) -> Where:
        parts = [self._conjunction()]
        while self._keyword("or"):
            parts.append(self._conjunction())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def expected(self, what: str, position: int | None = None) -> UsageError:
        place = self.position if position is None else position
        start = max(place - 40, 0)
        line = re.sub(r"\s", " ", self.text[start : place + 30])
        pointer = " " * (place - start) + "^"
        return UsageError(
            f"--where cannot be read at character {place + 1}: expected {what}.\n  {line}\n  {pointer}\n"
            'An example: year >= 2020 and (court = "Grand Chamber" or not language ~ it)'
        )

    def _conjunction(self) -> Where:
        parts = [self._term()]
        while self._keyword("and"):
            parts.append(self._term())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _term(self) -> Where:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.expected(f"at most {MAX_DEPTH} levels of brackets and `not`")
        if self._keyword("not"):
            where: Where = Not(self._term())
        elif self.text.startswith("(", self.position):
            where = self._brackets()
        else:
            where = self._comparison()
        self.depth -= 1
        return where

    def _brackets(self) -> Where:
        opened = self.position
        self._skip(1)
        where = self.alternatives()
        if not self.text.startswith(")", self.position):
            raise self.expected(f"`)` for the `(` at character {opened + 1}")
        self._skip(1)
        return where

    def _comparison(self) -> Comparison:
        key = self._text(_KEY, "a key such as `title`, or `(`, or `not`")
        operator = _OPERATOR.match(self.text, self.position)
        if not operator:
            raise self.expected(f"one of = != < <= > >= ~ after the key {key!r}")
        self._skip(len(operator[0]))
        name = "=" if operator[0] == "==" else operator[0]
        return Comparison(key, name, self._text(_VALUE, f"a value after `{operator[0]}`"))

    def _text(self, bare: re.Pattern[str], what: str) -> str:
        if self.text[self.position : self.position + 1] in ("'", '"'):
            return self._quoted()
        match = bare.match(self.text, self.position)
        if not match:
            raise self.expected(what)
        self._skip(len(match[0]))
        return match[0]

    def _quoted(self) -> str:
        match = _QUOTED.match(self.text, self.position)
        if not match:
            raise self.expected("a closing quote for this one")
        self._skip(len(match[0]))
        return _ESCAPE.sub(r"\1", match[1] if match[1] is not None else match[2])

    def _keyword(self, word: str) -> bool:
        match = _WORD.match(self.text, self.position)
        if not match or match[0].lower() != word or self._is_key(match.end()):
            return False
        self._skip(len(word))
        return True

    def _is_key(self, end: int) -> bool:
        """Return whether the word that ends at `end` is a key: `not = 3` compares, `not(a = 3)` denies."""
        after = _SPACE.match(self.text, end)
        place = after.end() if after else end
        longer = end < len(self.text) and _KEY.match(self.text, end) is not None
        return longer or _OPERATOR.match(self.text, place) is not None

    def _skip(self, characters: int) -> None:
        space = _SPACE.match(self.text, self.position + characters)
        self.position = space.end() if space else len(self.text)
