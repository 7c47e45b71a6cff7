"""Where the tokens of a whole document begin, whatever its length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fonte.chunking.graphemes import cut_near

PIECE = 1 << 16  # code points that are tokenised at once
LONGEST_TOKEN = 32  # code points; a longer stretch without a token counts as several


class Tokenizer(Protocol):
    """The part of an embedder that finds tokens."""

    def token_offsets(self, text: str) -> NDArray[np.integer]:
        """Return `[token, 2]`: where each token of `text` begins and ends, in code points, without special tokens."""


class TokenGrid:
    """The offsets at which the tokens of `text` begin, so that spans can be measured without tokenising them again.

    A long text is tokenised in pieces that are cut at white space. A word that the tokenizer does not know, or a long
    run of white space, may be one token or none however long it is; such a stretch counts as one token per 32 code
    points, so that a number of tokens also bounds the number of characters. Counts of spans can differ by a little
    from those of the same text alone (a token at the seam), so what must fit is measured again.
    """

    def __init__(self, text: str, tokenizer: Tokenizer) -> None:
        """Tokenise `text`: time and memory grow linearly, with four bytes kept per token."""
        self.text = text
        parts = [_starts(text, start, end, tokenizer) for start, end in _pieces(text)]
        starts = np.concatenate(parts) if parts else np.empty(0, np.int32)
        self._starts = _fill(np.maximum.accumulate(starts), len(text))

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self._starts)

    def index(self, offset: int) -> int:
        """Return how many tokens begin before `offset`."""
        # The same type as the array: numpy would otherwise copy all of it, for each call.
        return int(np.searchsorted(self._starts, np.int32(offset)))

    def indices(self, offsets: NDArray[np.integer]) -> NDArray[np.intp]:
        """Return how many tokens begin before each of `offsets`."""
        return np.searchsorted(self._starts, offsets.astype(np.int32))

    def count(self, start: int, end: int) -> int:
        """Return how many tokens begin in `text[start:end]`."""
        return self.index(end) - self.index(start)

    def offset(self, index: int) -> int:
        """Return where token `index` begins; the length of the text for an index past the last token."""
        return int(self._starts[index]) if index < len(self._starts) else len(self.text)

    def fit(self, start: int, end: int, tokens: int) -> int:
        """Return the end of the longest beginning of `text[start:end]` that has at most `tokens` tokens.

        The cut is moved back to the edge of a word or of a grapheme cluster where one is near; it is always above
        `start`.
        """
        limit = self.offset(self.index(start) + max(tokens, 1))
        if limit >= end:
            return end
        return cut_near(self.text, start, max(limit, start + 1))


def _starts(text: str, start: int, end: int, tokenizer: Tokenizer) -> NDArray[np.int32]:
    offsets = np.asarray(tokenizer.token_offsets(text[start:end]), dtype=np.int64).reshape(-1, 2)
    return (offsets[:, 0] + start).astype(np.int32)


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = _seam(text, start, start + PIECE)
        yield start, end
        start = end


def _seam(text: str, start: int, end: int) -> int:
    """Return where to end a piece: after the last line break or space of its second half, else near `end`."""
    if end >= len(text):
        return len(text)
    for separator in ("\n", " "):
        found = text.rfind(separator, start + PIECE // 2, end)
        if found >= 0:
            return found + 1
    return cut_near(text, start, end)


def _fill(starts: NDArray[np.int32], length: int) -> NDArray[np.int32]:
    """Add a start every `LONGEST_TOKEN` code points inside stretches where no token begins."""
    edges = np.concatenate((np.zeros(1, np.int32), starts, np.full(1, length, np.int32)))
    missing = np.maximum(np.diff(edges) - 1, 0) // LONGEST_TOKEN
    if not missing.any():
        return starts
    before = np.repeat(edges[:-1], missing)
    first = np.repeat(np.cumsum(missing) - missing, missing)
    added = before + LONGEST_TOKEN * (np.arange(len(before)) - first + 1)
    return np.sort(np.concatenate((starts, added.astype(np.int32))))
