"""Rows with a text column (JSONL, JSON, CSV, TSV): one document each, named after its `id` or its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fonte.documents.clean import clean, has_text, one_line
from fonte.documents.metadata import flat_metadata
from fonte.documents.plain import paragraphs
from fonte.documents.reading import Content, Parsed, UnreadableError

TEXT_COLUMNS = ("text", "content", "contents", "body", "passage", "page_content", "document", "paragraph")
ID_COLUMNS = ("id", "_id", "doc_id", "docid", "document_id", "passage_id")
TITLE_COLUMNS = ("title", "headline", "heading")
_NAMED_PROBLEMS = 5


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the file: its place (`line 7`, `item 3`), its line if it has one, and its values or a `problem`."""

    place: str
    line: int | None
    values: Mapping[str, Any]
    problem: str = ""


def column(names: Iterable[str], wanted: tuple[str, ...]) -> str | None:
    """Return which of `names` is the first of `wanted`, whatever its case; None if none is."""
    found = {name.strip().lower(): name for name in reversed(list(names))}
    return next((found[name] for name in wanted if name in found), None)


def parse_rows(rows: Iterable[Row], metadata: Mapping[str, str]) -> Parsed:
    """Turn rows into contents. A row without usable text is named in the reason and loses only itself.

    `metadata` is the file's own (its encoding) and goes to every row.

    Errors: `UnreadableError` if no row at all could be used.
    """
    contents: list[Content] = []
    problems: list[str] = []
    taken: set[str] = set()
    for row in rows:
        if problem := row.problem or _problem(row):
            problems.append(f"{row.place}: {problem}")
        else:
            contents.append(_content(row, metadata, taken))
    total = len(contents) + len(problems)
    if not contents:
        raise UnreadableError(_reason(problems, total) or "The file has no rows.", "failed" if problems else "no_text")
    return Parsed(tuple(contents), _reason(problems, total))


def _problem(row: Row) -> str:
    name = column(row.values, TEXT_COLUMNS)
    if name is None:
        known = ", ".join(one_line(str(key), 40) for key in list(row.values)[:8]) or "nothing"
        return f"no text column (one of {', '.join(TEXT_COLUMNS)}), only {known}"
    value = row.values[name]
    if not isinstance(value, str):
        return f"{name!r} is not text but {type(value).__name__}"
    return "" if has_text(clean(value)) else f"{name!r} is empty"


def _content(row: Row, metadata: Mapping[str, str], taken: set[str]) -> Content:
    columns = [column(row.values, wanted) for wanted in (TEXT_COLUMNS, ID_COLUMNS, TITLE_COLUMNS)]
    text_column, id_column, title_column = columns
    text = clean(row.values[text_column or ""])
    identifier = _scalar(row.values.get(id_column)) if id_column else ""
    blocks = tuple(replace(block, line=row.line) for block in paragraphs(text))
    rest = {key: value for key, value in row.values.items() if key not in columns}
    return Content(
        text,
        blocks,
        title=_scalar(row.values.get(title_column)) if title_column else "",
        metadata=flat_metadata(rest) | dict(metadata) | ({"id": identifier} if identifier else {}),
        row=_unique(identifier or row.place.replace(" ", "-"), taken),
    )


def _scalar(value: object) -> str:
    return one_line(str(value)) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""


def _unique(name: str, taken: set[str]) -> str:
    """Return `name`, or `name~2`, `name~3`, … for a repeated one, so that no row replaces another."""
    candidate, count = name, 1
    while candidate in taken:
        count += 1
        candidate = f"{name}~{count}"
    taken.add(candidate)
    return candidate


def _reason(problems: list[str], total: int) -> str:
    if not problems:
        return ""
    more = f"; and {len(problems) - _NAMED_PROBLEMS} more" if len(problems) > _NAMED_PROBLEMS else ""
    return f"{len(problems)} of {total} rows left out: {'; '.join(problems[:_NAMED_PROBLEMS])}{more}."


def numbered(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Give the lines that are not blank with their numbers from 1."""
    return ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
