"""The continuity of `chop` calibrated on a person's own files: what to set, and what that would change."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fonte.chunking.chop import Continuity, Joined, calibrated, joined
from fonte.chunking.chop.continuity import ENOUGH_FILES
from fonte.chunking.chop.separation import unit_texts
from fonte.documents import discover, read_files
from fonte.errors import UsageError

MOST_FILES = 200  # more say nothing new and take minutes
FITTED, JUDGED = 0, 1000  # seeds: what is fitted on some orders of the files is judged on others

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Calibration:
    """Slope and shift that fit some files, and what they change.

    `files` hold one document each; of them `used` were joined. `left_out` files hold no text, several documents, or
    cannot be read. `before` and `after` are what the present settings and the fitted ones find.
    """

    files: int
    used: int
    left_out: int
    present: Continuity
    fitted: Continuity
    before: Joined
    after: Joined

    @property
    def advised(self) -> bool:
        """Whether the fitted settings make fewer mistakes than the present ones."""
        return self.after.mistakes < self.before.mistakes

    @property
    def toml(self) -> str:
        """The lines for a `fonte.toml`."""
        return f"[chop]\nslope = {self.fitted.slope}\nshift = {self.fitted.shift}"

    def to_json(self) -> dict[str, Any]:
        """Return the shape that `fonte calibrate --json` prints."""
        return {
            "files": self.files,
            "used": self.used,
            "left_out": self.left_out,
            "joins": self.before.joins,
            "before": _side(self.present, self.before),
            "after": _side(self.fitted, self.after),
            "advised": self.advised,
            "toml": self.toml,
        }


def calibrate(
    roots: Sequence[Path],
    present: Continuity,
    exclude: Sequence[Path] = (),
    progress: Progress = lambda done, total: None,
) -> Calibration:
    """Fit slope and shift to the files below `roots`, each of which must be one document; nothing is written.

    Folders in `exclude` are passed over. The fit starts from the defaults, so that it depends on the files alone. Of
    more than `MOST_FILES` files so many are drawn. Errors: `UsageError` for fewer than `ENOUGH_FILES` files with one
    document.
    """
    documents, left_out = _documents(roots, exclude, progress)
    if len(documents) < ENOUGH_FILES:
        raise UsageError(
            f"Calibration needs at least {ENOUGH_FILES} files that are one document each; there are {len(documents)} "
            f"({left_out} others hold no text, several documents, or cannot be read). Nothing was changed. Name more "
            "files, or leave slope and shift as they are."
        )
    used = random.Random(FITTED).sample(documents, min(len(documents), MOST_FILES))
    found = calibrated(used, seed=FITTED)
    fitted = replace(found, slope=round(found.slope, 3), shift=round(found.shift, 3))
    before, after = (joined(used, model, JUDGED) for model in (present, fitted))
    return Calibration(len(documents), len(used), left_out, present, fitted, before, after)


def _documents(roots: Sequence[Path], exclude: Sequence[Path], progress: Progress) -> tuple[list[list[str]], int]:
    """Return the units of each file that is one document, and how many files are none."""
    files = [(found.path, found.name) for found in discover(roots, exclude) if not found.status]
    documents = []
    for done, (_, reading) in enumerate(read_files(files, max(1, (os.cpu_count() or 2) - 1)), start=1):
        progress(done, len(files))
        units = [text for text in unit_texts(reading.documents[0]) if text.strip()] if reading.documents else []
        if units and len(reading.documents) == 1:
            documents.append(units)
    return documents, len(files) - len(documents)


def _side(model: Continuity, result: Joined) -> dict[str, Any]:
    return {"slope": model.slope, "shift": model.shift, **asdict(result)}
