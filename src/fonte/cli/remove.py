"""`fonte remove`: take documents out of the corpus."""

from __future__ import annotations

from typing import Annotated

import typer

import fonte
from fonte.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption
from fonte.cli.output import print_json


def remove(
    documents: Annotated[list[str], typer.Argument(help="Names as `fonte list` prints them, or paths of the files.")],
    corpus: CorpusOption = DEFAULT_CORPUS,
    purge: Annotated[
        bool, typer.Option("--purge", help="Also erase every trace on disk: old versions, answer records, caches.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Remove DOCUMENTS from the corpus. The files themselves are not touched."""
    with fonte.Corpus.open(corpus) as opened:
        removed = opened.remove(documents, purge=purge)
    if json:
        print_json({"removed": list(removed), "purged": purge})
    else:
        typer.echo("\n".join(f"removed {name}" for name in removed))
