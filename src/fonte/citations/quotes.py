"""The words of a source that carry a sentence: exact, or in other words that agree in numbers and negation.

Support in other words is judged without a model, so it is a necessary condition rather than a proof: the share of the
sentence's words (weighted by how rare they are in the passage) that one or two neighbouring sentences of the source
hold. It errs on the side of `no_quote`.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import pairwise, product
from operator import or_

from fonte.chunking.sentences import sentences
from fonte.citations.folding import Folded, fold_text
from fonte.citations.words import Word, alike, is_unspaced, negated, read_words

# Chosen on tests/citations/support.jsonl; see test_quotes.py for the table over thresholds.
THRESHOLD = 0.5
PAIR_GAIN = 0.05  # what a second sentence must add, so that a quote is not longer than needed
_CLOSING = ".!?…。！？\"' "
_MARKUP = re.compile(r"^\s*(?:>\s*)?(?:[-*+•]\s+|\d{1,3}[.)]\s+|#{1,6}\s+)?|\*\*|__")


@dataclass(frozen=True, slots=True)
class Quote:
    """`passage[start:end] == text`, in code points.

    `status` is `verbatim` (the sentence but for typesetting; `score` 1), `paraphrase` (other words; `score` is the
    weighted share of the sentence's words that the quote holds) or `no_quote` (`start`, `end` 0 and `text` empty;
    `score` the best share that was found).
    """

    start: int
    end: int
    text: str
    status: str
    score: float


@dataclass(frozen=True, slots=True)
class Source:
    """A passage prepared for many sentences.

    `units` are the spans of its sentences and of the clauses between `;`, `bounds` their slices of `words`. `units_of`
    has the bits of the units that hold a word, `by_prefix` the words that begin with the same four letters.
    """

    text: str
    units: tuple[tuple[int, int], ...]
    words: tuple[Word, ...]
    bounds: tuple[tuple[int, int], ...]
    units_of: Mapping[str, int]
    by_prefix: Mapping[str, Sequence[str]]


def find_quote(sentence: str, passage_text: str, context: str = "") -> Quote:
    """Return the span of `passage_text` that best carries `sentence`.

    Typesetting does not matter (see `folding`), nor do the case of the first letter, closing punctuation, quotation
    marks around the sentence, its list or heading mark and bold type. A span inside a longer sentence counts as
    verbatim only if what is left out does not negate it. `context` is what a reader knows of the passage without
    reading it (title, heading, signature): words of the sentence that come from there, such as the name of a product,
    need not stand in the passage. Where a text occurs twice, a whole sentence goes before a part of one, then the
    first before the later.
    """
    sentence = _MARKUP.sub("", sentence)
    words = read_words(sentence)
    if not _says_something(words):
        return Quote(0, 0, "", "no_quote", 0.0)
    source = prepare(passage_text)
    if exact := _find_exact(sentence, words, source):
        return Quote(*exact, passage_text[exact[0] : exact[1]], "verbatim", 1.0)
    start, end, score = _find_paraphrase(words, _known(words, read_words(context)), source)
    if start == end:
        return Quote(0, 0, "", "no_quote", score)
    return Quote(start, end, passage_text[start:end], "paraphrase", score)


def find_quote_around(sentence: str, document_text: str, start: int, end: int, margin: int = 1000) -> Quote:
    """Return the quote for `sentence` in or over the edges of the chunk `document_text[start:end]`.

    The chunk alone goes first; if it does not hold the sentence word for word, `margin` code points on both sides are
    searched too, and a quote that reaches into the chunk is taken where it is verbatim or better. Offsets are those of
    the document.
    """
    inside = _moved(find_quote(sentence, document_text[start:end]), start)
    if inside.status == "verbatim":
        return inside
    first = max(0, start - margin)
    wide = _moved(find_quote(sentence, document_text[first : end + margin]), first)
    touches = wide.status != "no_quote" and wide.start < end and wide.end > start
    better = wide.status == "verbatim" or wide.score > inside.score
    return wide if touches and better else inside


def _moved(quote: Quote, by: int) -> Quote:
    if quote.status == "no_quote":
        return quote
    return Quote(quote.start + by, quote.end + by, quote.text, quote.status, quote.score)


def _known(words: Sequence[Word], context: Sequence[Word]) -> frozenset[int]:
    """Return the positions of the words that `context` holds; a number only after the same word (`Corvessa 12`)."""
    names = {word.text for word in context}
    numbered = {(before.text, word.text) for before, word in pairwise(context) if word.number}
    after = {index for index in range(1, len(words)) if (words[index - 1].text, words[index].text) in numbered}
    return frozenset(after | {index for index, word in enumerate(words) if not word.number and word.text in names})


def _says_something(words: Sequence[Word]) -> bool:
    return len(words) > 2 or any(word.number or len(word.text) >= 4 or is_unspaced(word.text) for word in words)


@lru_cache(maxsize=512)
def prepare(text: str) -> Source:
    """Read a passage once; the result is kept for the next sentences."""
    words = read_words(text)
    units = tuple(piece for span in sentences(text) for piece in _clauses(text, *span))
    bounds: list[tuple[int, int]] = []
    position = 0
    for _, end in units:
        first = position
        while position < len(words) and words[position].start < end:
            position += 1
        bounds.append((first, position))
    by_prefix: dict[str, list[str]] = defaultdict(list)
    for text_of_word in dict.fromkeys(word.text for word in words):
        by_prefix[text_of_word[:4]].append(text_of_word)
    units_of: dict[str, int] = defaultdict(int)
    for unit, (first, last) in enumerate(bounds):
        for word in words[first:last]:
            units_of[word.text] |= 1 << unit
    return Source(text, units, words, tuple(bounds), units_of, by_prefix)


def _clauses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Split a sentence at semicolons; commas are no borders, since a negation reaches across them."""
    pieces: list[tuple[int, int]] = []
    for piece in text[start:end].split(";"):
        stop = min(start + len(piece) + 1, end)
        inner = text[start:stop]
        if stripped := inner.strip():
            begin = start + len(inner) - len(inner.lstrip())
            pieces.append((begin, begin + len(stripped)))
        start = stop
    return pieces


