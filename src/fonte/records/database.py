"""One SQLite file, shared safely: a connection for each thread, none carried across a fork, transactions that nest."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import ref

from fonte.errors import StoreError
from fonte.records.failures import explained

BUSY_SECONDS = 30.0


class Session:
    """A thread's own connection; `lock` is held while a statement or a transaction runs, `depth` counts open blocks."""

    def __init__(self) -> None:
        self.connection: sqlite3.Connection | None = None
        self.lock = threading.RLock()
        self.process = os.getpid()
        self.depth = 0


class Database:
    """A database file. Every statement runs on the connection of its thread, opened when first needed.

    Failures are `StoreError`s that name the file. `busy_seconds` is how long a writer waits for another one. Before
    a fork idle connections are closed, since SQLite's locks do not survive one; both sides reopen on their own.
    """

    def __init__(self, path: Path, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = path.absolute()
        self.busy_seconds = busy_seconds
        self._local = threading.local()
        self._sessions: dict[int, ref[Session]] = {}
        self._closed = False
        key = id(self)
        _OPEN[key] = ref(self, lambda _: _OPEN.pop(key, None))

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement and return all its rows."""
        with self._connected() as connection:
            return connection.execute(sql, parameters).fetchall()

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        """Run one statement and return how many rows it changed."""
        with self._connected() as connection:
            return connection.execute(sql, parameters).rowcount

    def run_many(self, sql: str, parameters: Iterable[Sequence[Any]]) -> int:
        """Run one statement for each set of `parameters`, all or none; return how many rows were changed."""
        with self.transaction(), self._connected() as connection:
            return max(connection.executemany(sql, parameters).rowcount, 0)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all of the block, or on any error none of it; the one writer at a time is this thread.

        Inside another transaction the block is a savepoint: its failure undoes the block alone, and what it wrote
        lasts only when the outer one succeeds.
        """
        session = self._session()
        with self._connected() as connection:
            inner = session.depth > 0
            connection.execute("SAVEPOINT inner_block" if inner else "BEGIN IMMEDIATE")
            session.depth += 1
            try:
                yield
                self._require_alive(session)
                connection.execute("RELEASE inner_block" if inner else "COMMIT")
            except BaseException:
                _undo(connection, inner)
                raise
            finally:
                session.depth -= 1

    def close(self) -> None:
        """Close the connections of all threads of this process; afterwards every use is a `StoreError`."""
        self._closed = True
        for session in self._living():
            with session.lock:
                _let_go(session)

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        session = self._session()
        with session.lock:
            if self._closed:
                raise StoreError(f"The records {self.path} are closed. Open them again with Records.open.")
            with explained(self.path):
                session.connection = session.connection or connect(self.path, self.busy_seconds)
                self._require_alive(session)
                yield session.connection

    def _require_alive(self, session: Session) -> None:
        # A full disk undoes the whole transaction at once; what comes later in the block must not be written alone.
        if session.depth and session.connection and not session.connection.in_transaction:
            raise StoreError(f"The records {self.path} undid a change after a failure; nothing of it was written.")

    def _session(self) -> Session:
        session: Session | None = getattr(self._local, "session", None)
        if session is None or session.process != os.getpid():
            if session is not None:
                _ABANDONED.append(session)
            session = self._local.session = Session()
            self._sessions[threading.get_ident()] = ref(session)
        return session

    def _pause(self) -> list[Session]:
        """Close every idle connection and keep its lock, so that no thread opens it again during the fork."""
        own: Session | None = getattr(self._local, "session", None)
        if own and own.connection and own.connection.in_transaction:
            return []
        sessions = self._living()
        for session in sessions:
            session.lock.acquire()
            _let_go(session)
        return sessions

    def _living(self) -> list[Session]:
        sessions = [reference() for reference in list(self._sessions.values())]
        return [session for session in sessions if session is not None and session.process == os.getpid()]


def connect(path: Path, busy_seconds: float, create: bool = False) -> sqlite3.Connection:
    """Open a connection; a missing file is an error unless `create`, so that a lost database is never a new one."""
    uri = f"{path.as_uri()}?mode={'rwc' if create else 'rw'}"
    connection = sqlite3.connect(uri, uri=True, timeout=busy_seconds, isolation_level=None, check_same_thread=False)
    try:
        # A corpus may come from somebody else: nothing that its schema names may run functions with side effects.
        for setting in ("trusted_schema = OFF", "cell_size_check = ON", "foreign_keys = ON", "secure_delete = ON"):
            connection.execute(f"PRAGMA {setting}")
        connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


def _undo(connection: sqlite3.Connection, inner: bool) -> None:
    # Some failures, a full disk among them, have already rolled everything back.
    if not connection.in_transaction:
        return
    if inner:
        connection.execute("ROLLBACK TO inner_block")
    connection.execute("RELEASE inner_block" if inner else "ROLLBACK")


def _let_go(session: Session) -> None:
    if session.connection is not None:
        session.connection.close()
        session.connection = None


_OPEN: dict[int, ref[Database]] = {}
_FORKING = threading.Lock()
_PAUSED: list[Session] = []
# A parent's connection in a forked child is neither used nor closed: closing it there would disturb the parent.
_ABANDONED: list[Session] = []


def _before_fork() -> None:
    _FORKING.acquire()
    for database in [reference() for reference in list(_OPEN.values())]:
        _PAUSED.extend(database._pause() if database else ())


def _after_fork() -> None:
    while _PAUSED:
        _PAUSED.pop().lock.release()
    _FORKING.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
