"""Which documents a person means who wants them gone: one by its name, or all of a file or folder by its path."""

from __future__ import annotations

from pathlib import Path

from fonte.documents import source_of
from fonte.errors import UsageError
from fonte.records import LedgerEntry, Records
from fonte.records.documents import DocumentEntry


def wanted_documents(records: Records, name: str) -> list[DocumentEntry]:
    """Return the document called `name`, else all that is indexed of the file or below the folder of that name.

    Errors: `UsageError` when nothing fits, or the name of several documents or files.
    """
    try:
        return [records.documents.find(name)]
    except UsageError:
        files = _files(records, name)
        if not any(entry.documents for entry in files):
            raise
    return [records.documents.entry(document_id) for entry in files for document_id, _ in entry.documents]


def _files(records: Records, name: str) -> list[LedgerEntry]:
    """Return the files of the ledger at or below the path `name`, else the one whose name is `name`."""
    if not name.strip():
        return []  # an empty variable of a shell does not mean the present folder
    if below := records.ledger.under(source_of(Path(name))):
        return below
    named = [entry for entry in records.ledger.all() if entry.name == name]
    return named if len(named) == 1 else []
