"""Facts about the whole corpus, such as which index is the current one, in the same transactions as all else."""

from __future__ import annotations

from typing import Any

from fonte.records.database import Database
from fonte.records.packing import pack_json, unpack_json


class Facts:
    """Named JSON values."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of `key`, or `default` where none was set."""
        rows = self._database.rows("SELECT value FROM facts WHERE key = ?", (key,))
        return unpack_json(rows[0][0]) if rows else default

    def set(self, key: str, value: Any) -> None:
        """Set `key` to a value that JSON can say. Errors: `RecordError` for another one."""
        self._database.run("INSERT OR REPLACE INTO facts VALUES (?, ?)", (key, pack_json(value)))

    def remove(self, key: str) -> None:
        """Forget `key`."""
        self._database.run("DELETE FROM facts WHERE key = ?", (key,))

    def beginning(self, prefix: str) -> dict[str, Any]:
        """Return the facts whose key begins with `prefix`, by the rest of the key, ordered by it."""
        rows = self._database.rows(
            "SELECT key, value FROM facts WHERE substr(key, 1, ?) = ? ORDER BY key", (len(prefix), prefix)
        )
        return {key[len(prefix) :]: unpack_json(value) for key, value in rows}

    def all(self) -> dict[str, Any]:
        """Return every fact, ordered by key."""
        return {key: unpack_json(value) for key, value in self._database.rows("SELECT * FROM facts ORDER BY key")}
