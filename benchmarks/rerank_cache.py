"""What the re-ranking benchmark keeps between runs: numbers by key in JSONL files, appended as they are ready."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BATCH = 1000


class Kept:
    """JSON values by key in one file; a line that a kill cut short is dropped."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._values: dict[str, Any] = {}
        if path.is_file():
            for line in path.read_text(encoding="utf-8").split("\n"):
                try:
                    row = json.loads(line)
                    self._values[row["key"]] = row["value"]
                except ValueError:  # empty, or cut short
                    continue

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        """Return the value of `key`, made and kept where it is not known."""
        if key not in self._values:
            self._values[key] = make()
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write("\n" * self._unfinished() + json.dumps({"key": key, "value": self._values[key]}) + "\n")
        return self._values[key]

    def known(self, key: str) -> bool:
        """Return whether `key` has a value."""
        return key in self._values

    def _unfinished(self) -> bool:
        with self._path.open("rb") as file:
            if not file.seek(0, 2):
                return False
            file.seek(-1, 2)
            return file.read() != b"\n"


class Meter:
    """Says on stderr how far a long part is, at most every ten seconds, and how long the rest may take."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total, self._done = what, total, 0
        self._started = self._said = time.perf_counter()

    def step(self) -> None:
        """Count one."""
        self._done += 1
        now = time.perf_counter()
        if now - self._said > 10 or self._done == self._total:
            left = (now - self._started) / self._done * (self._total - self._done)
            print(f"{self._what}: {self._done} of {self._total}, {left / 60:.1f} minutes left", file=sys.stderr)
            self._said = now


def vectors(folder: Path, texts: Sequence[str], embed: Callable[[Sequence[str]], Any]) -> NDArray[np.float32]:
    """Return the vector of each text, float32 [text, dimension], embedded by the thousand and kept in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    starts = range(0, len(texts), BATCH)
    paths = {start: folder / f"{start:07d}-{min(BATCH, len(texts) - start)}.npy" for start in starts}
    missing = [start for start in starts if not paths[start].is_file()]
    meter = Meter(f"embedding {len(texts)} pieces, in thousands", len(missing))
    for start in missing:
        draft = folder / "draft.npy"
        np.save(draft, embed(texts[start : start + BATCH]))
        draft.replace(paths[start])
        meter.step()
    return np.concatenate([np.load(paths[start]) for start in starts])
