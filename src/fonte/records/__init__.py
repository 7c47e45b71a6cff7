"""What a corpus remembers, in one SQLite file: sources and their states, documents, answers, checked model outputs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fonte.records.answer_record import AnswerRecord, ModelIdentity
    from fonte.records.answers import RecordSummary, record_content_id
    from fonte.records.documents import DocumentEntry
    from fonte.records.ledger import STATES, IndexedDocument, LedgerEntry, SourceFile, content_fingerprint
    from fonte.records.outputs import OutputKey
    from fonte.records.records import Purged, Records
    from fonte.records.serialize import answer_json, citation_json, passages_json, record_json
    from fonte.records.snapshot import settings_snapshot
    from fonte.records.where import Where, parse_where

_MODULES = {
    "AnswerRecord": "answer_record",
    "DocumentEntry": "documents",
    "IndexedDocument": "ledger",
    "LedgerEntry": "ledger",
    "ModelIdentity": "answer_record",
    "OutputKey": "outputs",
    "Purged": "records",
    "RecordSummary": "answers",
    "Records": "records",
    "STATES": "ledger",
    "SourceFile": "ledger",
    "Where": "where",
    "answer_json": "serialize",
    "citation_json": "serialize",
    "content_fingerprint": "ledger",
    "parse_where": "where",
    "passages_json": "serialize",
    "record_content_id": "answers",
    "record_json": "serialize",
    "settings_snapshot": "snapshot",
}

__all__ = [
    "STATES",
    "AnswerRecord",
    "DocumentEntry",
    "IndexedDocument",
    "LedgerEntry",
    "ModelIdentity",
    "OutputKey",
    "Purged",
    "RecordSummary",
    "Records",
    "SourceFile",
    "Where",
    "answer_json",
    "citation_json",
    "content_fingerprint",
    "parse_where",
    "passages_json",
    "record_content_id",
    "record_json",
    "settings_snapshot",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"fonte.records.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'fonte.records' has no attribute {name!r}")
