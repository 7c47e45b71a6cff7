"""Who uses a model now: who is urgent comes before who is patient, also before one who has begun."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """A lock with two ranks. Who is patient holds it between `pause`s only, so that nobody urgent waits for the end."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._held = False
        self._urgent_waiting = 0

    @contextmanager
    def urgent(self) -> Iterator[None]:
        """Hold the model (for an answer, a question) as soon as whoever has it lets go."""
        with self._changed:
            self._urgent_waiting += 1
            self._changed.wait_for(lambda: not self._held)
            self._urgent_waiting -= 1
            self._held = True
        try:
            yield
        finally:
            self._let_go()

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Hold the model (for a measurement, documents) once nobody urgent waits for it."""
        self._take_last()
        try:
            yield
        finally:
            self._let_go()

    def pause(self) -> None:
        """Let the urgent that wait go first; only for who holds it as `patient`."""
        if self._urgent_waiting:
            self._let_go()
            self._take_last()

    def _take_last(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._held and not self._urgent_waiting)
            self._held = True

    def _let_go(self) -> None:
        with self._changed:
            self._held = False
            self._changed.notify_all()
