"""Which files have vanished, and when removing them is refused because it looks like a mistake."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from fonte.errors import UsageError
from fonte.records import LedgerEntry, Records

LARGEST_SHARE = 0.2


def vanished(records: Records, roots: Sequence[Path], found: Collection[str]) -> list[LedgerEntry]:
    """Return what the ledger holds below `roots` that is not among the `found` sources."""
    entries: dict[str, LedgerEntry] = {}
    for root in roots:
        entries.update((entry.source, entry) for entry in records.ledger.under(str(root.absolute())))
    return [entry for source, entry in sorted(entries.items()) if source not in found]


def check_prune(records: Records, roots: Sequence[Path], gone: Sequence[LedgerEntry], found: int, force: bool) -> None:
    """Refuse to remove `gone` where a disk that is not mounted, or a wrong path, is the likelier explanation.

    Errors: `UsageError` when nothing was found below the roots, or when more than a fifth of the corpus's documents
    would go; `force` allows both.
    """
    if force or not gone:
        return
    listed = ", ".join(map(str, roots))
    if not found:
        raise UsageError(
            f"Nothing was found below {listed}, but {len(gone)} files of it are indexed. Is the disk mounted? "
            "Nothing was removed. Use --force if the files are really gone."
        )
    documents = sum(len(entry.documents) for entry in gone)
    total = sum(len(entry.documents) for entry in records.ledger.all())
    if documents > LARGEST_SHARE * total:
        raise UsageError(
            f"--prune would remove {documents} of {total} documents, more than a fifth of the corpus. Nothing was "
            f"removed. Check {listed}; use --force if that is meant."
        )
