"""`fonte status`: how much is indexed, and in what state the files are."""

from __future__ import annotations

import typer

import fonte
from fonte.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption
from fonte.cli.output import print_json, printable


def status(corpus: CorpusOption = DEFAULT_CORPUS, json: JsonOption = False) -> None:
    """Say how many documents and chunks the corpus holds, the states of its files, and how far the index is built."""
    with fonte.Corpus.open(corpus) as opened:
        found = opened.status()
    if json:
        print_json(found)
        return
    for name, value in found.items():
        told = ", ".join(f"{key} {count}" for key, count in value.items()) if isinstance(value, dict) else value
        typer.echo(printable(f"{name.replace('_', ' ')}: {told}"))
