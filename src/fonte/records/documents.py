"""The document archive: the text and the map of every document, by id and version, with its metadata."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fonte.errors import StoreError, UsageError
from fonte.records.database import Database
from fonte.records.naming import choose
from fonte.records.packing import decode, encode, pack_json, pack_text, timestamp, unpack_json, unpack_text
from fonte.records.where import Where, comparable, folded, number
from fonte.records.where_sets import matching_rows
from fonte.records.word_map import pack_words, unpack_words
from fonte.values import Block, Document, Place

_COLUMNS = "document_id, version, name, title, format, source, metadata, characters"
_WHOLE = "source, name, title, format, reader, metadata, text, map, words"


@dataclass(frozen=True)
class DocumentEntry:
    """What is known of a document without loading its text; `characters` counts the code points of the text."""

    document_id: str
    version: str
    name: str
    title: str
    format: str
    source: str
    metadata: Mapping[str, str]
    characters: int


class DocumentArchive:
    """Documents by id and version. Several versions live side by side until one is made current.

    The order that never leaves the index without its text: `archive` the new version, replace it in the index, then
    `make_current`, which drops the other versions. Only current documents are listed, found and matched.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def archive(self, documents: Iterable[Document]) -> None:
        """Keep these versions beside those that are there; the text and map of one that is there are written anew."""
        with self._database.transaction():
            for document in documents:
                self._write(document)

    def make_current(self, versions: Mapping[str, str]) -> None:
        """Make `versions` (id to version) the current ones and drop all others of these documents.

        Errors: `StoreError` when one of the versions was never archived; then nothing changes.
        """
        pairs = list(versions.items())
        with self._database.transaction():
            self._database.run_many("DELETE FROM documents WHERE document_id = ? AND version <> ?", pairs)
            changed = self._database.run_many(
                "UPDATE documents SET current = 1 WHERE document_id = ? AND version = ?", pairs
            )
            if changed != len(pairs):
                raise StoreError(
                    "A document was committed whose text is not archived: it was never prepared, or another process "
                    "replaced it at the same time. Add its file again."
                )

    def remove(self, document_ids: Collection[str]) -> int:
        """Drop every version of these documents; return how many versions there were."""
        ids = [(document_id,) for document_id in document_ids]
        return self._database.run_many("DELETE FROM documents WHERE document_id = ?", ids)

    def drop_unfinished(self, document_ids: Collection[str]) -> int:
        """Drop the versions of these documents that never became current; return how many there were."""
        ids = [(document_id,) for document_id in document_ids]
        return self._database.run_many("DELETE FROM documents WHERE document_id = ? AND current = 0", ids)

    def load(self, document_id: str, version: str | None = None) -> Document:
        """Return a document with its whole map; `version` None takes the current one.

        Errors: `UsageError` when there is no such document or version.
        """
        source, name, title, file_format, reader, metadata, text, contents, words = self._row(
            document_id, version, _WHOLE
        )
        known = unpack_json(contents)
        return Document(
            source=decode(source),
            name=decode(name),
            title=decode(title),
            text=unpack_text(text),
            format=file_format,
            reader=decode(reader),
            blocks=tuple(_blocks(known)),
            words=unpack_words(words),
            metadata=unpack_json(metadata),
            identity=tuple(known["identity"]),
        )

    def text(self, document_id: str, version: str | None = None) -> str:
        """Return a document's text alone; `version` None takes the current one. Errors: as `load`."""
        return unpack_text(self._row(document_id, version, "text")[0])

    def place(self, document_id: str, start: int, end: int, version: str | None = None) -> Place:
        """Return what `load(document_id, version).place(start, end)` does, without loading all of a long document.

        Errors: as `load`.
        """
        contents, words = self._row(document_id, version, "map, words")
        near = unpack_words(words, (start, end))
        blocks = tuple(_blocks(unpack_json(contents)))
        return Document("", "", "", "", "", "", blocks=blocks, words=near).place(start, end)

    def versions(self, document_id: str) -> tuple[str, ...]:
        """Return the archived versions of a document, the current one first."""
        rows = self._database.rows(
            "SELECT version FROM documents WHERE document_id = ? ORDER BY current DESC, row", (document_id,)
        )
        return tuple(version for (version,) in rows)

    def list(self) -> tuple[DocumentEntry, ...]:
        """Return all current documents, ordered by name, then by source."""
        rows = self._database.rows(f"SELECT {_COLUMNS} FROM documents WHERE current = 1 ORDER BY name, source")
        return tuple(_entry(row) for row in rows)

    def entry(self, document_id: str) -> DocumentEntry:
        """Return what is known of a current document. Errors: `UsageError` when there is none of this id."""
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM documents WHERE current = 1 AND document_id = ?", (document_id,)
        )
        if not rows:
            raise UsageError(f"There is no document {document_id!r} here. `fonte list` shows those there are.")
        return _entry(rows[0])

    def find(self, wanted: str) -> DocumentEntry:
        """Return the one document that `wanted` means: its id, name or source, or the end of a path that only it has.

        Unicode forms do not matter (a name typed in NFC finds a file named in NFD). Errors: `UsageError` when none
        fits (with the nearest names) or several do (with their sources).
        """
        exact = self._database.rows(
            f"SELECT {_COLUMNS} FROM documents WHERE current = 1 AND (name = ?1 OR source = ?1 OR document_id = ?2)",
            (encode(wanted), wanted if wanted.isascii() else ""),
        )
        return _entry(exact[0]) if len(exact) == 1 else choose(wanted, self.list())

    def matching(self, where: Where | None) -> set[str]:
        """Return the ids of the current documents that fulfil `where`, all of them for None.

        Errors: `UsageError` for a key that no document has, listing those there are (an empty corpus matches nothing).
        """
        ids = dict(self._database.rows("SELECT row, document_id FROM documents WHERE current = 1"))
        if where is None or not ids:
            return set(ids.values())
        return {ids[row] for row in matching_rows(where, self._database, set(ids))}

    def keys(self) -> tuple[str, ...]:
        """Return the keys that a filter may name: the built-in ones and all metadata keys, in order."""
        rows = self._database.rows(
            "SELECT DISTINCT key FROM fields JOIN documents ON document = row WHERE current = 1 ORDER BY key"
        )
        return tuple(decode(key) for (key,) in rows)

    def _row(self, document_id: str, version: str | None, columns: str) -> tuple[Any, ...]:
        wanted = "current = 1" if version is None else "version = ?"
        rows = self._database.rows(
            f"SELECT {columns} FROM documents JOIN document_contents ON document = row "
            f"WHERE document_id = ? AND {wanted}",
            (document_id,) if version is None else (document_id, version),
        )
        if not rows:
            known = ", ".join(self.versions(document_id)) or "none"
            raise UsageError(
                f"There is no document {document_id!r} in version {version or 'current'!r} here (versions: {known}). "
                "`fonte list` shows the documents there are."
            )
        return rows[0]

    def _write(self, document: Document) -> None:
        database = self._database
        known = database.rows(
            "SELECT row FROM documents WHERE document_id = ? AND version = ?", (document.id, document.version)
        )
        row = known[0][0] if known else self._insert(document)
        database.run(
            "INSERT OR REPLACE INTO document_contents (document, text, map, words) VALUES (?, ?, ?, ?)",
            (row, pack_text(document.text), pack_json(_map(document)), pack_words(document.words)),
        )

    def _insert(self, document: Document) -> int:
        names = [encode(value) for value in (document.source, document.name, document.title)]
        described = (document.format, encode(document.reader), pack_json(dict(document.metadata)))
        rows = self._database.rows(
            "INSERT INTO documents (document_id, version, source, name, title, format, reader, metadata, characters, "
            "archived, current) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) RETURNING row",
            (document.id, document.version, *names, *described, len(document.text), timestamp()),
        )
        row = int(rows[0][0])
        self._database.run_many("INSERT OR REPLACE INTO fields VALUES (?, ?, ?, ?, ?)", _fields(row, document))
        return row


