"""The records of a corpus: ledger, document archive, answer records and cached model outputs in one file."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from fonte.errors import StoreError
from fonte.records.answers import AnswerRecords
from fonte.records.database import BUSY_SECONDS, Database
from fonte.records.documents import DocumentArchive
from fonte.records.evaluations import Evaluations
from fonte.records.facts import Facts
from fonte.records.groups import DocumentGroups
from fonte.records.ledger import Ledger
from fonte.records.opening import open_database
from fonte.records.outputs import OutputCache

_UNFINISHED = "purge_unfinished"


@dataclass(frozen=True, slots=True)
class Purged:
    """How much a purge erased."""

    documents: int
    answers: int
    outputs: int


class Records:
    """Open with `Records.open`; use as a context manager or `close` at the end.

    One object may be used by all threads of a process and survives a fork; each process sees what the others have
    committed.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.facts = Facts(database)
        self.documents = DocumentArchive(database)
        self.ledger = Ledger(database, self.documents)
        self.groups = DocumentGroups(database, self.facts, self.ledger)
        self.answers = AnswerRecords(database)
        self.evaluations = Evaluations(database)
        self.outputs = OutputCache(database)

    @classmethod
    def open(cls, path: Path, create: bool = True, busy_seconds: float = BUSY_SECONDS) -> Records:
        """Open the records file at `path`, make it where there is none, and finish a purge that was interrupted.

        Errors: `CorpusError` for a missing file (unless `create`), another program's database or a newer schema;
        `StoreError` for a damaged file. In none of these cases is anything changed.
        """
        records = cls(open_database(path, create, busy_seconds))
        if records.purge_unfinished:
            # Somebody who is still reading must not keep the corpus shut: it stays marked, the next opening tries.
            with contextlib.suppress(StoreError):
                records._scrub()
        return records

    @property
    def path(self) -> Path:
        """The file."""
        return self._database.path

    @property
    def purge_unfinished(self) -> bool:
        """Whether erased bytes may still lie in the file, because a purge was interrupted or could not finish."""
        return bool(self.facts.get(_UNFINISHED, False))

    def transaction(self) -> AbstractContextManager[None]:
        """Return a block that is written as a whole or not at all, across ledger, archive, answers and facts."""
        return self._database.transaction()

    def purge(self, document_ids: Collection[str], sources: Collection[str] = ()) -> Purged:
        """Erase documents, and files of the ledger, from everything kept here and from the bytes on the disk.

        Every version in the archive goes, the ledger's rows, each answer record that holds a passage of them, each
        cached output made from them. Then the file is rewritten and the write-ahead log emptied. Unknown ids are no
        error: a purge may be repeated. Errors: `StoreError` when another process reads for so long that old bytes
        cannot be overwritten; the rows are gone then, and the purge is finished by a repetition or the next opening.
        """
        with self.transaction():
            self.facts.set(_UNFINISHED, True)
            ids = {*document_ids, *(document for source in sources for document in self.ledger.stale(source))}
            answers, outputs = self.answers.remove_documents(ids), self.outputs.remove_documents(ids)
            known = sum(bool(self.documents.versions(document_id)) for document_id in ids)
            self.ledger.forget_documents(ids)
            for source in sources:
                self.ledger.remove(source)
                self.groups.set(source, ())
        self._scrub()
        return Purged(known, answers, outputs)

    def check(self) -> tuple[str, ...]:
        """Return what is wrong with the file, one sentence each; empty when it is whole. Reads all of it."""
        found = [line for (line,) in self._database.rows("PRAGMA integrity_check(20)") if line != "ok"]
        broken = self._database.rows("PRAGMA foreign_key_check")
        return (*found, *(f"A row of {table} belongs to a missing row of {parent}." for table, _, parent, _ in broken))

    def close(self) -> None:
        """Close the file for all threads of this process."""
        self._database.close()

    def __enter__(self) -> Records:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _scrub(self) -> None:
        """Overwrite what was deleted: rewrite the file without free pages, then empty the write-ahead log."""
        self._database.run("VACUUM")
        self._empty_log()
        self.facts.remove(_UNFINISHED)

    def _empty_log(self) -> None:
        busy = self._database.rows("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]
        if busy:
            raise StoreError(
                f"The documents are erased from {self.path}, but another process is reading it, so that old bytes may "
                "remain on the disk. Run the same command again when it is done."
            )
