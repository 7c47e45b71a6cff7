"""Windows of a fixed number of tokens with overlap: CHOP's baseline Native-500T with 500 and 100."""

from __future__ import annotations

from collections.abc import Iterator

from fonte.chunking.budget import Budget
from fonte.chunking.graphemes import cut_near
from fonte.chunking.outline import Outline
from fonte.chunking.sentences import Span, skip_space, strip_span
from fonte.chunking.tokens import TokenGrid
from fonte.errors import ChunkingError
from fonte.values import Document


def fixed_spans(document: Document, budget: Budget) -> Iterator[Span]:
    """Yield windows of as many tokens as the budget leaves, each beginning `overlap` tokens before the last one's end.

    Cuts move back to the edge of a word where one is near, so a window may be a few tokens shorter than the setting.
    """
    text, outline, grid = document.text, Outline(document), budget.grid(document.text)
    start, length = strip_span(text, 0, len(text))
    end = start
    while end < length:
        window = _window(start, length, outline, grid, budget)
        if window <= end:  # what is repeated leaves no room for anything new
            start = skip_space(text, end, length)
            window = _window(start, length, outline, grid, budget)
        end = strip_span(text, start, window)[1]
        yield start, end
        repeated = max(grid.index(end) - budget.settings.overlap, 0)
        start = cut_near(text, start, max(grid.offset(repeated), start + 1))


def _window(start: int, length: int, outline: Outline, grid: TokenGrid, budget: Budget) -> int:
    """Return the end of the window that begins at `start`."""
    end = grid.fit(start, length, budget.room(outline.context(start, start + 1)))
    # A table row further down may bring its header row.
    return min(end, grid.fit(start, length, budget.room(outline.context(start, end))))


def check_overlap(budget: Budget) -> None:
    """Raise `ChunkingError` where the overlap could swallow a window."""
    overlap, room = budget.settings.overlap, budget.smallest_room
    if overlap >= room:
        raise ChunkingError(
            f"chunking.overlap = {overlap} must be smaller than the text of a window, which may be as short as {room} "
            f"tokens (embedder.window = {budget.embedder.window}, chunking.tokens = {budget.settings.tokens}, context "
            f"{'on' if budget.settings.context else 'off'}). Set a smaller overlap or a larger window."
        )
