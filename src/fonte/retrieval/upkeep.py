"""Keeping a table quick: keyword and id indices, merged files, old versions; and taking rows off the disk for good."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any

from lancedb.index import FTS, BTree

KEYWORD_COLUMNS = ("terms", "fragments")
SAFE_AGE = timedelta(seconds=10)
"""Versions younger than this are kept for searches that began with one; slower ones begin again with the last."""

MANY_VERSIONS = 3
"""Old versions after which maintenance removes them even if nothing else is to do."""

MANY_FILES = 24
"""Files of a table after which a write merges them."""


def ensure_indices(table: Any) -> None:
    """Create what is missing of the keyword indices and the index of document ids; they work on an empty table too."""
    present = {column for index in table.list_indices() for column in index.columns}
    for column in KEYWORD_COLUMNS:
        if column not in present:
            _create_keyword_index(table, column)
    if "document_id" not in present:
        table.create_index("document_id", config=BTree())


def unindexed_rows(table: Any) -> int:
    """Return the number of rows that searches still have to scan, in the keyword index that lags most."""
    indices = [index for index in table.list_indices() if set(index.columns) & set(KEYWORD_COLUMNS)]
    return max((index.num_unindexed_rows or 0 for index in indices), default=0)


def has_many_files(table: Any) -> bool:
    """Return whether writes have left so many small files that searches slow down."""
    return bool(table.stats()["fragment_stats"]["num_fragments"] >= MANY_FILES)


def needs_work(table: Any) -> bool:
    """Return whether rows wait for an index, files for being merged, or many old versions for removal."""
    if unindexed_rows(table) or has_many_files(table):
        return True
    limit = datetime.now() - SAFE_AGE
    old = [version for version in table.list_versions() if version["timestamp"] < limit]
    return len(old) > MANY_VERSIONS


def optimise(table: Any, age: timedelta = SAFE_AGE) -> None:
    """Merge files, bring every index up to date and remove versions older than `age`.

    The caller holds the write lock: files that belong to no version then come from a killed writer, and go too.
    """
    table.optimize(cleanup_older_than=age, delete_unverified=True)


def erase_removed_rows(table: Any) -> None:
    """Take every trace of removed rows off the disk: old versions, deletion marks, index entries.

    All rows are written anew, then the keyword indices and the index of ids, then every other version goes. Searches
    go on meanwhile; one that still reads an old version starts again.
    """
    if table.count_rows():
        table.update(values_sql={"text_version": "text_version"})
    for column in KEYWORD_COLUMNS:
        _create_keyword_index(table, column)
    table.create_index("document_id", config=BTree(), replace=True)
    time.sleep(0.005)  # ages are counted in milliseconds, and nothing but the last version may stay
    optimise(table, timedelta(milliseconds=1))


def _create_keyword_index(table: Any, column: str) -> None:
    analysis = FTS(
        base_tokenizer="whitespace",  # `terms` decides what a term is
        lower_case=False,
        stem=False,
        remove_stop_words=False,
        ascii_folding=False,
        max_token_length=256,
    )
    table.create_index(column, config=analysis, replace=True)
