"""What of a long premise a model reads: the sentences that have to do with the claim, in windows that fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from fonte.chunking.sentences import sentences
from fonte.citations.words import read_words

Offsets = Callable[[str], Sequence[tuple[int, int]]]
"""Where each token of a text lies, in code points."""

NEIGHBOURS = 1
"""Sentences on either side of one that shares a word with the claim; pronouns reach about that far."""
_LETTERS = 4
# English words of four letters and more that any text holds. Other languages' are as short, or tell less harm: a word
# too many only lets a sentence through that could have been left out.
_GRAMMAR = """
about after also although among because been before being between both could does doing down during each even
ever every from further have having here however into just like made make many more most much must only other
others over same should since some such than that their theirs them then there therefore these they this those
though through thus under until upon very were what when where whether which while whom whose will with within
without would your yours according including often several used using well
"""
_GRAMMAR_WORDS = frozenset(_GRAMMAR.split())
_BREAK = re.compile(r"\n\s*\n")


def relevant_text(premise: str, claim: str) -> str:
    """Return the sentences of `premise` that share a word with `claim`, with their neighbours, in order.

    Words of fewer than four letters and English grammar words do not count, numbers and signs of scripts without
    spaces do. So a passage that has nothing to do with the claim, or padding, changes nothing of what the model reads.
    Neighbours are sought within a paragraph only. A premise that shares no word at all is returned whole.
    """
    wanted = content_words(claim)
    kept = [text for paragraph in _BREAK.split(premise) if (text := _relevant(paragraph, wanted))]
    return "\n\n".join(kept) or " ".join(premise.split())


def text_windows(text: str, tokens: int, offsets: Offsets) -> list[str]:
    """Return the texts of `window_spans`."""
    return [text[start:end] for start, end in window_spans(text, tokens, offsets)]


def window_spans(text: str, tokens: int, offsets: Offsets) -> list[tuple[int, int]]:
    """Cut `text` into windows of at most `tokens` tokens that begin with a sentence; one that fits is one window.

    Neighbouring windows share up to a quarter, in whole sentences. A sentence that is longer than a window is cut
    between tokens. Spans are in code points, in order, and together hold every token.
    """
    places = offsets(text)
    if len(places) <= tokens:
        return [(0, len(text))]
    pieces = _pieces(text, places, tokens)
    windows: list[tuple[int, int]] = []
    first = 0
    while first < len(pieces):
        last = first
        while last + 1 < len(pieces) and pieces[last + 1][3] - pieces[first][2] <= tokens:
            last += 1
        windows.append((pieces[first][0], pieces[last][1]))
        if last + 1 == len(pieces):
            break
        first = _next_start(pieces, first, last, tokens)
    return windows


Piece = tuple[int, int, int, int]
"""(start, end) in code points and (first, end) in tokens."""


def _pieces(text: str, places: Sequence[tuple[int, int]], tokens: int) -> list[Piece]:
    pieces: list[Piece] = []
    token = 0
    for _, end in sentences(text):
        first = token
        while token < len(places) and places[token][0] < end:
            token += 1
        for start in range(first, token, tokens):
            stop = min(start + tokens, token)
            pieces.append((places[start][0], places[stop - 1][1], start, stop))
    return pieces


def _next_start(pieces: Sequence[Piece], first: int, last: int, tokens: int) -> int:
    """Return the piece that the next window begins with: it shares a quarter at most, and brings a new piece."""
    start = last + 1
    while start - 1 > first:
        shared, reach = pieces[last][3] - pieces[start - 1][2], pieces[last + 1][3] - pieces[start - 1][2]
        if shared > tokens // 4 or reach > tokens:
            break
        start -= 1
    return start


def _relevant(paragraph: str, wanted: frozenset[str]) -> str:
    spans = sentences(paragraph)
    hits = [index for index, (start, end) in enumerate(spans) if content_words(paragraph[start:end]) & wanted]
    near = {index + step for index in hits for step in range(-NEIGHBOURS, NEIGHBOURS + 1)}
    return " ".join(" ".join(paragraph[start:end].split()) for i, (start, end) in enumerate(spans) if i in near)


def content_words(text: str) -> frozenset[str]:
    """Return what a text's words are known by: their first four letters, so that forms of a word agree."""
    return frozenset(
        word.text if word.number else word.text[:_LETTERS]
        for word in read_words(text)
        if (word.number or len(word.text) >= _LETTERS or not word.text.isascii()) and word.text not in _GRAMMAR_WORDS
    )
