"""Small files that are either the old or the new one, whenever the machine stops."""

from __future__ import annotations

import os
from pathlib import Path


def read_text(file: Path) -> str:
    """Return the file's text, "" where there is none; bytes that are not UTF-8 are replaced, so that nothing fits."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def write_atomically(file: Path, text: str) -> None:
    """Replace the file's content: written beside it, synchronised, renamed, and the folder synchronised."""
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    with beside.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    beside.replace(file)
    synchronise(file.parent)


def synchronise(folder: Path) -> None:
    """Make renames in the folder last; systems that cannot open a folder do that by themselves."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def folder_bytes(folder: Path) -> int:
    """Return the size of all files below the folder; files that vanish meanwhile count nothing."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(root) / name).stat().st_size
            except FileNotFoundError:
                continue
    return total
