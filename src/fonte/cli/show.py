"""`fonte show`: one document as fonte reads it."""

from __future__ import annotations

from typing import Annotated

import typer

import fonte
from fonte.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption
from fonte.cli.output import print_json, printable


def show(
    document: Annotated[str, typer.Argument(help="The document's name as `fonte list` prints it, or the end of it.")],
    corpus: CorpusOption = DEFAULT_CORPUS,
    chunks: Annotated[bool, typer.Option("--chunks", help="Show the chunks with their offsets instead.")] = False,
    json: JsonOption = False,
) -> None:
    """Show DOCUMENT: its canonical text, to which all offsets refer, or its chunks."""
    with fonte.Corpus.open(corpus) as opened:
        view = opened.show(document)
    if json:
        print_json(view.to_json())
    elif not chunks:
        typer.echo(printable(view.document.text, keep="\n\t"))
    else:
        for chunk in view.chunks:
            heading = " > ".join(chunk.heading)
            typer.echo(printable(f"[{chunk.ordinal}] {chunk.start}-{chunk.end}  {heading}"))
            typer.echo(printable(chunk.text, keep="\n\t") + "\n")
