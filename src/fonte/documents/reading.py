"""What reading a file gives: documents, or a status with a reason a person understands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from fonte.errors import ReadError
from fonte.values import Block, Document, Word

Status = Literal["read", "no_text", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class Reading:
    """The result for one file.

    `read` comes with one document or more, and a `reason` only where a part was left out (a page without text, a row
    that is not valid). `no_text` (nothing to read in it), `skipped` (not a file for fonte) and `failed` (it should have
    been readable) come with a reason and no documents.
    """

    status: Status
    reason: str = ""
    documents: tuple[Document, ...] = ()


@dataclass(frozen=True, slots=True)
class Content:
    """What a reader takes out of a file, or out of one row of it; offsets as in `fonte.values.Document`.

    `row` tells the rows of a file apart and is "" where the file is one document. `title` is "" where the format
    states none.
    """

    text: str
    blocks: tuple[Block, ...] = ()
    words: tuple[Word, ...] = ()
    title: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    identity: tuple[str, ...] = ()
    row: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a reader returns for a file: its contents in order, and what had to be left out (`reason`, else "")."""

    contents: tuple[Content, ...]
    reason: str = ""


class UnreadableError(ReadError):
    """Reading stops here; the message is the reason, `status` the state of the file."""

    def __init__(self, reason: str, status: Status = "failed") -> None:
        """Keep `status` beside the reason."""
        super().__init__(reason)
        self.status: Status = status
