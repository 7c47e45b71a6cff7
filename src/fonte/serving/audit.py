"""The audit log: who did what and when, one JSON line each; no question, no text of a document, no key."""

from __future__ import annotations

import json
import logging
import threading
from pathlib import Path

from fonte.records.packing import timestamp

_log = logging.getLogger(__name__)


class AuditLog:
    """Appends to a file, from any thread. A line that cannot be written is counted and reported; requests go on."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failures = 0
        self._lock = threading.Lock()

    def note(self, who: str, client: str, method: str, route: str, status: int, thing: str = "") -> None:
        """Keep that `who` (a key's id) asked for `route` (a pattern) about `thing` (an id) and got `status`."""
        values = {"time": timestamp(), "who": who, "client": client, "method": method, "route": route}
        line = json.dumps({**values, "status": status, "about": thing}) + "\n"
        try:
            with self._lock, self.path.open("a", encoding="utf-8") as file:
                file.write(line)
        except OSError as error:
            self.failures += 1
            _log.error("The audit log %s cannot be written: %s", self.path, error)
