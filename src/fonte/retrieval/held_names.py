"""The names in an index, in memory."""

from __future__ import annotations

import json
import threading
from typing import Any

from fonte.retrieval.naming import Names
from fonte.retrieval.table import signature_of


class NameCache:
    """Keeps the names in a table's present version, for any number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version = -1
        self._names = Names({})

    def names(self, table: Any) -> Names:
        """Return the names of `table` as it is now, or as a writer made it in the very moment of reading."""
        with self._lock:
            if self._version != (version := table.version):
                self._names, self._version = _names(table), version
            return self._names


def _names(table: Any) -> Names:
    columns = ["document_id", "signature", "escaped"]
    found = table.search().select(columns).to_arrow().group_by(columns).aggregate([]).to_pylist()
    texts = (
        (row["document_id"], json.loads(row["signature"]) if row["escaped"] else row["signature"]) for row in found
    )
    return Names.of((document_id, signature_of(text)) for document_id, text in texts)
