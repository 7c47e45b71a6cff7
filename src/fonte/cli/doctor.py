"""`fonte doctor`: check that everything is in place, and say what to do where it is not."""

from __future__ import annotations

import typer

import fonte
from fonte.cli.options import DEFAULT_CORPUS, CorpusOption, JsonOption
from fonte.cli.output import print_json, printable

INCOMPLETE = 3


def doctor(corpus: CorpusOption = DEFAULT_CORPUS, json: JsonOption = False) -> None:
    """Check packages, models, settings and the corpus. Exit code 3 if something needs attention."""
    from fonte.corpus import examine  # imports the models' libraries

    checks = examine(corpus, fonte.Settings.load(corpus))
    if json:
        print_json({"checks": [check.to_json() for check in checks]})
    else:
        for check in checks:
            typer.echo(printable(f"{check.status:<9} {check.name}: {check.detail}"))
    if any(check.status == "attention" for check in checks):
        raise typer.Exit(INCOMPLETE)
