"""Reading files that other programs wrote: every mistake is told with file, line, and what to do."""

from __future__ import annotations

import gzip
import io
import json
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from fonte.errors import UsageError

Json = dict[str, Any]


def refuse(path: Path, line: int | None, problem: str, advice: str) -> NoReturn:
    """Raise the `UsageError` for a file that is not what it should be."""
    where = f"{path}, line {line}" if line else str(path)
    raise UsageError(f"{where}: {problem} {advice}")


def read_lines(path: Path, blank: bool = False) -> Iterator[tuple[int, str]]:
    r"""Yield (line number from 1, line without its end) of a UTF-8 file, gzipped where its name ends in `.gz`.

    Lines end at `\n` or `\r\n` only: ids may hold the other characters that Python's `splitlines` would split at.
    Blank lines are skipped unless `blank`, and so is a byte order mark. Errors: `UsageError` for a file that is
    missing, a folder, not readable, not gzip or not UTF-8.
    """
    number = 0
    try:
        with _open(path) as stream:
            for number, line in enumerate(stream, start=1):
                text = line.rstrip("\r\n")
                if text.strip() or blank:
                    yield number, text
    except UnicodeDecodeError as error:
        refuse(path, number + 1, f"this is not UTF-8 text ({error.reason}).", "Convert the file to UTF-8.")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        refuse(path, None, f"this is not a whole gzip file ({error}).", "Fetch it again, or unpack it yourself.")
    except OSError as error:
        refuse(path, None, f"the file cannot be read ({error.strerror or error}).", "Check the path.")


def read_json(path: Path) -> Any:
    """Return the value of a JSON file (gzipped or not). Errors: `UsageError` as for `read_lines`, or not JSON."""
    return parse(path, None, "\n".join(line for _, line in read_lines(path)))


def read_objects(path: Path) -> Iterator[tuple[int, Json]]:
    """Yield (number, object) of a JSONL file, or of a JSON file that is a list of objects.

    The number is that of the line, or the position in the list, from 1. Errors: `UsageError`.
    """
    lines = read_lines(path)
    for number, line in lines:
        if number == 1 and line.lstrip().startswith("["):
            rest = "\n".join([line, *(text for _, text in lines)])
            yield from _listed(path, parse(path, None, rest))
            return
        yield number, require_object(path, number, parse(path, number, line))


def parse(path: Path, line: int | None, text: str) -> Any:
    """Parse strict JSON: `NaN` and `Infinity`, which JSON does not have, are refused."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        refuse(path, line, f"this is not JSON ({error}).", "Write one JSON object per line, in UTF-8.")


def require_object(path: Path, line: int | None, value: Any) -> Json:
    """Return `value` if it is a JSON object."""
    if not isinstance(value, dict):
        refuse(path, line, f"expected a JSON object, found {_kind(value)}.", "Write one object per line.")
    return value


def require(path: Path, line: int | None, row: Mapping[str, Any], name: str, kind: type | tuple[type, ...]) -> Any:
    """Return `row[name]` if it is there and of type `kind` (a boolean is no number)."""
    if name not in row:
        known = ", ".join(map(str, row)) or "nothing"
        refuse(path, line, f"there is no {name!r}; there is: {known}.", "Check that this is the right file and format.")
    value = row[name]
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        wanted = " or ".join(_NAMES.get(one, one.__name__) for one in kinds)
        refuse(path, line, f"{name!r} must be {wanted}, but is {_kind(value)}.", "Correct the line.")
    return value


def require_id(path: Path, line: int | None, row: Mapping[str, Any], name: str = "id") -> str:
    """Return an id as text; whole numbers are accepted, an empty id is not."""
    value = str(require(path, line, row, name, (str, int)))
    if not value.strip():
        refuse(path, line, f"{name!r} is empty.", "Give every item an id of its own.")
    return value


def require_new(path: Path, line: int | None, name: str, seen: dict[str, int]) -> None:
    """Refuse an id that an earlier line has."""
    if name in seen:
        refuse(path, line, f"the id {name!r} was used before, in line {seen[name]}.", "Ids must be unique.")
    seen[name] = line or 0


def texts(path: Path, line: int | None, row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return `row[name]` as texts: a list of strings, one string, or nothing where it is absent or null."""
    value = row.get(name)
    if value is None:
        return ()
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        refuse(path, line, f"{name!r} must be a list of texts, but is {_kind(value)}.", "Correct the line.")
    return tuple(values)


def write_text(path: Path, pieces: Iterable[str]) -> None:
    """Write `pieces` as UTF-8 in one step: the file is the whole of them, or what it was before.

    Gzipped where the name ends in `.gz`. Errors: `UsageError` where the place cannot be written, or a text holds what
    UTF-8 cannot (a lone surrogate).
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    except OSError as error:
        raise UsageError(f"{path}: cannot write here ({error.strerror}). Choose another place.") from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as raw:
            packed = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) if path.suffix == ".gz" else raw
            with io.TextIOWrapper(packed, encoding="utf-8", newline="") as stream:
                stream.writelines(pieces)
        temporary.replace(path)
    except UnicodeEncodeError as error:
        raise UsageError(f"{path}: {error.object[error.start : error.end]!r} cannot be written as UTF-8.") from None
    finally:
        temporary.unlink(missing_ok=True)


def _open(path: Path) -> io.TextIOWrapper:
    raw = gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # noqa: SIM115 - the wrapper closes it
    return io.TextIOWrapper(raw, encoding="utf-8-sig", newline="\n")


def _listed(path: Path, value: Any) -> Iterator[tuple[int, Json]]:
    if not isinstance(value, list):
        refuse(path, None, f"expected a list of objects, found {_kind(value)}.", "Check the format.")
    for number, item in enumerate(value, start=1):
        yield number, require_object(path, number, item)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _kind(value: object) -> str:
    return "null" if value is None else _NAMES.get(type(value), type(value).__name__)


_NAMES: dict[type, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}
