"""Who may see which document: groups of source files, decided by a person and never by what a document says."""

from __future__ import annotations

from collections.abc import Collection

from fonte.errors import UsageError
from fonte.records.database import Database
from fonte.records.facts import Facts
from fonte.records.ledger import Ledger
from fonte.records.packing import decode

_PREFIX = "groups:"


class DocumentGroups:
    """Groups by source file. A file without groups is for everybody; one with groups, for the members of any of them.

    They belong to the file and not to its documents, so that they hold before a file is read, for each row in it, and
    still when it is removed and added again. A new file with the content of one that has groups gets these.
    """

    def __init__(self, database: Database, facts: Facts, ledger: Ledger) -> None:
        self._database = database
        self._facts = facts
        self._ledger = ledger

    def set(self, source: str, groups: Collection[str]) -> None:
        """Let only the members of `groups` see what comes from the file `source`; none opens it to everybody.

        Errors: `UsageError` for the name of a group that is empty or has spaces around it.
        """
        wrong = [name for name in groups if not name or name != name.strip()]
        if wrong:
            raise UsageError(f"{wrong[0]!r} cannot be the name of a group. Use a word such as legal.")
        if groups:
            self._facts.set(_PREFIX + source, sorted(set(groups)))
        else:
            self._facts.remove(_PREFIX + source)

    def follow(self, source: str, content: str) -> frozenset[str]:
        """Give a new file the groups of the known files with this content, and return them; none where it has its own.

        A file that was moved or copied would else be open to everybody at its new place.
        """
        closed = self.of_sources()
        if not closed or source in closed:
            return frozenset()
        groups = frozenset[str]().union(*(closed.get(same, ()) for same in self._ledger.with_content(content)))
        if groups:
            self.set(source, groups)
        return groups

    def of_sources(self) -> dict[str, frozenset[str]]:
        """Return the groups of every file that has any, by its absolute path."""
        return {source: frozenset(groups) for source, groups in self._facts.beginning(_PREFIX).items()}

    def of_document(self, document_id: str) -> frozenset[str]:
        """Return the groups of the file that a document comes from; empty means everybody."""
        known = [self._facts.get(_PREFIX + source, []) for source in self._ledger.of_document(document_id)]
        return frozenset(name for groups in known for name in groups)

    def hidden(self, groups: Collection[str]) -> frozenset[str]:
        """Return the ids of the documents that a member of `groups` may not see, also those on their way in.

        A document that comes from several files is hidden where one of them is.
        """
        closed = {source for source, needed in self.of_sources().items() if needed.isdisjoint(groups)}
        if not closed:
            return frozenset()
        rows = self._database.rows("SELECT source, document_id FROM source_documents")
        return frozenset(document_id for source, document_id in rows if decode(source) in closed)
