"""Opening a file without ever hanging on a pipe or a device, and saying why it cannot be opened."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from fonte.documents.reading import UnreadableError

LARGEST_FILE = 512 * 2**20
_KINDS = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


def read_bytes(path: Path, most: int | None = None) -> bytes:
    """Return the bytes of the regular file `path`, only the first `most` if given.

    Errors: `UnreadableError`, status `skipped` for what is not a regular file or larger than 512 MB, `failed` for a
    file that is gone or may not be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise _refusal(error, path) from None
    try:
        status = os.fstat(descriptor)
        if reason := not_a_file(status.st_mode):
            raise UnreadableError(reason, "skipped")
        if most is None and status.st_size > LARGEST_FILE:
            size, limit = status.st_size // 2**20, LARGEST_FILE // 2**20
            raise UnreadableError(
                f"Larger than can be read at once ({size} MB, limit {limit} MB). Split it.", "skipped"
            )
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return file.read(-1 if most is None else most)
    except OSError as error:
        raise _refusal(error, path) from None
    finally:
        os.close(descriptor)


def not_a_file(mode: int) -> str:
    """Return why something of this `st_mode` is not read as a file; "" for a regular file."""
    if stat.S_ISREG(mode):
        return ""
    if stat.S_ISDIR(mode):
        return "This is a folder, not a file."
    return f"This is {_KINDS.get(stat.S_IFMT(mode), 'something special')}, not a file with a text."


def _refusal(error: OSError, path: Path) -> UnreadableError:
    if isinstance(error, FileNotFoundError):
        gone = (
            "The link leads nowhere." if path.is_symlink() else "The file is gone: moved or deleted since it was found?"
        )
        return UnreadableError(gone)
    if isinstance(error, PermissionError):
        return UnreadableError("No permission to read this file. Change its permissions or run as its owner.")
    if isinstance(error, IsADirectoryError):
        return UnreadableError("This is a folder, not a file.", "skipped")
    if error.errno == errno.ENXIO:
        return UnreadableError("This is a socket or a device, not a file with a text.", "skipped")
    return UnreadableError(f"The file cannot be opened: {error.strerror or error}.")
