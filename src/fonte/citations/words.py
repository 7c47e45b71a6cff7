"""The words, numbers and negations of a text, each with its place: what support is judged by."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from fonte.citations.folding import fold_text


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Words that turn a statement round, loosely folded, in the languages of the samples and of the tests. Left out are
# those that mean something else in another language: Italian "mai" (German: May), French "ne" (Italian: of it).
NEGATIONS = frozenset(
    _words(
        """
        no not never none nor neither nobody nothing nowhere without cannot t
        nicht kein keine keinen keinem keiner keines nie niemals nichts ohne weder
        non nessun nessuno nessuna niente nulla senza
        pas jamais aucun aucune rien sans
        nunca sin ningun ninguno ninguna nada
        لا ليس ليست لم لن غير بدون
        """
    )
)
NEGATING_SIGNS = frozenset("不没沒無无非未勿禁")
# From two on, since "one" is also an article; Italian "due" and "sei" are English and Italian words too.
NUMBER_WORDS = {
    word: str(value)
    for names in (
        "two three four five six seven eight nine ten eleven twelve",
        "zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
        "- tre quattro cinque - sette otto nove dieci undici dodici",
    )
    for value, word in enumerate(_words(names), start=2)
}
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = re.compile(f"[{UNSPACED}]")
_TOKEN = re.compile(
    r"(?P<number>(?:(?<![\w-])-)?\d+(?:[.,]\d+)*[⁰¹²³⁴-⁹¼-¾⅐-⅞]*)"
    rf"|(?P<sign>[{UNSPACED}])"
    rf"|(?P<word>[%‰€$£]|°?(?:(?![{UNSPACED}])[^\W\d_])+)"
)
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")


@dataclass(frozen=True, slots=True)
class Word:
    """`text` is loosely folded; `original[start:end]` is where it stands.

    `number` holds the values it may mean; `capital` says whether its first letter is one.
    """

    text: str
    start: int
    end: int
    number: frozenset[str] = frozenset()
    negates: bool = False
    capital: bool = False


@lru_cache(maxsize=512)
def read_words(text: str) -> tuple[Word, ...]:
    """Return the words of `text`, in order.

    A number with its sign, decimals and thousands is one word, as is each sign of a script without spaces. Number
    words from two to twelve (English, German, Italian) carry their value. `No. 5` does not negate.
    """
    folded = fold_text(text, loose=True)
    return tuple(_word(match, text, *folded.span(*match.span())) for match in _TOKEN.finditer(folded.text))


def _word(match: re.Match[str], original: str, start: int, end: int) -> Word:
    token, text = match[0], match.string
    if match["number"]:
        return Word(token, start, end, _values(token))
    if match["sign"]:
        return Word(token, start, end, negates=token in NEGATING_SIGNS)
    abbreviation = token in ("no", "non") and re.match(r"\.? ?\d|-", text[match.end() : match.end() + 3]) is not None
    contraction = token != "t" or text[max(0, match.start() - 2) : match.start()] == "n'"
    capital = original[start].isupper()
    value = NUMBER_WORDS.get(token)
    number = frozenset((value,)) if value else frozenset[str]()
    return Word(token, start, end, number, token in NEGATIONS and contraction and not abbreviation, capital)


def _values(token: str) -> frozenset[str]:
    """Return the canonical forms of a number: `1,000` is `1000` or, in another country, `1.000`; `2,50` is `2.5`."""
    sign, digits = ("-", token[1:]) if token[0] == "-" else ("", token)
    forms = {_plain(digits.replace(",", "."))}
    if _GROUPED.fullmatch(digits):
        forms.add(digits.replace(",", "").replace(".", ""))
    return frozenset(sign + form for form in forms)


def _plain(digits: str) -> str:
    if digits.count(".") != 1:
        return digits
    whole, fraction = digits.split(".")
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


def alike(one: str, other: str) -> bool:
    """Return whether two words are forms of one: equal, or the same but for a short ending (`valve`, `valves`).

    At least four letters, and all but two of the shorter word, must be shared; endings differ by at most four.
    """
    if one == other:
        return True
    short, long = sorted((len(one), len(other)))
    if short < 4 or long - short > 4:
        return False
    shared = max(4, short - 2)
    return one[:shared] == other[:shared]


def is_unspaced(text: str) -> bool:
    """Return whether `text` begins with a sign of a script that is written without spaces."""
    return _UNSPACED.match(text) is not None


def negated(words: Iterable[Word]) -> bool:
    """Return whether any of `words` turns the statement round."""
    return any(word.negates for word in words)
