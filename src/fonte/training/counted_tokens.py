"""Which tokens of a completion count: all, those after the thinking, or those of the answer's own words."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from fonte.citations import Marker, read_markers
from fonte.models.reply import TokenText
from fonte.training.reward_settings import Span

BoolArray = NDArray[np.bool_]
_BRACKET = re.compile(r"[ \t]*[\[【［〔(（][^\[\]【】［］〔〕()（）\n]*[\]】］〕)）]")
_TAGGED = re.compile(r"<answer>(.*?)(?:</answer>|$)", re.DOTALL)


def counted_tokens(
    token_ids: Sequence[int], decode: Callable[[Sequence[int]], str], span: Span, labels: Collection[str] = ()
) -> BoolArray:
    """Return bool [token]: which of the sampled `token_ids` the reward sums over and divides by.

    `full` counts all, the end token included. `after_thinking` begins after the last `</think>`; a thought that never
    ends leaves nothing. `answer` is, of that, what stands in `<answer>` tags where there are any, without markers of
    `labels` and without tokens that are no text (the end token). A token counts where any character of it does.
    """
    if span == "full":
        return np.ones(len(token_ids), dtype=np.bool_)
    pieces = _pieces(token_ids, decode)
    text = "".join(pieces)
    wanted = np.zeros(len(text), dtype=np.bool_)
    wanted[_after_thinking(text) :] = True
    if span == "answer":
        wanted &= _answer(text, labels)
    return _by_token(pieces, wanted, whole=span == "after_thinking")


def _pieces(token_ids: Sequence[int], decode: Callable[[Sequence[int]], str]) -> list[str]:
    reader = TokenText(decode)
    pieces = [reader.feed(token) for token in token_ids]
    return [*pieces[:-1], pieces[-1] + reader.finish()] if pieces else []


def _after_thinking(text: str) -> int:
    position = text.rfind("</think>")
    if position >= 0:
        return position + len("</think>")
    return len(text) if text.lstrip().startswith("<think>") else 0


def _answer(text: str, labels: Collection[str]) -> BoolArray:
    tagged = [match.span(1) for match in _TAGGED.finditer(text)]
    wanted = np.full(len(text), not tagged)
    for start, end in tagged[-1:]:
        wanted[start:end] = True
    known = frozenset(label.casefold() for label in labels)
    for match in _BRACKET.finditer(text):
        if any(isinstance(event, Marker) for event in read_markers(match[0], known)):
            wanted[match.start() : match.end()] = False
    return wanted


def _by_token(pieces: Sequence[str], wanted: BoolArray, *, whole: bool) -> BoolArray:
    """Return which tokens touch a wanted character; one without text of its own goes with what follows it.

    With `whole`, tokens at the end that are no text (the end token) count where the text before them does.
    """
    counted = np.zeros(len(pieces), dtype=np.bool_)
    position = 0
    waiting: list[int] = []
    for number, piece in enumerate(pieces):
        if not piece:
            waiting.append(number)
            continue
        counted[number] = wanted[position : position + len(piece)].any()
        counted[waiting] = counted[number]
        position += len(piece)
        waiting = []
    counted[waiting] = whole and bool(wanted[-1:].any())
    return counted