def _fields(row: int, document: Document) -> Iterator[tuple[int, bytes, bytes, bytes, float | None]]:
    built_in = {"document": document.name, "title": document.title, "format": document.format}
    for key, value in {**document.metadata, **built_in, "source": document.source}.items():
        form = unicodedata.normalize("NFC", key)
        yield row, encode(form), encode(comparable(value)), encode(folded(value)), number(value)


def _map(document: Document) -> dict[str, Any]:
    """Blocks as rows of numbers and references, so that a heading path is written once and not for each block."""
    headings: dict[tuple[str, ...], int] = {}
    names: dict[str, int] = {}
    rows = []
    for block in document.blocks:
        heading = headings.setdefault(block.heading, len(headings))
        kind, header, sheet = (names.setdefault(name, len(names)) for name in (block.kind, block.header, block.sheet))
        rows.append((block.start, block.end, kind, heading, header, block.page, block.line, sheet))
    return {"blocks": rows, "headings": list(headings), "names": list(names), "identity": list(document.identity)}


def _blocks(known: Mapping[str, Any]) -> Iterator[Block]:
    names, headings = known["names"], [tuple(heading) for heading in known["headings"]]
    for start, end, kind, heading, header, page, line, sheet in known["blocks"]:
        yield Block(start, end, names[kind], headings[heading], names[header], page, line, names[sheet])


def _entry(row: tuple[Any, ...]) -> DocumentEntry:
    document_id, version, name, title, file_format, source, metadata, characters = row
    return DocumentEntry(
        document_id=document_id,
        version=version,
        name=decode(name),
        title=decode(title),
        format=file_format,
        source=decode(source),
        metadata=unpack_json(metadata),
        characters=characters,
    )
