"""Building an index anew beside the one in use, and changing over in one step.

A corpus keeps its stores in numbered folders below one index folder, and a pointer file names the one in use:

    index/current        text: 0002
    index/0002/          the store in use
    index/0001/          the one before; searches that began with it go on until it is cleaned
    index/write.lock     held by whoever writes or builds anew
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fonte.errors import StoreError
from fonte.retrieval.files import read_text, write_atomically
from fonte.retrieval.lance import LanceStore
from fonte.retrieval.locking import WAIT_SECONDS, WriteLock

GRACE_SECONDS = 600.0
"""How long a replaced store stays for searches that began with it."""

_POINTER = "current"
_GENERATION = re.compile(r"\d{4,}")


def create_current(index: Path, dimension: int, embedder_fingerprint: str) -> LanceStore:
    """Create the first store of an index folder and make it the current one.

    Errors: `StoreError` when there is a current store already.
    """
    with begin_store(index, dimension, embedder_fingerprint) as store:
        if has_store(index):
            raise StoreError(f"There is an index in {index} already.")
        commit_store(index, store)
    return current_store(index)


def has_store(index: Path) -> bool:
    """Return whether the index folder has a current store."""
    return _current_name(index) != ""


def current_store(index: Path, embedder_fingerprint: str | None = None) -> LanceStore:
    """Open the store in use; see `LanceStore.open` for the embedder.

    Its writes take the index folder's lock and fail with `StoreError` once another store has taken its place; reads go
    on. Errors: `StoreError` when there is no current store, `CorpusError` when it does not fit.
    """
    name = _current_name(index)
    if not name:
        raise StoreError(f"There is no index in {index}. Add documents first: fonte add PATH --corpus DIR.")

    def check() -> None:
        if _current_name(index) != name:
            raise StoreError(
                f"The index in {index} was built anew meanwhile. Nothing was written. Run the command again."
            )

    lock = WriteLock(index / "write.lock", check=check)
    return LanceStore.open(index / name, embedder_fingerprint, lock)


@contextmanager
def begin_store(
    index: Path, dimension: int, embedder_fingerprint: str, wait: float = WAIT_SECONDS
) -> Iterator[LanceStore]:
    """Give an empty store beside the current one, to be filled and passed to `commit_store` inside the `with` block.

    The index folder's lock is held for the whole block, so nobody writes to the old store meanwhile; it stays
    searchable. Without a commit the new store is deleted at the end, and after a kill at the next begin. Errors:
    `StoreError` when somebody else writes for longer than `wait` seconds.
    """
    _make_folder(index)
    with WriteLock(index / "write.lock").held(wait):
        _clean(index, GRACE_SECONDS)
        number = max((int(name) for name in _generations(index)), default=0) + 1
        folder = index / f"{number:04d}"
        try:
            yield LanceStore.create(folder, dimension, embedder_fingerprint)
        finally:
            if _current_name(index) != folder.name:
                _delete(folder)


def commit_store(index: Path, store: LanceStore) -> None:
    """Make `store` the current one: the pointer file is replaced in one step. Call it inside `begin_store`'s block."""
    write_atomically(index / _POINTER, f"{store.path.name}\n")
    (index / _POINTER).touch()


def clean_leftovers(index: Path, grace: float = GRACE_SECONDS) -> bool:
    """Delete what a killed build left, and replaced stores once they have been out of use for `grace` seconds.

    Returns whether it could: False when somebody is writing, who will clean. With `grace` 0 no replaced store stays,
    which a purge needs.
    """
    if not index.is_dir():
        return True
    lock = WriteLock(index / "write.lock")
    if not lock.is_free():
        return False
    with lock.held():
        _clean(index, grace)
    return True


def _clean(index: Path, grace: float) -> None:
    current = _current_name(index)
    changed = (index / _POINTER).stat().st_mtime if current else 0.0
    recent = time.time() - changed < grace
    for name in _generations(index):
        # Below the current number: replaced. Above it: a build that was killed.
        replaced = bool(current) and int(name) < int(current)
        if name != current and not (replaced and recent):
            _delete(index / name)


def _delete(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"Cannot delete the old index {folder}: {error}. Delete the folder by hand.") from None


def _generations(index: Path) -> list[str]:
    return sorted(entry.name for entry in index.iterdir() if _GENERATION.fullmatch(entry.name) and entry.is_dir())


def _current_name(index: Path) -> str:
    name = read_text(index / _POINTER).strip()
    if name and not _GENERATION.fullmatch(name):
        raise StoreError(f"The file {index / _POINTER} does not name a store: {name!r}. Build it again: fonte reindex.")
    return name


def _make_folder(index: Path) -> None:
    try:
        index.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"Cannot create the index folder {index}: {error}.") from None
