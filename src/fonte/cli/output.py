"""How commands print: the answer on stdout, all else on stderr, progress on a terminal only."""

from __future__ import annotations

import io
import json
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable


# Overrides and isolates can make a terminal show text in another order than it is.
DIRECTION_CONTROLS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def print_json(value: Any) -> None:
    """Print `value` as one JSON object, all in escapes where stdout cannot say a character of it.

    That is so for lone surrogates of undecodable file names everywhere, and for most scripts in the code pages of
    Windows.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, allow_nan=False)
    typer.echo(text)


def print_anything() -> None:
    """Make stdout and stderr write what their encoding lacks as escapes, instead of failing in the middle."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def warn(message: str) -> None:
    """Print `message` on stderr."""
    typer.echo(printable(message, keep="\n"), err=True)


def printable(text: str, keep: str = "") -> str:
    r"""Return `text` safe for a terminal: control characters, direction overrides and lone surrogates as `\x..`.

    Text comes from documents and file names, which may try to move the cursor or reverse what is shown.
    """
    return "".join(
        character if character in keep or not _is_unsafe(character) else f"\\x{ord(character):02x}"
        for character in text
    )


def _is_unsafe(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs") or character in DIRECTION_CONTROLS


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print `rows` as a plain table on stdout; columns are as wide as their widest cell, numbers to the right."""
    cells = [[printable(str(cell)) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    numeric = [bool(cells) and all(_is_number(row[i]) for row in cells) for i in range(len(header))]
    for row in [list(header), *cells]:
        parts = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        typer.echo("  ".join(parts).rstrip())


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return cell == ""
    return True


@contextmanager
def progress(description: str) -> Iterator[Callable[[int, int], None]]:
    """Yield `advance(done, total)`, which draws a bar on stderr if that is a terminal and nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console  # only for terminals: keeps `fonte --help` and pipes fast
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
