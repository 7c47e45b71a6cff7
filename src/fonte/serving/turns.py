"""Who uses a model now: answers come before measurements, also before one that has begun."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """A lock with two ranks. A measurement holds it between `pause`s only, so that no answer waits for its end."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._held = False
        self._answers_waiting = 0

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Hold the model for an answer, as soon as whoever has it lets go."""
        with self._changed:
            self._answers_waiting += 1
            self._changed.wait_for(lambda: not self._held)
            self._answers_waiting -= 1
            self._held = True
        try:
            yield
        finally:
            self._let_go()

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """Hold the model for a measurement, once no answer waits for it."""
        self._take_last()
        try:
            yield
        finally:
            self._let_go()

    def pause(self) -> None:
        """Let the answers that wait go first; only for who is `measuring`."""
        if self._answers_waiting:
            self._let_go()
            self._take_last()

    def _take_last(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._held and not self._answers_waiting)
            self._held = True

    def _let_go(self) -> None:
        with self._changed:
            self._held = False
            self._changed.notify_all()
