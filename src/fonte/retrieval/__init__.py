"""Finding passages: the store protocol, the Lance store, hybrid search, and the change to a new index."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

# Read once, when lancedb is loaded: it warns on stderr of things that concern nobody who asks a question.
os.environ.setdefault("LANCEDB_LOG", "error")

if TYPE_CHECKING:
    from fonte.retrieval.fusion import reciprocal_rank_fusion
    from fonte.retrieval.lance import LanceStore
    from fonte.retrieval.search import QueryEmbedder, retrieve
    from fonte.retrieval.store import DocumentState, Hit, Row, Store, StoreStats, text_hash
    from fonte.retrieval.swap import (
        begin_store,
        clean_leftovers,
        commit_store,
        create_current,
        current_store,
        has_store,
    )

_HOMES = {
    "fusion": ("reciprocal_rank_fusion",),
    "lance": ("LanceStore",),
    "search": ("QueryEmbedder", "retrieve"),
    "store": ("DocumentState", "Hit", "Row", "Store", "StoreStats", "text_hash"),
    "swap": ("begin_store", "clean_leftovers", "commit_store", "create_current", "current_store", "has_store"),
}
_LAZY = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "DocumentState",
    "Hit",
    "LanceStore",
    "QueryEmbedder",
    "Row",
    "Store",
    "StoreStats",
    "begin_store",
    "clean_leftovers",
    "commit_store",
    "create_current",
    "current_store",
    "has_store",
    "reciprocal_rank_fusion",
    "retrieve",
    "text_hash",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
