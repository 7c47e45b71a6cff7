"""From token ids to what a reader may see: whole characters, thinking kept apart, stop strings held back."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

OPENING = re.compile(r"\s*<(think|thinking|thought|reasoning)>")
OPENINGS = ("<think>", "<thinking>", "<thought>", "<reasoning>")


class TokenText:
    """Decodes ids one by one into text whose pieces join to the decoding of all ids.

    A character whose bytes are spread over several tokens is held until it is whole. Text comes from the ids since the
    last whole piece, decoded together with the piece before them, because some tokenizers treat the beginning of a
    text differently.
    """

    def __init__(self, decode: Callable[[Sequence[int]], str]) -> None:
        self._decode = decode
        self._before: list[int] = []
        self._pending: list[int] = []

    def feed(self, token: int) -> str:
        """Add one id; return the text that became whole."""
        self._pending.append(token)
        text = self._text()
        return "" if text.endswith("\ufffd") else self._take(text)

    def finish(self) -> str:
        """Return what is left, with U+FFFD for bytes that form no character."""
        return self._take(self._text()) if self._pending else ""

    def _text(self) -> str:
        return self._decode([*self._before, *self._pending])[len(self._decode(self._before)) :]

    def _take(self, text: str) -> str:
        if text:
            self._before, self._pending = self._pending, []
        return text


@dataclass(frozen=True, slots=True)
class Piece:
    """Text that is now certain: part of the answer, or of the thinking before it."""

    text: str = ""
    thinking: str = ""


class Thinking:
    """Splits `<think>…</think>` at the beginning of an answer from the answer itself.

    Only at the beginning: a tag further on is text, so that a source that mentions one hides nothing. Where the prompt
    already opened the tag (`open_tag`), the answer begins inside. White space after a closing tag is dropped.
    """

    def __init__(self, open_tag: str = "") -> None:
        self._held = ""
        self._tag = open_tag
        self._state = "thinking" if open_tag else "start"

    def feed(self, text: str) -> Piece:
        """Add text; return what is certain by now."""
        self._held += text
        thinking = ""
        while self._state != "text":
            before = (self._state, len(self._held))
            thinking += self._advance()
            if (self._state, len(self._held)) == before:
                return Piece("", thinking)
        ready, self._held = self._held, ""
        return Piece(ready, thinking)

    def finish(self) -> Piece:
        """Return what was held back: an unfinished thought is thinking, anything else is text."""
        held, self._held = self._held, ""
        return Piece("", held) if self._state == "thinking" else Piece(held if self._state == "start" else "", "")

    def _advance(self) -> str:
        if self._state == "start":
            self._open()
        elif self._state == "thinking":
            return self._close()
        elif self._held.strip():  # after a closing tag: another one may open
            self._held = self._held.lstrip()
            self._open()
        return ""

    def _open(self) -> None:
        if opening := OPENING.match(self._held):
            self._tag, self._held, self._state = opening[1], self._held[opening.end() :], "thinking"
        elif not any(tag.startswith(self._held.lstrip()) for tag in OPENINGS):
            self._state = "text"

    def _close(self) -> str:
        closing = f"</{self._tag}>"
        position = self._held.find(closing)
        if position >= 0:
            thought, self._held = self._held[:position], self._held[position + len(closing) :]
            self._state = "after"
            return thought
        keep = _overlap(self._held, closing)
        thought, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return thought


class StopStrings:
    """Ends the text before the first stop string; what could still become one is held back."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = [stop for stop in stops if stop]
        self._held = ""
        self.reached = False

    def feed(self, text: str) -> str:
        """Add text; return what is certain by now. After a stop string nothing more comes."""
        if self.reached:
            return ""
        self._held += text
        found = [position for stop in self._stops if (position := self._held.find(stop)) >= 0]
        if found:
            ready, self._held, self.reached = self._held[: min(found)], "", True
            return ready
        keep = max((_overlap(self._held, stop) for stop in self._stops), default=0)
        ready, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return ready

    def finish(self) -> str:
        """Return what was held back."""
        held, self._held = self._held, ""
        return held


class ReplyReader:
    """All of it in one: raw text in, `Piece`s out; the same pieces whether the text came whole or in bits."""

    def __init__(self, stops: Sequence[str] = (), open_tag: str = "", thinks: bool = True) -> None:
        self._thinking = Thinking(open_tag) if thinks else None
        self._stops = StopStrings(stops)

    @property
    def stopped(self) -> bool:
        """Whether a stop string ended the text."""
        return self._stops.reached

    def feed(self, text: str) -> Piece:
        """Add raw text; return what is certain by now."""
        piece = self._thinking.feed(text) if self._thinking else Piece(text)
        return Piece(self._stops.feed(piece.text), piece.thinking)

    def finish(self) -> Piece:
        """Return what was held back."""
        piece = self._thinking.finish() if self._thinking else Piece()
        return Piece(self._stops.feed(piece.text) + self._stops.finish(), piece.thinking)


def _overlap(text: str, mark: str) -> int:
    """Return the length of the longest end of `text` that is a proper beginning of `mark`."""
    longest = min(len(text), len(mark) - 1)
    return next((length for length in range(longest, 0, -1) if text.endswith(mark[:length])), 0)
