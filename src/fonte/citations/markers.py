"""Read citations in a stream: an automaton that takes one code point at a time, so that no split of the text matters.

What could become a marker is held back until it is decided, so a half marker is never shown; a bracket that ends
without being one, or the end of the stream, releases it as text. Work per code point is bounded: nothing is searched
in the whole text. Code (fenced or `inline`) is left alone; a Markdown link on a marker loses its target, since only
the labels of this question name sources.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from fonte.citations.brackets import Invented, Marker, read_bracket

OPENING = "[【［〔"
CLOSING = "]】］〕"
PARENTHESES = {"(": ")", "（": "）"}
HELD = 200  # code points of a bracket, an inline code or a link target that are held back at most
NESTED = 3  # `[[b4]]` is one marker; deeper nesting is text
PARENTHESIS_HELD = 24  # code points: room for five labels
_PUNCTUATION = frozenset(".,;:!?)]}»”’。，、；：！？）\n")
_SPACE = frozenset(" \t\u00a0\u202f\u3000")
_LINK_TARGET = re.compile(r"<?[^\s\[\]]+>?(?:\s+(?:\"[^\"]*\"|'[^']*'))?")

ReadEvent = str | Marker | Invented


class MarkerReader:
    """Turns the deltas of one answer into text (`str`), `Marker` and `Invented`, in order.

    Spaces before a removed attempt go with it where punctuation or a line end follows.
    """

    def __init__(self, labels: Collection[str]) -> None:
        self._labels = frozenset(label.casefold() for label in labels)
        self._events: list[ReadEvent] = []
        self._text: list[str] = []
        self._held: list[str] = []
        self._gap: list[str] = []
        self._last = ""
        self._line_is_blank = True
        self._after_removal = False
        self._found: tuple[Marker | Invented, ...] = ()
        self._depth = 0
        self._fence = ""
        self._run = 0
        self._state: Callable[[str], None] = self._in_text

    def feed(self, delta: str) -> list[ReadEvent]:
        """Return what is certain after `delta`."""
        for character in delta:
            self._state(character)
        return self._take()

    def finish(self) -> list[ReadEvent]:
        """Return what was still held back: a half marker becomes text."""
        while self._state != self._in_text:
            self._end()
        if not self._after_removal:
            self._show("")
        self._gap.clear()
        return self._take()

    def _take(self) -> list[ReadEvent]:
        self._close_text()
        events, self._events = self._events, []
        return events

    def _close_text(self) -> None:
        if self._text:
            self._events.append("".join(self._text))
            self._text.clear()

    def _show(self, text: str) -> None:
        shown = "".join(self._gap) + text
        self._gap.clear()
        self._after_removal = False
        if shown:
            self._text.append(shown)
            self._last = shown[-1]
            line = shown.rpartition("\n")[2]
            self._line_is_blank = (self._line_is_blank or "\n" in shown) and not line.strip()

    def _go(self, state: Callable[[str], None], held: str = "") -> None:
        self._state, self._held = state, list(held)

    def _release(self) -> None:
        """Show what was held back, as it is."""
        held = "".join(self._held)
        self._go(self._in_text)
        self._show(held)

    def _replay(self, literal: int) -> None:
        """Show the first `literal` code points that were held back, and read the others again."""
        held = self._held
        self._go(self._in_text)
        self._show("".join(held[:literal]))
        for character in held[literal:]:
            self._state(character)

    def _in_text(self, character: str) -> None:
        if self._after_removal and self._tidy(character):
            return
        if character in OPENING:
            self._depth = 1
            self._go(self._in_bracket, character)
        elif character in PARENTHESES:
            self._go(self._in_parenthesis, character)
        elif character in "`~":
            self._go(self._in_ticks, character)
        elif character == "\\":
            self._go(self._after_backslash, character)
        elif character in _SPACE:
            self._gap.append(character)
        else:
            self._show(character)

    def _tidy(self, character: str) -> bool:
        """Close the hole that a removed attempt leaves; return whether `character` goes with it."""
        if character in _SPACE:
            return bool(self._gap) or self._line_is_blank
        if character in _PUNCTUATION:
            while self._gap and self._gap[-1] in _SPACE:
                self._gap.pop()
        return False

    def _after_backslash(self, character: str) -> None:
        if character in "[":
            self._held.append(character)
            self._depth = 1
            self._state = self._in_bracket
        else:
            self._release()
            self._state(character)

    def _in_bracket(self, character: str) -> None:
        if character in CLOSING:
            self._held.append(character)
            self._close_bracket()
        elif character in OPENING and self._depth < NESTED and len("".join(self._held).strip()) == self._depth:
            self._depth += 1
            self._held.append(character)
        elif character in "\n`" or character in OPENING or character in PARENTHESES or self._is_too_long(character):
            self._release()
            self._state(character)
        else:
            self._held.append(character)

    def _is_too_long(self, character: str) -> bool:
        """A bracket of any length may still be a number, as long as digits follow digits."""
        return len(self._held) > HELD and not (character.isdecimal() and self._held[-1].isdecimal())

    def _close_bracket(self) -> None:
        content = "".join(self._held[:-1]).lstrip(" \t\\" + OPENING)
        identifier = not self._gap and (self._last == "_" or (self._last.isascii() and self._last.isalnum()))
        found = read_bracket(content, self._labels, identifier)
        if not found:
            self._release()
        elif self._depth == 1:
            self._cite(found)
        else:
            self._found = found
            self._run = 1
            self._state = self._after_inner_bracket

    def _after_inner_bracket(self, character: str) -> None:
        if character in CLOSING:
            self._run += 1
            if self._run == self._depth:
                self._cite(self._found)
        else:
            self._show_outer_brackets()
            self._state(character)

    def _show_outer_brackets(self) -> None:
        """`[[b4] text]`: only the inner bracket cites."""
        self._show("".join(character for character in self._held if character in OPENING)[: self._depth - self._run])
        self._cite(self._found)

    def _cite(self, found: Iterable[Marker | Invented]) -> None:
        valid = [item for item in found if isinstance(item, Marker)]
        invented = [item for item in found if isinstance(item, Invented)]
        if valid:
            self._show("")
            self._last, self._line_is_blank = "", False
        else:
            self._after_removal = True
        self._close_text()
        self._events += [*valid, *invented]
        self._go(self._after_marker)

    def _after_marker(self, character: str) -> None:
        if character == "(":
            self._depth = 1
            self._go(self._in_target, character)
        else:
            self._go(self._in_text)
            self._state(character)

    def _in_target(self, character: str) -> None:
        if character in "\n`[" or len(self._held) > HELD:
            self._replay(1)
            self._state(character)
            return
        self._held.append(character)
        self._depth += (character == "(") - (character == ")")
        if self._depth == 0:
            self._close_target()

    def _close_target(self) -> None:
        target = "".join(self._held[1:-1]).strip()
        found = read_bracket(target, self._labels)
        if any(isinstance(item, Marker) for item in found):
            self._cite(found)
        elif not target or _LINK_TARGET.fullmatch(target):
            self._go(self._in_text)
        else:
            self._replay(1)

    def _in_parenthesis(self, character: str) -> None:
        """`(b4)` cites if it holds labels of this question; every other parenthesis is text."""
        if character == PARENTHESES[self._held[0]]:
            found = read_bracket("".join(self._held[1:]), self._labels)
            if any(isinstance(item, Marker) for item in found):
                self._cite(found)
                return
        words = "".join(self._held[1:]).replace(",", " ").replace(";", " ")
        word = words[words.rfind(" ") + 1 :] + character
        if len(self._held) < PARENTHESIS_HELD and (character in " ,;" or (character.isalnum() and len(word) <= 2)):
            self._held.append(character)
        else:
            self._release()
            self._state(character)

    def _in_ticks(self, character: str) -> None:
        if character == self._held[0]:
            self._held.append(character)
        elif len(self._held) >= 3 and self._line_is_blank:
            self._fence = "".join(self._held)
            self._state = self._in_fence_line
            self._state(character)
        elif self._held[0] == "`":
            self._depth, self._run = len(self._held), 0
            self._state = self._in_code
            self._state(character)
        else:
            self._release()
            self._state(character)

    def _in_fence_line(self, character: str) -> None:
        """The line that opens a fence; a backtick in it means inline code after all."""
        if character == "`" and self._fence[0] == "`":
            self._depth, self._run = len(self._fence), 0
            self._state = self._in_code
            self._state(character)
        elif character == "\n" or len(self._held) > HELD:
            self._release()
            self._state = self._in_fence
            self._state(character)
        else:
            self._held.append(character)

    def _in_fence(self, character: str) -> None:
        """Lines of code, until one begins with at least as many ticks as opened the fence."""
        if character == self._fence[0] and (self._line_is_blank or self._run):
            self._run += 1
        elif self._run >= len(self._fence):
            self._run = 0
            self._go(self._in_text)
            self._state(character)
            return
        else:
            self._run = 0
        self._show(character)

    def _in_code(self, character: str) -> None:
        """Inline code ends with as many ticks as began it, on the same line; else the first ticks were text."""
        if character == "`":
            self._run += 1
        elif self._run == self._depth:
            self._release()
            self._state(character)
            return
        elif character == "\n" or len(self._held) > HELD + self._depth:
            self._replay(self._depth)
            self._state(character)
            return
        else:
            self._run = 0
        self._held.append(character)

    def _end(self) -> None:
        """Decide what is held back at the end of the stream."""
        if self._state == self._after_marker:
            self._go(self._in_text)
        elif self._state == self._after_inner_bracket:
            self._show_outer_brackets()
        elif self._state == self._in_target or (self._state == self._in_code and self._run != self._depth):
            self._replay(1 if self._state == self._in_target else self._depth)
        else:
            self._release()


def read_markers(text: str, labels: Collection[str]) -> list[ReadEvent]:
    """Return what a whole answer holds: the batch form of `MarkerReader`, with neighbouring texts joined."""
    reader = MarkerReader(labels)
    events: list[ReadEvent] = []
    for event in (*reader.feed(text), *reader.finish()):
        if isinstance(event, str) and events and isinstance(events[-1], str):
            events[-1] += event
        else:
            events.append(event)
    return events
