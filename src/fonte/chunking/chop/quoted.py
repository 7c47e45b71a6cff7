"""Text of documents inside prompts: between marks that it cannot write itself, and shortened to a number of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable

from fonte.values import content_id

_WORD = re.compile(r"\S+")

CountTokens = Callable[[str], int]


def quoted(name: str, text: str) -> str:
    """Return `text` between `[name 3f2a91c0]` and `[/name 3f2a91c0]`, each on a line of its own.

    The mark is a hash of the text, so no text holds its own, and the same text always has the same one.
    """
    label = f"{name} {mark(text)}"
    return f"[{label}]\n{text.strip()}\n[/{label}]\n"


def mark(text: str) -> str:
    """Return 8 hexadecimal digits that stand for `text` and, being its hash, not in it."""
    return content_id("quoted", text)[:8]


def first_tokens(text: str, tokens: int | None, count: CountTokens) -> str:
    """Return the longest beginning of `text` of whole words with at most `tokens` tokens; None keeps all of it.

    A first word that alone has more (a script without spaces) is cut inside.
    """
    return text if tokens is None else text[: _fit(text, tokens, count, _ends(text), lambda end: text[:end])]


def last_tokens(text: str, tokens: int | None, count: CountTokens) -> str:
    """Return the longest end of `text` of whole words with at most `tokens` tokens; as `first_tokens`."""
    if tokens is None:
        return text
    kept = [len(text) - match.start() for match in _WORD.finditer(text)][::-1]
    return text[len(text) - _fit(text, tokens, count, kept, lambda size: text[len(text) - size :]) :]


def _ends(text: str) -> list[int]:
    return [match.end() for match in _WORD.finditer(text)]


def _fit(text: str, tokens: int, count: CountTokens, sizes: list[int], part: Callable[[int], str]) -> int:
    """Return the largest size whose part fits: of `sizes`, which ascend, or of any size if not one of them does."""
    if not sizes or count(part(len(text))) <= tokens:
        return len(text)
    fitting = _largest(sizes, lambda size: count(part(size)) <= tokens)
    return fitting or _largest(range(1, sizes[0] + 1), lambda size: count(part(size)) <= tokens)


def _largest(sizes: list[int] | range, fits: Callable[[int], bool]) -> int:
    """Return the last of ascending `sizes` that fits, by bisection; 0 where none does."""
    low, high = 0, len(sizes)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if fits(sizes[middle]) else (low, middle)
    return sizes[low - 1] if low else 0