@lru_cache(maxsize=512)
def _foldings(text: str) -> tuple[Folded, ...]:
    joined, kept = fold_text(text), fold_text(text, keep_hyphens=True)
    return (joined,) if joined.text == kept.text else (joined, kept)


def _find_exact(sentence: str, words: Sequence[Word], source: Source) -> tuple[int, int] | None:
    for read, folded in product(_foldings(sentence), _foldings(source.text)):
        core = read.text.strip(_CLOSING)
        spans = (_admit(at, core, read.text, folded, words, source) for at in _occurrences(core, folded.text))
        if found := [span for span in spans if span]:
            return min(found, key=lambda span: (not _is_whole(span, source), span))
    return None


def _occurrences(needle: str, text: str, most: int = 50) -> list[int]:
    """Return where `needle` stands in `text` between word borders; the case of its first letter may differ."""
    found: list[int] = []
    for first in dict.fromkeys((needle[:1], needle[:1].upper(), needle[:1].lower())):
        at = text.find(first + needle[1:]) if needle else -1
        while at >= 0 and len(found) < most:
            if not _inside_word(text, at) and not _inside_word(text, at + len(needle)):
                found.append(at)
            at = text.find(first + needle[1:], at + 1)
    return found


def _inside_word(text: str, at: int) -> bool:
    before, after = text[at - 1 : at], text[at : at + 1]
    if before.isdigit() and after in (".", ","):
        return text[at + 1 : at + 2].isdigit()
    if before in (".", ",", "-") and after.isdigit():
        return before == "-" or text[at - 2 : at - 1].isdigit()
    return before.isalnum() and after.isalnum() and not (is_unspaced(before) or is_unspaced(after))


def _admit(
    at: int, core: str, full: str, folded: Folded, words: Sequence[Word], source: Source
) -> tuple[int, int] | None:
    """Return the original span of an occurrence, unless the words around it in its sentence negate it."""
    tail = full[len(full.rstrip(_CLOSING)) :]
    end = at + len(core)
    while end < len(folded.text) and folded.text[end] in tail and folded.text[end] != " ":
        end += 1
    span = folded.span(at, end)
    around = [word for bounds in _units_at(span, source) for word in source.words[slice(*bounds)]]
    return span if negated(around) == negated(words) else None


