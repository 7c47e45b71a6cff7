"""Opening a database file: is it ours, is it whole, is its schema one that this fonte knows."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path

from fonte.errors import CorpusError
from fonte.records.database import BUSY_SECONDS, Database, connect
from fonte.records.failures import explained, is_busy
from fonte.records.migrations import MIGRATIONS, Migration

APPLICATION = 0x666F6E74  # "font": written into the file's header, so that a foreign database is never touched


def open_database(
    path: Path, create: bool = True, busy_seconds: float = BUSY_SECONDS, migrations: Sequence[Migration] = MIGRATIONS
) -> Database:
    """Open the database at `path`, bring its schema up to date and return it; several processes may do so at once.

    Errors: `CorpusError` for a missing file (unless `create`), a database of another program or a newer schema;
    `StoreError` for a damaged or unreadable one. In none of these cases is the file changed.
    """
    path = path.absolute()
    if not create and not path.is_file():
        raise CorpusError(f"There are no records at {path}. Create the corpus first: fonte add PATH --corpus DIR")
    with explained(path):
        connection = connect(path, busy_seconds, create)
        try:
            _check(connection, path, len(migrations))
            _enable_write_ahead_log(connection, busy_seconds)
            _migrate(connection, path, migrations)
        finally:
            connection.close()
    return Database(path, busy_seconds)


def _check(connection: sqlite3.Connection, path: Path, known: int) -> None:
    schema, application = _number(connection, "user_version"), _number(connection, "application_id")
    kinds = {kind for (kind,) in connection.execute("SELECT DISTINCT type FROM sqlite_master")}
    if application != APPLICATION and (application or schema or kinds):
        raise CorpusError(f"{path} is a database of another program. Give another --corpus, or move the file away.")
    if not 0 <= schema <= known:
        raise CorpusError(
            f"{path} was written by a newer fonte (schema {schema}; this one knows up to {known}). "
            "Upgrade fonte, or make a new corpus."
        )
    if unknown := kinds - {"table", "index"}:
        raise CorpusError(f"{path} holds a {sorted(unknown)[0]} that fonte did not make. Do not trust this corpus.")


def _enable_write_ahead_log(connection: sqlite3.Connection, busy_seconds: float) -> None:
    # SQLite does not always wait here: two processes that switch at once would each wait for the other.
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def _migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    if _number(connection, "user_version") == len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        _check(connection, path, len(migrations))
        for number, migration in enumerate(migrations, start=1):
            if number > _number(connection, "user_version"):
                migration(connection)
                connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
