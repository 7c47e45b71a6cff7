"""One writer at a time: a lock of the operating system, so that a killed process lets go of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from fonte.errors import StoreError

WAIT_SECONDS = 300.0


class WriteLock:
    """Exclusive right to write, across threads and processes; the same thread may take it again inside.

    `check` runs each time the lock is taken and raises when there is nothing to write to any more.
    """

    def __init__(self, file: Path, wait: float = WAIT_SECONDS, check: Callable[[], None] = lambda: None) -> None:
        self._lock = FileLock(file)
        self._file = file
        self._wait = wait
        self._check = check

    @contextmanager
    def held(self, wait: float | None = None) -> Iterator[None]:
        """Hold the lock for a `with` block, after waiting at most `wait` seconds (default: the lock's own).

        Errors: `StoreError` when another writer keeps it longer, or the folder cannot be written.
        """
        seconds = self._wait if wait is None else wait
        try:
            self._lock.acquire(timeout=seconds)
        except Timeout:
            raise StoreError(
                f"Another process has been writing to the index for more than {seconds:g} seconds (lock file "
                f"{self._file}). Nothing was changed. Wait until it ends, then run the command again."
            ) from None
        except OSError as error:
            raise StoreError(f"Cannot lock {self._file} for writing: {error}. Check folder and permissions.") from None
        try:
            self._check()
            yield
        finally:
            self._lock.release()

    def is_free(self) -> bool:
        """Return whether nobody else holds the lock at this moment."""
        try:
            with self._lock.acquire(timeout=0):
                return True
        except Timeout:
            return False
