"""Which files have vanished, and when removing them is refused because it looks like a mistake."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import PurePath

from fonte.documents import Found
from fonte.errors import UsageError
from fonte.records import LedgerEntry, Records

LARGEST_SHARE = 0.2


def vanished(records: Records, roots: Sequence[str], found: Iterable[Found]) -> list[LedgerEntry]:
    """Return what the ledger holds below `roots` (absolute paths) that is no longer there.

    What lies below a folder that was passed over, because it is hidden, a link or not readable, has not vanished:
    nobody looked.
    """
    passed = {each.source: bool(each.status) for each in found}
    entries = {entry.source: entry for root in roots for entry in records.ledger.under(root)}
    return [
        entry
        for source, entry in sorted(entries.items())
        if source not in passed and not any(passed.get(str(parent), False) for parent in PurePath(source).parents)
    ]


def check_prune(
    records: Records, roots: Sequence[str], gone: Sequence[LedgerEntry], readable: Collection[str], force: bool
) -> None:
    """Refuse to remove `gone` where a disk that is not mounted, or a wrong path, is the likelier explanation.

    `readable` are the sources that were found and can be read. Errors: `UsageError` when below one of the roots there
    is none of them although files of it would go, or when more than a fifth of the corpus's documents would go;
    `force` allows both.
    """
    if force or not gone:
        return
    for root in roots:
        lost = sum(_is_below(entry.source, root) for entry in gone)
        if lost and not any(_is_below(source, root) for source in readable):
            raise UsageError(
                f"Nothing was found below {root}, but {lost} files of it are indexed. Is the disk mounted? "
                "Nothing was removed. Use --force if the files are really gone."
            )
    documents = sum(len(entry.documents) for entry in gone)
    total = sum(len(entry.documents) for entry in records.ledger.all())
    if documents > LARGEST_SHARE * total:
        raise UsageError(
            f"--prune would remove {documents} of {total} documents, more than a fifth of the corpus. Nothing was "
            f"removed. Check {', '.join(roots)}; use --force if that is meant."
        )


def _is_below(source: str, root: str) -> bool:
    return PurePath(source).is_relative_to(root)
