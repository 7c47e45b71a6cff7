"""Who asks, and which documents exist for them: every route sees the corpus through this."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from fonte.errors import FonteError, UsageError
from fonte.records import AnswerRecord, Records, RecordSummary, parse_where
from fonte.records.documents import DocumentEntry
from fonte.records.where import BUILT_IN_KEYS, And, Comparison, Not, Or, Where, comparable
from fonte.serving.keys import ApiKey

# How many of the newest records are looked through for those of one key.
_LOOKED_THROUGH = 500


class NotFoundError(FonteError):
    """There is nothing of this name for who asks; the same words whether it is hidden or was never there."""


class GoneFileError(FonteError):
    """The file of a document is not, or no longer, what was indexed."""


class ForbiddenError(FonteError):
    """The key does not allow this."""


class UnauthorizedError(FonteError):
    """No key, or one that is not known."""


@dataclass(frozen=True)
class Principal:
    """Who asks: `id` is that of the key, "" where the server needs none."""

    id: str = ""
    groups: frozenset[str] = frozenset()
    write: bool = False
    admin: bool = False


LOCAL = Principal("", frozenset(), write=True, admin=True)
"""Who asks a server that answers this machine only and has no keys."""


def principal_of(key: ApiKey) -> Principal:
    """Return who a key stands for."""
    return Principal(key.id, frozenset(key.groups), key.write or key.admin, key.admin)


@dataclass(frozen=True)
class View:
    """The corpus as `principal` may see it, at the moment of one request."""

    records: Records
    principal: Principal
    hidden: frozenset[str]
    secluded: bool

    @classmethod
    def of(cls, records: Records, principal: Principal) -> View:
        """Look up once which documents are hidden from `principal`."""
        if principal.admin:
            return cls(records, principal, frozenset(), secluded=False)
        # Also a group of which nothing is left hides: records may still speak of what was in it.
        grouped = bool(records.groups.of_sources())
        return cls(records, principal, records.groups.hidden(principal.groups), secluded=grouped)

    def documents(self, where: str | None = None) -> frozenset[str] | None:
        """Return the ids that may be searched, None for all. Errors: `UsageError` for a filter that cannot be read."""
        if not self.secluded:
            return frozenset(self.records.documents.matching(parse_where(where))) if where else None
        wanted = parse_where(where) if where else None
        if wanted is not None:
            self._require_visible_keys(wanted)
        return frozenset(self.records.documents.matching(wanted)) - self.hidden

    def sees(self, document_id: str) -> bool:
        """Return whether a current document is visible."""
        return document_id not in self.hidden and bool(self.records.documents.versions(document_id))

    def entry(self, document_id: str) -> DocumentEntry:
        """Return a visible document. Errors: `NotFoundError`."""
        try:
            if document_id not in self.hidden:
                return self.records.documents.entry(document_id)
        except UsageError:
            pass
        raise NotFoundError(f"There is no document {document_id!r}.")

    def entries(self) -> list[DocumentEntry]:
        """Return the visible documents, ordered by name."""
        return [entry for entry in self.records.documents.list() if entry.document_id not in self.hidden]

    def record(self, record_id: str) -> AnswerRecord:
        """Return a record that `principal` asked for and all of whose passages are visible still.

        Errors: `NotFoundError`; only whole ids find anything.
        """
        try:
            record = self.records.answers.get(record_id)
        except FonteError:
            record = None
        if record is None or record.id != record_id or not self._may_read(record):
            raise NotFoundError(f"There is no answer {record_id!r}.")
        return record

    def record_lines(self, limit: int) -> list[RecordSummary]:
        """Return at most `limit` records that `record` would return, the newest first."""
        if self.principal.admin:
            return list(self.records.answers.list(limit))
        lines = self.records.answers.list(_LOOKED_THROUGH)
        return list(islice((line for line in lines if self._may_read(self.records.answers.get(line.id))), limit))

    def require_write(self) -> None:
        """Errors: `ForbiddenError` where documents may not be changed."""
        if not self.principal.write:
            raise ForbiddenError("This key may not change documents. Use one that was added with --write.")

    def require_admin(self) -> None:
        """Errors: `ForbiddenError` for all but administrators."""
        if not self.principal.admin:
            raise ForbiddenError("This is for administrators. Use a key that was added with --admin.")

    def _may_read(self, record: AnswerRecord) -> bool:
        if self.principal.admin:
            return True
        if record.settings.get("asker", "") != self.principal.id:
            return False
        documents = {passage.chunk.document_id for passage in record.answer.passages}
        return not self.secluded or all(self.sees(document) for document in documents)

    def _require_visible_keys(self, where: Where) -> None:
        """Refuse keys that only hidden documents have, with the same words as keys that nobody has."""
        known = {*BUILT_IN_KEYS, *(comparable(key) for entry in self.entries() for key in entry.metadata)}
        for key in _keys(where):
            if comparable(key) not in known:
                raise UsageError(f"where: no document has the key {key!r}. There are: {', '.join(sorted(known))}.")


def _keys(where: Where) -> Iterator[str]:
    match where:
        case Comparison(key, _, _):
            yield key
        case Not(part):
            yield from _keys(part)
        case And(parts) | Or(parts):
            yield from _all_keys(parts)


def _all_keys(parts: Iterable[Where]) -> Iterator[str]:
    for part in parts:
        yield from _keys(part)
