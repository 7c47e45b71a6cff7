"""CSV and TSV: rows with a text column are documents; without one, the whole file is a table."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from fonte.documents.builder import TextBuilder
from fonte.documents.clean import clean
from fonte.documents.encoding import decode
from fonte.documents.reading import Content, Parsed
from fonte.documents.rows import TEXT_COLUMNS, Row, column, parse_rows

_DELIMITERS = ",;\t|"
_LARGEST_FIELD, _LONGEST_RECORD = 2**31 - 1, 5_000


def read(data: bytes) -> Parsed:
    """Read rows under a header line; the delimiter is the one that splits the header best.

    Without a text column (`fonte.documents.rows.TEXT_COLUMNS`) the file becomes one document with a block per row.
    """
    decoded = decode(data)
    text = clean(decoded.text)
    csv.field_size_limit(_LARGEST_FIELD)
    first = text.lstrip("\n").split("\n", maxsplit=1)[0]
    delimiter = _delimiter(first)
    header = next(csv.reader([first], delimiter=delimiter), [])
    if column(header, TEXT_COLUMNS) is None:
        return _table(text, delimiter, decoded.metadata)
    return parse_rows(_rows(text, delimiter), decoded.metadata)


def _delimiter(header: str) -> str:
    def quality(delimiter: str) -> tuple[bool, int]:
        names = next(csv.reader([header], delimiter=delimiter), [])
        return column(names, TEXT_COLUMNS) is not None, len(names)

    return max(_DELIMITERS, key=quality)


def _rows(text: str, delimiter: str) -> Iterator[Row]:
    header: list[str] | None = None
    for line, fields, problem in _records(text, delimiter):
        if not problem and not any(field.strip() for field in fields):
            continue
        if header is None:
            header = [name.strip() or f"column {number}" for number, name in enumerate(fields, start=1)]
            continue
        if len(fields) > len(header):
            problem = f"{len(fields)} fields, but the header has {len(header)}"
        yield Row(f"line {line}", line, dict(zip(header, fields, strict=False)), problem)


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[str], str]]:
    """Give each record with its first line and, where its quotes do not match, the problem.

    After a bad record reading goes on at the next line, so that an open quote does not swallow the rest of the file.
    """
    lines = _Lines(text.split("\n"))
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while lines.start_record() < len(lines.lines):
        start = lines.position
        try:
            yield start + 1, next(reader), ""
        except StopIteration:
            return
        except csv.Error as error:
            lines.position = start + 1
            yield start + 1, [], f"not valid CSV ({error})"


class _Lines:
    """The lines a CSV reader takes, one record at a time: a record may not be longer than `_LONGEST_RECORD` lines."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.position = 0
        self._limit = 0

    def start_record(self) -> int:
        self._limit = self.position + _LONGEST_RECORD
        return self.position

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self.position >= min(len(self.lines), self._limit):
            raise StopIteration
        self.position += 1
        return self.lines[self.position - 1] + "\n"


def _table(text: str, delimiter: str, metadata: dict[str, str]) -> Parsed:
    builder = TextBuilder()
    records = list(_records(text, delimiter))
    builder.table([fields for _, fields, _ in records])
    bad = [f"line {line}: {problem}" for line, _, problem in records if problem]
    reason = f"{len(bad)} rows left out: {'; '.join(bad[:5])}." if bad else ""
    return Parsed((Content(builder.text, tuple(builder.blocks), metadata=metadata),), reason)
