"""`fonte calibrate`: how sure `chop` has to be that another document begins, learned from your own files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import fonte
from fonte.cli.options import DEFAULT_CORPUS, JsonOption
from fonte.cli.output import print_json, progress, table, warn

if TYPE_CHECKING:
    from fonte.corpus.calibrating import Calibration


def calibrate(
    paths: Annotated[
        list[Path],
        typer.Argument(help="Files or folders; each file must be one document.", exists=True, readable=False),
    ],
    json: JsonOption = False,
) -> None:
    """Fit to the files below PATHS where the chunker chop sees another document begin, and print what to set.

    Files are joined in random orders, so it is known where each one ends; at least eight are needed. Nothing is
    indexed or changed: the lines are for your `fonte.toml`, or for the one in a corpus. They hold for merged files
    and streams of the same kind. What was indexed with chop before is cut anew by the next add.
    """
    from fonte.chunking.chop.continuity import continuity_of  # imports scipy
    from fonte.corpus.calibrating import calibrate as fit

    present = continuity_of(fonte.Settings.load().chop)
    with progress("Reading") as advance:
        found = fit(paths, present, [DEFAULT_CORPUS], advance)
    if json:
        print_json(found.to_json())
        return
    typer.echo(
        f"{found.files} files ({found.left_out} left out), {found.used} joined, {found.before.joins} joins tested"
    )
    names = {"ends of documents found": "found", "false ends": "false", "files taken apart": "taken_apart"}
    table(("", "now", "fitted"), [(name, *_both(found, key)) for name, key in names.items()])
    if found.advised:
        typer.echo(f"\n{found.toml}")
    else:
        typer.echo("\nNothing is gained: leave slope and shift as they are.")
    if found.advised and found.after.taken_apart > found.before.taken_apart:
        warn(f"With these settings {found.after.taken_apart} of your files would be taken for several documents.")


def _both(found: Calibration, name: str) -> tuple[int, int]:
    return getattr(found.before, name), getattr(found.after, name)
