"""The user's object: a folder with an index, a ledger and answer records."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fonte.corpus.corpus import Corpus
    from fonte.corpus.doctor import examine
    from fonte.corpus.report import AddReport, FileReport, ReindexReport

__all__ = ["AddReport", "Corpus", "FileReport", "ReindexReport", "examine"]

_LAZY = {
    "Corpus": "fonte.corpus.corpus",
    "examine": "fonte.corpus.doctor",
    "AddReport": "fonte.corpus.report",
    "FileReport": "fonte.corpus.report",
    "ReindexReport": "fonte.corpus.report",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'fonte.corpus' has no attribute {name!r}")
