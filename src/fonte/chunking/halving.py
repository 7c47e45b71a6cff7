"""The last resort that makes every chunk fit: halve what is too long."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fonte.chunking.graphemes import breaks_between
from fonte.chunking.sentences import Span, sentences, strip_span
from fonte.errors import ChunkingError


def split_until_fits(text: str, spans: Sequence[Span], too_long: Callable[[list[Span]], list[bool]]) -> list[Span]:
    """Return `spans` with those that are `too_long` halved until none is; blank halves vanish.

    Halves are cut at the sentence, line, word or grapheme cluster nearest the middle. Errors: `ChunkingError` where a
    single character is too long.
    """
    kept: list[Span] = []
    pending = list(spans)
    while pending:
        halves: list[Span] = []
        for span, over in zip(pending, too_long(pending), strict=True):
            if not over:
                kept.append(span)
                continue
            middle = _middle(text, *span)
            halves += [
                half
                for half in (strip_span(text, span[0], middle), strip_span(text, middle, span[1]))
                if half[0] < half[1]
            ]
        pending = halves
    return list(_without_contained(kept))


def _without_contained(spans: list[Span]) -> Iterator[Span]:
    """Yield the spans in order without those inside another: halves of windows that overlap."""
    covered = -1
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end > covered:
            yield start, end
            covered = end


def _middle(text: str, start: int, end: int) -> int:
    if end - start < 2:
        raise ChunkingError(
            f"The character {text[start:end]!r} at offset {start} alone exceeds the embedder's window. "
            "Use an embedder with a larger window."
        )
    middle, quarter = (start + end) // 2, (end - start) // 4
    edges = [sentence_end + start for _, sentence_end in sentences(text[start:end])[:-1]]
    near = min(edges, key=lambda edge: abs(edge - middle), default=start)
    if abs(near - middle) <= quarter:
        return near
    around = range(max(middle - quarter, middle - 400, start + 1), min(middle + quarter, middle + 400) + 1)
    for edges in (_spaces(text, around), _clusters(text, around)):
        if edges:
            return min(edges, key=lambda edge: abs(edge - middle))
    return middle


def _spaces(text: str, offsets: range) -> list[int]:
    return [offset for offset in offsets if text[offset].isspace()]


def _clusters(text: str, offsets: range) -> list[int]:
    return [offset for offset in offsets if breaks_between(text, offset)]
