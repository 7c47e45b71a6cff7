"""What SQLite's errors mean for the person at the keyboard, and what to do about each."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fonte.errors import StoreError

_HELP = {
    "SQLITE_BUSY": "another process has been writing for too long. Wait until it is done, then run the command again",
    "SQLITE_LOCKED": "another process has been writing for too long. Wait until it is done, then run the command again",
    "SQLITE_FULL": "the disk is full; nothing was changed. Make room, then run the command again",
    "SQLITE_NOTADB": "it is not a database, or its start is damaged; nothing was changed. Restore it from a backup, or "
    "move it away and add the documents again",
    "SQLITE_CORRUPT": "it is damaged; nothing was changed. Restore it from a backup, or move it away and add the "
    "documents again",
    "SQLITE_READONLY": "it may not be written. Check the permissions of the file and of its folder",
    "SQLITE_PERM": "it may not be opened. Check the permissions of the file and of its folder",
    "SQLITE_CANTOPEN": "it cannot be opened. Check that its folder exists and may be written",
    "SQLITE_IOERR": "the disk reported an error; nothing was changed. Check the disk, then run the command again",
}


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn a database failure inside the block into a `StoreError` that names the file and says what to do.

    Wrong use of the database module (`sqlite3.ProgrammingError`) is a mistake of ours and passes unchanged.
    """
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.DatabaseError as error:
        raise StoreError(f"The records {path} failed: {_meaning(error)}. (SQLite: {error})") from error


def is_busy(error: BaseException | None) -> bool:
    """Return whether `error` is SQLite's way of saying that somebody else is at work."""
    return isinstance(error, sqlite3.OperationalError) and _primary_name(error) in ("SQLITE_BUSY", "SQLITE_LOCKED")


def _meaning(error: sqlite3.DatabaseError) -> str:
    return _HELP.get(_primary_name(error), "the change was refused and undone")


def _primary_name(error: sqlite3.DatabaseError) -> str:
    """Cut an extended name such as `SQLITE_IOERR_WRITE` to its first two words."""
    return "_".join(getattr(error, "sqlite_errorname", "").split("_")[:2])
