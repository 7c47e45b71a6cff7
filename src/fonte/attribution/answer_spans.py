"""The answer as it is scored: without its markers, as tokens, with the tokens of each sentence.

A marker names a passage, so it becomes unlikely when that passage goes, whatever the sentence says. Effects are
therefore measured on the words alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from fonte.chunking import sentences
from fonte.values import Citation

Span = tuple[int, int]


class Tokenizer(Protocol):
    """The part of a local language model that turns text into tokens."""

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the token ids of `text` without special tokens."""
        ...


@dataclass(frozen=True)
class ScoredAnswer:
    """`token_ids` are those of the answer without markers.

    `sentences[i]` is a sentence of the displayed answer (code points, end exclusive), `tokens[i]` its token range.
    """

    token_ids: tuple[int, ...]
    sentences: tuple[Span, ...]
    tokens: tuple[Span, ...]

    @property
    def whole(self) -> Span:
        """The token range of the whole answer."""
        return 0, len(self.token_ids)

    def tokens_of(self, start: int, end: int) -> Span:
        """Return the token range of the sentences that a span of the displayed answer touches; (0, 0) for none."""
        touched = [
            tokens
            for (first, last), tokens in zip(self.sentences, self.tokens, strict=True)
            if first < end and start < last
        ]
        return (touched[0][0], touched[-1][1]) if touched else (0, 0)


def scored_answer(text: str, citations: Sequence[Citation], tokenizer: Tokenizer) -> ScoredAnswer:
    """Take the markers out of the displayed answer `text` and tokenise it sentence by sentence.

    A sentence begins with the white space before it, as it would in the model's own output. An answer without a
    letter or digit has no tokens.
    """
    markers = sorted({(citation.marker_start, citation.marker_end) for citation in citations})
    blank = "".join(
        " " if any(start <= position < end for start, end in markers) else character
        for position, character in enumerate(text)
    )
    spans = sentences(blank)
    ids: list[int] = []
    ranges: list[Span] = []
    for number, (start, end) in enumerate(spans):
        gap = "" if number == 0 else ("\n" if "\n" in text[spans[number - 1][1] : start] else " ")
        before = len(ids)
        ids += tokenizer.encode(gap + " ".join(blank[start:end].split()))
        ranges.append((before, len(ids)))
    return ScoredAnswer(tuple(ids), tuple(spans), tuple(ranges))
