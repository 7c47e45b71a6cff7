"""`corpus.json`: what marks a folder as a corpus, and of which format version."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from fonte.errors import CorpusError

FORMAT = 1
FILE_NAME = "corpus.json"
DRAFT = f".{FILE_NAME}."


@dataclass(frozen=True)
class Manifest:
    """The corpus's format version and the fonte version that made it."""

    format: int
    made_with: str


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of the corpus at `folder`. Errors: `CorpusError` if there is none, or another format."""
    path = folder / FILE_NAME
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        manifest = Manifest(int(found["format"]), str(found["made_with"]))
    except FileNotFoundError:
        raise CorpusError(f"There is no corpus at {folder}. Make one with: fonte add PATH --corpus {folder}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CorpusError(f"{path} cannot be read ({error}). Restore it, or add the files anew.") from None
    if manifest.format != FORMAT:
        raise CorpusError(
            f"The corpus at {folder} has format {manifest.format}, this fonte reads format {FORMAT}. "
            "Use the fonte version that made it, or add the files to a new corpus."
        )
    return manifest


def create_manifest(folder: Path, version: str) -> Manifest:
    """Make `folder` a corpus, atomically; a folder that is one already is left as it is.

    Errors: `CorpusError` if the folder holds other files, so that a wrong path never becomes a corpus, or if it cannot
    be made.
    """
    if (folder / FILE_NAME).exists():
        return read_manifest(folder)
    if folder.is_dir() and _holds_other_files(folder) and not (folder / FILE_NAME).exists():
        raise CorpusError(f"{folder} is not a corpus and not empty. Choose a new folder with --corpus.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / f"{DRAFT}{os.getpid()}"
        draft.write_text(json.dumps({"format": FORMAT, "made_with": version}) + "\n", encoding="utf-8")
        draft.replace(folder / FILE_NAME)
    except OSError as error:
        reason = error.strerror or error
        raise CorpusError(f"No corpus can be made at {folder}: {reason}. Choose another folder.") from None
    return read_manifest(folder)


def _holds_other_files(folder: Path) -> bool:
    """Return whether more is in the folder than settings and what a process left that was killed making the corpus."""
    return any(entry.name != "fonte.toml" and not entry.name.startswith(DRAFT) for entry in folder.iterdir())
