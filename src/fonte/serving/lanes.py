"""Threads for one kind of work with a bounded number of places: a request waits its turn, or is told when to return."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import TypeVar

from fonte.errors import FonteError

T = TypeVar("T")

# What one piece of work is taken to last before any was done, in seconds.
_FIRST_GUESS = 1.0
_WEIGHT_OF_LAST = 0.2


class BusyError(FonteError):
    """Too many requests wait already; `retry_after` is in whole seconds."""

    exit_code = 3

    def __init__(self, name: str, retry_after: int) -> None:
        super().__init__(f"Too many requests wait for {name} already. Ask again in {retry_after} seconds.")
        self.retry_after = retry_after


class Lane:
    """`threads` threads that do one kind of work in order of arrival; places for `threads + queue` requests."""

    def __init__(self, name: str, threads: int, queue: int) -> None:
        self.name = name
        self._places = threads + queue
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"fonte-{name}")
        self._lock = threading.Lock()
        self._taken = 0
        self._running = 0
        self._seconds = _FIRST_GUESS

    @property
    def waiting(self) -> int:
        """How many requests have a place and are not being worked on."""
        return max(0, self._taken - self._running)

    @property
    def running(self) -> int:
        """How many threads work."""
        return self._running

    def enter(self) -> Place:
        """Take a place, to be left when the request is done. Errors: `BusyError` where none is free."""
        with self._lock:
            if self._taken >= self._places:
                raise BusyError(self.name, max(1, math.ceil(self._seconds * self._taken / self._threads)))
            self._taken += 1
        return Place(self)

    async def run(self, work: Callable[[], T]) -> T:
        """Do `work` in one of the threads; a caller that is cancelled takes it out of the queue again."""
        with self.enter() as place:
            return await place.run(work)

    def close(self) -> None:
        """Begin nothing more; what runs is not interrupted."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _submit(self, work: Callable[[], T]) -> Future[T]:
        return self._pool.submit(self._timed, work)

    def _timed(self, work: Callable[[], T]) -> T:
        begun = time.perf_counter()
        with self._lock:
            self._running += 1
        try:
            return work()
        finally:
            with self._lock:
                self._running -= 1
                self._seconds += _WEIGHT_OF_LAST * (time.perf_counter() - begun - self._seconds)

    def _leave(self) -> None:
        with self._lock:
            self._taken -= 1


class Place:
    """A place in a lane, for all the work of one request; use it as a context manager."""

    def __init__(self, lane: Lane) -> None:
        self._lane = lane

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Queue `work` behind what waits already."""
        return self._lane._submit(work)

    async def run(self, work: Callable[[], T]) -> T:
        """Queue `work` and wait for it."""
        return await asyncio.wrap_future(self.submit(work))

    def __enter__(self) -> Place:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lane._leave()
