"""`fonte reindex`: build the index anew beside the old one, then swap."""

from __future__ import annotations

from typing import Annotated

import typer

import fonte
from fonte.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption, flags
from fonte.cli.output import print_json, progress, warn


def reindex(
    corpus: CorpusOption = DEFAULT_CORPUS,
    embedder: Annotated[str | None, typer.Option("--embedder", help="Another embedder: name, path or hub id.")] = None,
    window: Annotated[int | None, typer.Option("--window", help="The embedder's window in tokens.")] = None,
    chunker: Annotated[str | None, typer.Option("--chunker", help="heading, fixed or cosine.")] = None,
    tokens: Annotated[int | None, typer.Option("--tokens", help="Most tokens in a chunk.")] = None,
    json: JsonOption = False,
) -> None:
    """Cut and embed all documents again, with the present settings or another embedder.

    The old index answers until the new one is complete. An interrupted run is finished by running it again.
    """
    chosen = flags(embedder={"model": embedder, "window": window}, chunking={"chunker": chunker, "tokens": tokens})
    settings = fonte.Settings.load(corpus, chosen)
    with fonte.Corpus.open(corpus, settings, tell=warn) as opened, progress("Indexing") as advance:
        report = opened.reindex(progress=advance)
    if json:
        print_json(report.to_json())
    else:
        typer.echo(f"{report.documents} documents, {report.chunks} chunks, embedder {report.embedder}.")