def _units_at(span: tuple[int, int], source: Source) -> list[tuple[int, int]]:
    pairs = zip(source.units, source.bounds, strict=True)
    return [bounds for (start, end), bounds in pairs if start < span[1] and end > span[0]]


def _is_whole(span: tuple[int, int], source: Source) -> bool:
    return any(start == span[0] and 0 <= end - span[1] <= 2 for start, end in source.units)


def _find_paraphrase(words: Sequence[Word], known: Set[int], source: Source) -> tuple[int, int, float]:
    """Return `(start, end, score)` of the best unit or pair of units; an empty span below the threshold.

    The words at the positions `known` are given by the passage's context, and need no support in its text.
    """
    forms = [_forms(word, source) for word in words]
    weights = [0.0 if index in known else _weight(words[index], forms[index], source) for index in range(len(words))]
    total = sum(weights)
    units = [reduce(or_, (source.units_of[form] for form in found), 0) for found in forms]
    held = [(weight / total, where) for weight, where in zip(weights, units, strict=True) if weight and where]
    best, missed = (0, 0, 0.0), 0.0
    for first, last in _windows(source, len(words)) if held else ():
        window = (1 << first) | (1 << last)
        share = min(1.0, sum(weight for weight, where in held if where & window))
        if share <= best[2] + (PAIR_GAIN if last > first else 0.0):
            continue
        if share >= THRESHOLD and _agrees(words, known, source.words[source.bounds[first][0] : source.bounds[last][1]]):
            best = (source.units[first][0], source.units[last][1], share)
        else:
            missed = max(missed, share)
    return best if best[2] else (0, 0, missed)


def _windows(source: Source, words: int) -> Iterator[tuple[int, int]]:
    """Yield `(first, last)` of every unit, then of the pairs of neighbours that are both shorter than the sentence.

    A sentence that is no longer than one of the two draws on one of them; the other would only lend it a missing word.
    """
    yield from ((index, index) for index in range(len(source.units)))
    lengths = [last - first for first, last in source.bounds]
    for index, pair in enumerate(pairwise(lengths)):
        if max(pair) < words:
            yield index, index + 1


def _weight(word: Word, forms: Iterable[str], source: Source) -> float:
    """Return how much a word says: rare in the passage, and long.

    Short words are mostly grammar, in every language with spaces; numbers and signs count in full.
    """
    spread = min((source.units_of[form].bit_count() for form in forms), default=1)
    rarity = math.log(1 + len(source.units) / max(1, spread))
    return rarity if word.number or is_unspaced(word.text) else rarity * min(1.0, len(word.text) / 6)


def _forms(word: Word, source: Source) -> frozenset[str]:
    """Return the words of the source that are forms of `word`."""
    if word.number:
        return frozenset(other.text for other in source.words if other.number & word.number)
    return frozenset(other for other in source.by_prefix.get(word.text[:4], ()) if alike(word.text, other))


def _agrees(words: Sequence[Word], known: Set[int], window: Sequence[Word]) -> bool:
    return negated(words) == negated(window) and all(
        any(_same_number(words, index, window, other) for other in range(len(window)))
        for index, word in enumerate(words)
        if word.number and index not in known
    )


def _same_number(words: Sequence[Word], index: int, window: Sequence[Word], other: int) -> bool:
    """Return whether the numbers are equal and count the same thing, as far as their neighbours tell.

    `5 bar` is not `5 psi` or `five months`, but `Article 6 is` goes with `Article 6 says`: the name before decides.
    """
    if not words[index].number & window[other].number:
        return False
    counted, there = _following(words, index), _following(window, other)
    if not counted or not there or alike(counted, there) or counted.startswith(there) or there.startswith(counted):
        return True
    if not index or not other:
        return False
    name, same = words[index - 1], window[other - 1]
    return name.capital and same.capital and alike(name.text, same.text)


def _following(words: Sequence[Word], index: int) -> str:
    """Return the word directly after a number (`bar`, `months`), else an empty string."""
    if index + 1 >= len(words) or words[index + 1].start - words[index].end > 1:
        return ""
    return "" if words[index + 1].number else words[index + 1].text
