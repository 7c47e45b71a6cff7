"""The folder of an unfinished training: what is trained there, and the last checkpoint that is whole."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fonte.errors import UsageError

NOTE = "training.json"


def claim(work: Path, note: Mapping[str, Any]) -> None:
    """Note in `work` what is trained there, or check that it is this. Errors: `UsageError` where it is something else.

    Steps and minutes may differ, so that a training can be continued further.
    """
    path = work / NOTE
    plain = json.loads(
        json.dumps({name: value for name, value in note.items() if name not in ("steps", "minutes")}, default=str)
    )
    if path.is_file():
        if json.loads(path.read_text(encoding="utf-8")) == plain:
            return
        raise UsageError(
            f"{work} holds an unfinished training with other settings or questions. Remove it to start anew."
        )
    work.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}")  # several processes claim it at once
    temporary.write_text(json.dumps(plain), encoding="utf-8")
    temporary.replace(path)


def last_checkpoint(work: Path) -> tuple[Path, int] | None:
    """Return the newest whole checkpoint and its step; one that a kill left half is passed over.

    The trainer writes `trainer_state.json` last, so a checkpoint with a readable one is whole.
    """
    found = []
    for path in work.glob("checkpoint-*/trainer_state.json"):
        try:
            found.append((json.loads(path.read_text(encoding="utf-8"))["global_step"], path.parent))
        except (ValueError, KeyError, OSError):
            continue
    if not found:
        return None
    step, folder = max(found)
    return folder, step
