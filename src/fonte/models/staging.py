"""A folder that appears whole or not at all, however the process ends."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fonte.errors import DownloadError, MissingExtraError


@contextmanager
def locked(target: Path, waiting: Callable[[], None] | None = None) -> Iterator[Path]:
    """Hold the lock of `target` (a folder that may not exist) and yield its staging folder, `.partial-NAME` beside it.

    The operating system drops the lock when a process dies. What a killed run left in the staging folder is still
    there; whoever holds the lock may use or delete it. `waiting` is called once if another process holds the lock.
    Errors: `DownloadError` where the folder cannot be written.
    """
    try:
        from filelock import FileLock, Timeout
    except ImportError:
        raise MissingExtraError("filelock", "local") from None
    with writing(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(target.parent / f".{target.name}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if waiting:
                waiting()
            lock.acquire()
    try:
        yield target.parent / f".partial-{target.name}"
    finally:
        lock.release()


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn an `OSError` while writing below `folder` into a `DownloadError` that says what to do."""
    try:
        yield
    except OSError as error:
        raise DownloadError(
            f"Cannot write to the model folder {folder}: {error.strerror or error}. Free space or permissions "
            "there, or set FONTE_MODELS to a folder that can be written."
        ) from None


def put_in_place(finished: Path, target: Path, staging: Path) -> None:
    """Rename the `finished` folder to `target`, moving an older `target` out of the way, then delete `staging`."""
    if target.exists():
        old = staging / "replaced"
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
    finished.rename(target)
    shutil.rmtree(staging, ignore_errors=True)
