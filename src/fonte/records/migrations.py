"""The schema as numbered steps; a step that was released is never edited, a change is a new step.

Text that comes from outside (paths, names, titles, reasons) is stored as bytes, UTF-8 with lone surrogates passed
through: undecodable file names, newlines and NUL characters keep their form, and byte order is code point order.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

Migration = Callable[[sqlite3.Connection], object]


def m001_records(connection: sqlite3.Connection) -> None:
    """Facts, ledger, document archive, answer records with evaluations, model outputs."""
    for statement in _M001:
        connection.execute(statement)


_M001 = (
    "CREATE TABLE facts (key TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID",
    """CREATE TABLE sources (
        source BLOB PRIMARY KEY, root BLOB NOT NULL, name BLOB NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('pending', 'indexed', 'no_text', 'skipped', 'failed')),
        reason BLOB NOT NULL, content TEXT NOT NULL, pipeline TEXT NOT NULL, updated TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX sources_by_state ON sources (state)",
    # `committed` is 0 while a document is written to the index for the first time.
    """CREATE TABLE source_documents (
        source BLOB NOT NULL REFERENCES sources ON DELETE CASCADE, document_id TEXT NOT NULL,
        chunks INTEGER NOT NULL, committed INTEGER NOT NULL, PRIMARY KEY (source, document_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX source_documents_by_document ON source_documents (document_id)",
    """CREATE TABLE documents (
        row INTEGER PRIMARY KEY, document_id TEXT NOT NULL, version TEXT NOT NULL, current INTEGER NOT NULL,
        source BLOB NOT NULL, name BLOB NOT NULL, title BLOB NOT NULL, format TEXT NOT NULL, reader BLOB NOT NULL,
        metadata BLOB NOT NULL, characters INTEGER NOT NULL, archived TEXT NOT NULL, UNIQUE (document_id, version)
    ) STRICT""",
    "CREATE UNIQUE INDEX documents_current ON documents (document_id) WHERE current = 1",
    "CREATE INDEX documents_by_name ON documents (name)",
    "CREATE INDEX documents_by_source ON documents (source)",
    """CREATE TABLE document_contents (
        document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
        text BLOB NOT NULL, map BLOB NOT NULL, words BLOB NOT NULL
    ) STRICT""",
    """CREATE TABLE fields (
        document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE, key BLOB NOT NULL,
        value BLOB NOT NULL, folded BLOB NOT NULL, number REAL, PRIMARY KEY (document, key)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX fields_by_value ON fields (key, value)",
    "CREATE INDEX fields_by_number ON fields (key, number) WHERE number IS NOT NULL",
    """CREATE TABLE answers (
        row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, created TEXT NOT NULL, question BLOB NOT NULL,
        status TEXT NOT NULL, mode TEXT NOT NULL, model BLOB NOT NULL, content BLOB NOT NULL
    ) STRICT""",
    "CREATE INDEX answers_by_time ON answers (created)",
    """CREATE TABLE answer_documents (
        id TEXT NOT NULL REFERENCES answers (id) ON DELETE CASCADE, document_id TEXT NOT NULL,
        PRIMARY KEY (document_id, id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX answer_documents_by_answer ON answer_documents (id)",
    """CREATE TABLE evaluations (
        id TEXT NOT NULL REFERENCES answers (id) ON DELETE CASCADE, kind TEXT NOT NULL, key TEXT NOT NULL,
        payload BLOB NOT NULL, PRIMARY KEY (id, kind, key)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE outputs (
        key TEXT PRIMARY KEY, model TEXT NOT NULL, created TEXT NOT NULL, value BLOB NOT NULL
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE output_documents (
        key TEXT NOT NULL REFERENCES outputs ON DELETE CASCADE, document_id TEXT NOT NULL,
        PRIMARY KEY (document_id, key)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX output_documents_by_output ON output_documents (key)",
)

MIGRATIONS: tuple[Migration, ...] = (m001_records,)
