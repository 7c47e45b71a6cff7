"""Which files lie below the given paths: sorted, each once, and every one that is passed over with its reason."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fonte.documents.clean import readable_name
from fonte.documents.formats import unsupported_reason
from fonte.documents.opening import not_a_file
from fonte.documents.read import source_of


@dataclass(frozen=True, slots=True)
class Found:
    """A path below a root. `status` is "" for what is to be read, else `skipped` or `failed` with a `reason`.

    `name` is the path below the root with `/` between its parts (the file's own name where the root is the file), and
    `source` the absolute path; both can be printed and stored (undecodable bytes are escaped), `path` opens the file.
    """

    path: Path
    name: str
    source: str
    status: Literal["", "skipped", "failed"] = ""
    reason: str = ""


def discover(roots: Sequence[Path], exclude: Sequence[Path] = ()) -> Iterator[Found]:
    """Walk the `roots` in the order given, each folder sorted by name, and give every file once.

    Hidden files and folders (a leading dot, Office's `~$` locks) are skipped unless they are roots themselves. A link
    below a root is followed only to a hidden place below the same root: what it else points to is either found under
    its own name, or lies outside of what was given. So loops cannot occur. Folders in `exclude` are passed over
    silently.
    """
    seen: set[str] = set()
    passed = {os.path.realpath(path) for path in exclude}
    for root in roots:
        for found in _below(Path(root), passed):
            if found.source not in seen:
                seen.add(found.source)
                yield found


def _below(root: Path, passed: set[str]) -> Iterator[Found]:
    try:
        mode = root.stat().st_mode
    except OSError as error:
        yield _found(root, root.name, "failed", _why(error))
        return
    if not root.is_dir():
        yield _judged(root, root.name, mode)
        return
    real_root = os.path.realpath(root)
    stack = _children(root, "", passed)
    while stack:
        path, name = stack.pop()
        found = _visit(path, name, real_root)
        if found is None:
            stack.extend(_children(path, f"{name}/", passed))
            continue
        yield found


def _visit(path: Path, name: str, root: str) -> Found | None:
    """Judge one entry; None means: a folder to go down into."""
    if path.name.startswith((".", "~$")):
        return _found(path, name, "skipped", "Hidden. Name it on the command line to add it.")
    try:
        mode = path.stat().st_mode
        if path.is_symlink() and (reason := _link_reason(path, root)):
            return _found(path, name, "skipped", reason)
        if path.is_dir():
            next(os.scandir(path), None)  # a folder that cannot be opened is reported, not passed over
            return None
    except OSError as error:
        return _found(path, name, "skipped" if path.is_symlink() else "failed", _why(error))
    return _judged(path, name, mode)


def _children(folder: Path, prefix: str, passed: set[str]) -> list[tuple[Path, str]]:
    try:
        names = sorted((entry.name for entry in os.scandir(folder)), reverse=True)
    except OSError:  # gone since it was visited
        return []
    children = [(folder / name, prefix + name) for name in names]
    return [child for child in children if not passed or os.path.realpath(child[0]) not in passed]


def _link_reason(path: Path, root: str) -> str:
    target = os.path.realpath(path)
    holder = os.path.realpath(path.parent)
    if os.path.commonpath([holder, target]) == target:
        return "A link to a folder that holds it: a loop."
    if os.path.commonpath([target, root]) != root:
        return "A link to outside of the folder given. Add what it points to, if you want it."
    inside = Path(os.path.relpath(target, root)).parts
    if not any(part.startswith(".") and part not in (".", "..") for part in inside):
        return f"A link to {readable_name('/'.join(inside))}, which is found under its own name."
    return ""


def _judged(path: Path, name: str, mode: int) -> Found:
    reason = not_a_file(mode) or unsupported_reason(path)
    return _found(path, name, "skipped" if reason else "", reason)


def _found(path: Path, name: str, status: Literal["", "skipped", "failed"], reason: str) -> Found:
    return Found(path, readable_name(name), source_of(path), status, reason)


def _why(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "There is nothing at this path: a wrong name, a link that leads nowhere, or deleted meanwhile."
    if isinstance(error, PermissionError):
        return "No permission to look into it."
    if error.errno == errno.ELOOP:
        return "A link that leads back to itself."
    return f"Cannot be opened: {error.strerror or error}."
