"""Options that several commands share, so that they read and behave the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

DEFAULT_CORPUS = Path("fonte-corpus")

CorpusOption = Annotated[Path, typer.Option("--corpus", help="Folder of the corpus.", show_default=True)]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
WhereOption = Annotated[
    str | None,
    typer.Option("--where", help="Only documents whose metadata match, e.g. 'language=it and title~pump'."),
]
PassagesOption = Annotated[int | None, typer.Option("--passages", min=1, max=200, help="How many passages to use.")]


def flags(**sections: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that the command line set, without those that it did not."""
    given = {
        name: {key: value for key, value in values.items() if value is not None} for name, values in sections.items()
    }
    return {name: values for name, values in given.items() if values}
