"""Where evaluations are kept by hash, so that methods share them and a killed run goes on where it was.

Leave-one-out, C-LIME and L-SHAP ask for many of the same ablated prompts; each is one row here, whoever asked first.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import numpy as np

from fonte.errors import StoreError
from fonte.likelihood.plan import FloatArray

EVALUATION_VERSION = "1"  # part of every key: changes with the meaning of what is stored


def evaluation_key(fingerprint: str, dtype: str, prompt: Sequence[int], answer: Sequence[int]) -> str:
    """Return 32 hexadecimal digits that name log p(`answer` | `prompt`) under these weights in this dtype."""
    digest = hashlib.blake2b(digest_size=16)
    for text in (EVALUATION_VERSION, fingerprint, dtype):
        digest.update(len(text).to_bytes(8, "little") + text.encode("utf-8", "surrogatepass"))
    for ids in (prompt, answer):
        digest.update(len(ids).to_bytes(8, "little") + np.asarray(ids, dtype="<i8").tobytes())
    return digest.hexdigest()


class EvaluationStore(Protocol):
    """Per-token log-probabilities by key. Safe to share between methods, models and answers."""

    def get(self, keys: Sequence[str]) -> dict[str, FloatArray]:
        """Return what is there, float32 [token] each; unknown keys are left out."""

    def put(self, evaluations: Mapping[str, FloatArray]) -> None:
        """Add or replace all of `evaluations`, or none of them."""


class MemoryEvaluations:
    """An `EvaluationStore` that lives as long as the process."""

    def __init__(self) -> None:
        self._values: dict[str, FloatArray] = {}

    def __len__(self) -> int:
        """Return how many evaluations are held."""
        return len(self._values)

    def get(self, keys: Sequence[str]) -> dict[str, FloatArray]:
        """See `EvaluationStore.get`."""
        return {key: self._values[key].copy() for key in keys if key in self._values}

    def put(self, evaluations: Mapping[str, FloatArray]) -> None:
        """See `EvaluationStore.put`."""
        self._values.update({key: np.array(value, dtype=np.float32) for key, value in evaluations.items()})


class SqliteEvaluations:
    """An `EvaluationStore` in an SQLite file of its own, shared by processes; use as a context manager or `close` it.

    It holds hashes and numbers only, no text and no token ids. One `put` is one transaction. Errors: `StoreError` where
    the file cannot be opened, read or written.
    """

    BATCH = 500

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS evaluation"
                " (key TEXT PRIMARY KEY, tokens BLOB NOT NULL) WITHOUT ROWID, STRICT"
            )
        except (sqlite3.Error, OSError) as error:
            raise self._failed("opened", error) from None

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self.close()

    def __len__(self) -> int:
        """Return how many evaluations are held."""
        count: int = self._rows("SELECT count(*) FROM evaluation", ())[0][0]
        return count

    def close(self) -> None:
        """Close the file; nothing that was put is lost."""
        self._connection.close()

    def get(self, keys: Sequence[str]) -> dict[str, FloatArray]:
        """See `EvaluationStore.get`."""
        found: dict[str, FloatArray] = {}
        for start in range(0, len(keys), self.BATCH):
            batch = list(keys[start : start + self.BATCH])
            marks = ",".join("?" * len(batch))
            rows = self._rows(f"SELECT key, tokens FROM evaluation WHERE key IN ({marks})", batch)
            found |= {
                key: np.frombuffer(blob, dtype="<f4").astype(np.float32) for key, blob in rows if len(blob) % 4 == 0
            }
        return found

    def put(self, evaluations: Mapping[str, FloatArray]) -> None:
        """See `EvaluationStore.put`."""
        rows = [(key, np.asarray(value, dtype="<f4").tobytes()) for key, value in evaluations.items()]
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany("INSERT OR REPLACE INTO evaluation (key, tokens) VALUES (?, ?)", rows)
                self._connection.execute("COMMIT")
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise self._failed("written", error) from None

    def _rows(self, query: str, values: Iterable[object]) -> list[tuple]:  # type: ignore[type-arg]
        try:
            return self._connection.execute(query, tuple(values)).fetchall()
        except sqlite3.Error as error:
            raise self._failed("read", error) from None

    def _failed(self, what: str, error: Exception) -> StoreError:
        return StoreError(
            f"The evaluation store {self.path} cannot be {what}: {error}. "
            "It only saves work: move the file away and run again to compute its numbers anew."
        )
