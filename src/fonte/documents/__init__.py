"""Bytes to documents: one reader per format, canonical text, and the map from each offset back to the original.

    for found in discover([folder]): ...
    for path, reading in read_files([(found.path, found.name), ...], processes=2): ...

`read_file` reads in this process, `read_files` in worker processes that survive hostile files.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fonte.documents.discovery import Found, discover
    from fonte.documents.formats import FORMATS, reader_fingerprint, supported
    from fonte.documents.pool import Bounds, read_files
    from fonte.documents.read import read_file, source_of
    from fonte.documents.reading import Reading

__all__ = [
    "FORMATS",
    "Bounds",
    "Found",
    "Reading",
    "discover",
    "read_file",
    "read_files",
    "reader_fingerprint",
    "source_of",
    "supported",
]

_LAZY = {
    "FORMATS": "formats",
    "Bounds": "pool",
    "Found": "discovery",
    "Reading": "reading",
    "discover": "discovery",
    "read_file": "read",
    "read_files": "pool",
    "reader_fingerprint": "formats",
    "source_of": "read",
    "supported": "formats",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"fonte.documents.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'fonte.documents' has no attribute {name!r}")
