"""What an ingest or a reindex did, file by file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

STATES = ("indexed", "replaced", "unchanged", "removed", "no_text", "skipped", "failed")


@dataclass(frozen=True)
class FileReport:
    """The one state in which a file ended, the reason in words, and how many chunks of it are in the index."""

    path: str
    state: str
    reason: str = ""
    chunks: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the shape that `fonte add --json` prints."""
        return {"path": self.path, "state": self.state, "reason": self.reason, "chunks": self.chunks}


@dataclass(frozen=True)
class AddReport:
    """What `add` did. `vanished` are files that are still indexed but no longer there (kept without `prune`)."""

    files: tuple[FileReport, ...]
    vanished: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """Number of files per state, only states that occur."""
        found = Counter(file.state for file in self.files)
        return {state: found[state] for state in STATES if found[state]}

    @property
    def incomplete(self) -> bool:
        """Whether a file failed or held no text."""
        return any(file.state in ("failed", "no_text") for file in self.files)

    def to_json(self) -> dict[str, Any]:
        """Return the shape that `fonte add --json` prints."""
        files = [file.to_json() for file in self.files]
        return {"files": files, "counts": self.counts, "vanished": list(self.vanished)}


@dataclass(frozen=True)
class ReindexReport:
    """What `reindex` did: totals of the new index and the embedder that made it."""

    documents: int
    chunks: int
    embedder: str

    def to_json(self) -> dict[str, Any]:
        """Return the shape that `fonte reindex --json` prints."""
        return {"documents": self.documents, "chunks": self.chunks, "embedder": self.embedder}


@dataclass(frozen=True)
class DocumentEntry:
    """One line of `fonte list`: `characters` counts the code points of the text."""

    document: str
    document_id: str
    title: str
    format: str
    chunks: int
    characters: int
    source: str
    metadata: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        """Return the shape that `fonte list --json` prints."""
        return dict(vars(self))
