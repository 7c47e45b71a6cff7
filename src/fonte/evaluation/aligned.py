"""Where in documents the sentences of an answer come from: by the words that they share, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from fonte.chunking import sentences
from fonte.measures import answer_words

LONGEST_WINDOW = 2  # sentences
FEWEST_WORDS = 3  # a shorter sentence ("Yes.") stands anywhere


class HasText(Protocol):
    """A document, as far as this needs one."""

    @property
    def text(self) -> str:
        """Its text."""


D = TypeVar("D", bound=HasText)


@dataclass(frozen=True)
class _Window:
    source: int
    span: tuple[int, int]
    words: list[str]
    counts: Counter[str]


def best_alignment(answer: str, sources: Sequence[D], least: float) -> list[tuple[D, tuple[int, int]]]:
    r"""Return, for each sentence of `answer`, the best window of `sources`: (source, span in code points).

    A window is one or two sentences. Its worth is $|LCS(s, w)| / |s|$ in words (case, articles and typography do not
    count); the best one is taken if it reaches `least`, the shorter and then the earlier one of equals. Sentences of
    fewer than `FEWEST_WORDS` words are not looked for; no answer and no sources give [].
    """
    windows = [window for number, source in enumerate(sources) for window in _windows(number, source.text)]
    said = [answer_words(answer[start:end]) for start, end in sentences(answer)]
    found = [_best(words, windows, least) for words in said if len(words) >= FEWEST_WORDS]
    return [(sources[window.source], window.span) for window in found if window is not None]


def _windows(source: int, text: str) -> list[_Window]:
    spans = sentences(text)
    words = [answer_words(text[start:end]) for start, end in spans]
    found = []
    for first in range(len(spans)):
        for last in range(first, min(first + LONGEST_WINDOW, len(spans))):
            joined = [word for each in words[first : last + 1] for word in each]
            found.append(_Window(source, (spans[first][0], spans[last][1]), joined, Counter(joined)))
    return found


def _best(words: list[str], windows: Sequence[_Window], least: float) -> _Window | None:
    """Return the best window: those that share most words first, until no other one can be better."""
    counts = Counter(words)
    shared = [sum((counts & window.counts).values()) for window in windows]
    best: tuple[tuple[int, int, int], _Window] | None = None
    for number in sorted(range(len(windows)), key=lambda one: -shared[one]):
        # What is shared in order is never more than what is shared.
        if shared[number] < least * len(words) or (best and shared[number] < best[0][0]):
            break
        window = windows[number]
        rank = (common_subsequence(words, window.words), -len(window.words), -number)
        if rank[0] >= least * len(words) and (best is None or rank > best[0]):
            best = rank, window
    return best[1] if best else None


def common_subsequence(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence; time grows with the product of the lengths."""
    row = [0] * (len(other) + 1)
    for left in one:
        diagonal = 0
        for at, right in enumerate(other, start=1):
            above = row[at]
            row[at] = diagonal + 1 if left == right else max(above, row[at - 1])
            diagonal = above
    return row[-1]
