"""`fonte list`: the documents of a corpus."""

from __future__ import annotations

import fonte
from fonte.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption, WhereOption
from fonte.cli.output import print_json, table


def list_documents(corpus: CorpusOption = DEFAULT_CORPUS, where: WhereOption = None, json: JsonOption = False) -> None:
    """List the documents of the corpus with title, format, chunks and metadata."""
    with fonte.Corpus.open(corpus) as opened:
        entries = opened.documents(where=where)
    if json:
        print_json({"documents": [entry.to_json() for entry in entries]})
        return
    table(
        ("document", "title", "format", "chunks", "characters"),
        [(entry.document, entry.title, entry.format, entry.chunks, entry.characters) for entry in entries],
    )
