"""`fonte list`: the documents of a corpus."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

import fonte
from fonte.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption, WhereOption
from fonte.cli.output import print_json, table
from fonte.errors import UsageError

if TYPE_CHECKING:
    from fonte.records import RecordSummary


def list_documents(
    corpus: CorpusOption = DEFAULT_CORPUS,
    where: WhereOption = None,
    records: Annotated[
        bool, typer.Option("--records", help="List the recorded answers instead, the newest first.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """List the documents of the corpus with title, format, chunks and metadata, or its recorded answers."""
    if records and where:
        raise UsageError("--where chooses documents; leave it out to list records.")
    with fonte.Corpus.open(corpus) as opened:
        if records:
            _print_records(opened.records.answers.list(), json)
            return
        entries = opened.documents(where=where)
    if json:
        print_json({"documents": [entry.to_json() for entry in entries]})
        return
    table(
        ("document", "title", "format", "chunks", "characters"),
        [(entry.document, entry.title, entry.format, entry.chunks, entry.characters) for entry in entries],
    )


def _print_records(records: tuple[RecordSummary, ...], json: bool) -> None:
    if json:
        print_json({"records": [asdict(record) for record in records]})
        return
    table(
        ("record", "created", "status", "mode", "question"),
        [(record.id, record.created[:19], record.status, record.mode, record.question) for record in records],
    )
