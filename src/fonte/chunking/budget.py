"""How many tokens a chunk's text may have beside what goes before it, and the check that it kept to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fonte.chunking.outline import Context
from fonte.chunking.text import embedded_text
from fonte.chunking.tokens import TokenGrid
from fonte.errors import ChunkingError
from fonte.settings import ChunkingSettings
from fonte.values import Chunk

TEXTS_AT_ONCE = 256
SMALLEST_ROOM = 4  # tokens of text that must fit beside context and reserve


class Embedder(Protocol):
    """What chunking needs of an embedder; `fonte.models.embedder.Embedder` is one."""

    @property
    def fingerprint(self) -> str:
        """What changes when tokens or vectors would."""

    @property
    def window(self) -> int:
        """Tokens that one text may have, special tokens included."""

    @property
    def special_tokens(self) -> int:
        """Special tokens that are added to each text."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, without special ones."""

    def token_offsets(self, text: str) -> NDArray[np.integer]:
        """Return `[token, 2]` in code points, without special tokens."""

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return `[text, dimension]`, unit length."""


class Budget:
    """Tokens for chunks under one embedder and one setting.

    `capacity` = window - special tokens - `reserve`, where `reserve` is kept free for a signature that is added
    later. Of it the context takes at most a third (it is shortened to that); the text gets what is left, and no more
    than `settings.tokens`. Where a tokenizer adds tokens at seams, two tokens stay free.
    """

    def __init__(self, settings: ChunkingSettings, embedder: Embedder, reserve: int = 0) -> None:
        """Check that the settings can be met; `ChunkingError` with the numbers and the remedy where they cannot."""
        self.embedder = embedder
        self.settings = settings
        self.capacity = embedder.window - embedder.special_tokens - reserve
        self._context_limit = max(self.capacity // 3, 1) if settings.context else 0
        self._slack = 2 * int(embedder.count_tokens(["word\nword"])[0] > 2 * embedder.count_tokens(["word"])[0])
        self._tokens: dict[str, int] = {}
        self._shortened: dict[Context, Context] = {}
        self._check(reserve)

    @property
    def smallest_room(self) -> int:
        """Tokens of text that fit whatever the context."""
        return self._beside(self._context_limit)

    def room(self, context: Context) -> int:
        """Return how many tokens of text fit beside `context`, or beside any outer part of its heading path."""
        if not self.settings.context:
            return self._beside(0)
        outer = (Context(context.title, context.heading[:n], context.header) for n in range(len(context.heading) + 1))
        return self._beside(max(self._context_tokens(self.shorten(each)) for each in outer))

    def shorten(self, context: Context) -> Context:
        """Return `context` in at most a third of the capacity.

        Given up in this order: headings from the outermost inwards (the innermost says most), the end of the header
        row, the end of the title and of the innermost heading. Without `settings.context` nothing is left.
        """
        if not self.settings.context:
            return Context()
        if context not in self._shortened:
            self._shortened[context] = self._shorten(context)
        return self._shortened[context]

    def too_long(self, chunks: Sequence[Chunk]) -> list[bool]:
        """Say for each chunk whether its embedded text or its own text breaks the budget, by counting anew."""
        counts = self.counts([embedded_text(chunk) for chunk in chunks])
        over = [count > self.capacity for count in counts]
        limit = self.settings.tokens
        if limit is None:
            return over
        # Where all of it is no longer than the limit, the text alone is not either.
        longer = [index for index, count in enumerate(counts) if count > limit and not over[index]]
        for index, count in zip(longer, self.counts([chunks[i].text for i in longer]), strict=True):
            over[index] = count > limit
        return over

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, a few texts at a time: tokenizers keep all of a batch in memory."""
        batches = (texts[first : first + TEXTS_AT_ONCE] for first in range(0, len(texts), TEXTS_AT_ONCE))
        return [count for batch in batches for count in self.embedder.count_tokens(batch)]

    def grid(self, text: str) -> TokenGrid:
        """Return the tokens of `text`."""
        return TokenGrid(text, self.embedder)

    def _beside(self, context_tokens: int) -> int:
        room = self.capacity - context_tokens
        return min(room, self.settings.tokens or room) - self._slack

    def _context_tokens(self, context: Context) -> int:
        return self._count(embedded_text(_bare(context)))

    def _count(self, text: str) -> int:
        if text not in self._tokens:
            self._tokens[text] = self.embedder.count_tokens([text])[0]
        return self._tokens[text]

    def _fits(self, context: Context) -> bool:
        return self._context_tokens(context) <= self._context_limit

    def _shorten(self, context: Context) -> Context:
        title, heading, header = context.title, context.heading, context.header
        while len(heading) > 1 and not self._fits(Context(title, heading, header)):
            heading = heading[1:]
        if self._fits(Context(title, heading, header)):
            return Context(title, heading, header)
        half = self._context_limit // 2
        title, heading = self._clip(title, half), tuple(self._clip(entry, half - 1) for entry in heading)
        used = self._context_tokens(Context(title, heading))
        header = self._clip(header, self._context_limit - used - 1)
        for shorter in (Context(title, heading, header), Context(title, heading), Context(title), Context()):
            if self._fits(shorter):
                return shorter
        return Context()

    def _clip(self, line: str, tokens: int) -> str:
        if tokens < 1:
            return ""
        line = " ".join(line.split())
        return line if self._count(line) <= tokens else line[: self.grid(line).fit(0, len(line), tokens)].rstrip(" |")

    def _check(self, reserve: int) -> None:
        window, special, tokens = self.embedder.window, self.embedder.special_tokens, self.settings.tokens
        kept = f"{special} special tokens" + (f" and {reserve} for the signature" if reserve else "")
        left = max(self.capacity, 0)
        if tokens is not None and tokens > self.capacity:
            needed = tokens + special + reserve
            raise ChunkingError(
                f"chunking.tokens = {tokens} does not fit the embedder's window of {window} tokens, of which {kept} "
                f"are taken: {left} are left, and nothing is cut silently. Set chunking.tokens = {left} or less; or, "
                f"where the model reads that far, set embedder.window = {_round_up(needed)} ({needed} are needed)."
            )
        if self.smallest_room < SMALLEST_ROOM:
            raise ChunkingError(
                f"The embedder's window of {window} tokens leaves {max(self.smallest_room, 0)} for a chunk's text "
                f"beside {kept} and at most {self._context_limit} of context. Set a larger embedder.window, or "
                "chunking.context = false."
            )


def _bare(context: Context) -> Chunk:
    return Chunk("", "", "", 0, 0, 0, "", context.title, context.heading, context.header)


def _round_up(tokens: int) -> int:
    """Return the next multiple of 256: windows come in such sizes."""
    return -(-tokens // 256) * 256
