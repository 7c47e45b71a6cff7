"""What was measured about a recorded answer later: scores of ablations, effects, verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fonte.errors import RecordError
from fonte.records.database import Database
from fonte.records.packing import pack_json, unpack_json


class Evaluations:
    """JSON payloads by record, kind (such as `likelihood`) and key (such as the hash of a mask).

    Methods that need the same number share it, and a run that was interrupted resumes. They go with their record.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, record_id: str, kind: str, payloads: Mapping[str, Any]) -> None:
        """Keep `payloads` (key to value), all or none, over what was there under the same keys.

        Errors: `RecordError` when there is no such record, or for values that JSON cannot say.
        """
        rows = [(record_id, kind, key, pack_json(value)) for key, value in payloads.items()]
        with self._database.transaction():
            if not self._database.rows("SELECT 1 FROM answers WHERE id = ?", (record_id,)):
                raise RecordError(f"There is no record {record_id!r} to keep an evaluation of. Give the whole id.")
            self._database.run_many("INSERT OR REPLACE INTO evaluations VALUES (?, ?, ?, ?)", rows)

    def get(self, record_id: str, kind: str, key: str) -> Any:
        """Return one payload, None where there is none."""
        rows = self._database.rows(
            "SELECT payload FROM evaluations WHERE id = ? AND kind = ? AND key = ?", (record_id, kind, key)
        )
        return unpack_json(rows[0][0]) if rows else None

    def all(self, record_id: str, kind: str) -> dict[str, Any]:
        """Return all payloads of a kind by key, in the order of the keys."""
        rows = self._database.rows(
            "SELECT key, payload FROM evaluations WHERE id = ? AND kind = ? ORDER BY key", (record_id, kind)
        )
        return {key: unpack_json(payload) for key, payload in rows}

    def kinds(self, record_id: str) -> tuple[str, ...]:
        """Return the kinds of evaluation that a record has, in order."""
        rows = self._database.rows("SELECT DISTINCT kind FROM evaluations WHERE id = ? ORDER BY kind", (record_id,))
        return tuple(kind for (kind,) in rows)

    def remove(self, record_id: str, kind: str) -> int:
        """Drop the payloads of a kind; return how many there were."""
        return self._database.run("DELETE FROM evaluations WHERE id = ? AND kind = ?", (record_id, kind))
