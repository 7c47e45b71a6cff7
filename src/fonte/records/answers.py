"""Answer records: everything about an answer, kept so that it can be replayed, checked and, when asked, forgotten."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from fonte import __version__
from fonte.errors import RecordError
from fonte.records.answer_record import AnswerRecord
from fonte.records.database import Database
from fonte.records.packing import canonical_json, decode, encode, pack_json, timestamp, unpack_json
from fonte.records.serialize import record_from_json, record_json
from fonte.values import content_id

_ID = re.compile(r"[0-9a-f]{1,16}(-\d*)?")


@dataclass(frozen=True, slots=True)
class RecordSummary:
    """A line in the list of records; `model` is the language model's name, `created` is UTC."""

    id: str
    created: str
    question: str
    status: str
    mode: str
    model: str


class AnswerRecords:
    """Records by id. An id is the hash of the record's content, so that a replay that gives the same answer shows it.

    Times and durations are not part of the hash. The same content recorded again gets a sequence number: `…-2`.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, record: AnswerRecord) -> AnswerRecord:
        """Keep `record` and return it with its id, its time (now, where it has none) and fonte's version.

        Errors: `RecordError` for scores or settings that JSON cannot say, such as infinities.
        """
        record = replace(
            record, created=record.created or timestamp(), fonte_version=record.fonte_version or __version__
        )
        content = record_content_id(record)
        with self._database.transaction():
            record = replace(record, answer=replace(record.answer, record=self._free_id(content)))
            self._insert(record)
        return record

    def get(self, wanted: str) -> AnswerRecord:
        """Return the record with the id `wanted`, or the only one whose id begins with it.

        Errors: `RecordError` when there is none or more than one, listing those that fit.
        """
        found = self._ids(wanted)
        if not found:
            raise RecordError(f"There is no record {wanted!r} here. `fonte list --records` shows those there are.")
        if len(found) > 1 and wanted not in found:
            shown = ", ".join(found[:10])
            raise RecordError(f"{wanted!r} begins {len(found)} records: {shown}. Give more characters of the id.")
        record_id = wanted if wanted in found else found[0]
        rows = self._database.rows("SELECT content FROM answers WHERE id = ?", (record_id,))
        if not rows:
            raise RecordError(f"The record {wanted!r} was deleted just now.")
        return record_from_json(unpack_json(rows[0][0]))

    def list(self, limit: int | None = None) -> tuple[RecordSummary, ...]:
        """Return at most `limit` records (None: all), the newest first."""
        rows = self._database.rows(
            "SELECT id, created, question, status, mode, model FROM answers ORDER BY created DESC, row DESC LIMIT ?",
            (-1 if limit is None else max(limit, 0),),
        )
        return tuple(
            RecordSummary(record_id, created, decode(question), status, mode, decode(model))
            for record_id, created, question, status, mode, model in rows
        )

    def count(self) -> int:
        """Return how many records are kept."""
        return int(self._database.rows("SELECT count(*) FROM answers")[0][0])

    def delete(self, record_id: str) -> None:
        """Drop a record and its evaluations. Errors: `RecordError` when there is none of this id."""
        if not self._database.run("DELETE FROM answers WHERE id = ?", (record_id,)):
            raise RecordError(f"There is no record {record_id!r} here. Give the whole id.")

    def expire(self, keep_days: int, now: datetime | None = None) -> int:
        """Drop the records that are older than `keep_days` days (at least 1); return how many there were."""
        if keep_days < 1:
            raise RecordError(f"Records are kept for at least one day, not {keep_days}. To keep none, turn them off.")
        oldest = timestamp((now or datetime.now(UTC)) - timedelta(days=keep_days))
        return self._database.run("DELETE FROM answers WHERE created < ?", (oldest,))

    def remove_documents(self, document_ids: Collection[str]) -> int:
        """Drop every record that holds a passage of one of these documents; return how many there were."""
        return self._database.run_many(
            "DELETE FROM answers WHERE id IN (SELECT id FROM answer_documents WHERE document_id = ?)",
            [(document_id,) for document_id in document_ids],
        )

    def _insert(self, record: AnswerRecord) -> None:
        answer = record.answer
        question, model = encode(answer.question), encode(record.language_model.name)
        self._database.run(
            "INSERT INTO answers (id, created, question, status, mode, model, content) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (record.id, record.created, question, answer.status, answer.mode, model, pack_json(record_json(record))),
        )
        documents = sorted({passage.chunk.document_id for passage in answer.passages})
        self._database.run_many(
            "INSERT INTO answer_documents VALUES (?, ?)", [(record.id, document_id) for document_id in documents]
        )

    def _free_id(self, content: str) -> str:
        taken = [int(known.partition("-")[2] or 1) for known in self._ids(content)]
        return f"{content}-{max(taken) + 1}" if taken else content

    def _ids(self, prefix: str) -> tuple[str, ...]:
        if not _ID.fullmatch(prefix):
            return ()
        # "~" comes after every character of an id.
        rows = self._database.rows(
            "SELECT id FROM answers WHERE id >= ? AND id < ? ORDER BY row", (prefix, prefix + "~")
        )
        return tuple(record_id for (record_id,) in rows)


def record_content_id(record: AnswerRecord) -> str:
    """Return 16 hexadecimal digits from all of a record except id, time, durations and fonte's version.

    Two runs that retrieved, prompted, put out and displayed the same under the same settings have the same id.
    """
    content = record_json(replace(record, created="", fonte_version="", answer=replace(record.answer, record="")))
    content["answer"]["seconds"] = []
    return content_id(canonical_json(content))
