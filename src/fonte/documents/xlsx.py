"""Excel: one block per row, sheet by sheet; the first row of a sheet is the header of the others."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any

from fonte.documents.archive import check_archive
from fonte.documents.builder import TextBuilder
from fonte.documents.properties import title_and_metadata
from fonte.documents.reading import Content, Parsed, UnreadableError
from fonte.errors import MissingExtraError

try:
    from openpyxl import load_workbook
except ImportError:
    raise MissingExtraError("openpyxl", "office") from None

_MOST_ROWS = 2_000_000


def read(data: bytes) -> Parsed:
    """Read a workbook's stored values (formulas by their last result); hidden sheets are left out and named."""
    check_archive(data, "xlsx")
    workbook = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    builder, hidden = TextBuilder(), []
    for sheet in workbook.worksheets:
        if sheet.sheet_state != "visible":
            hidden.append(sheet.title)
            continue
        sheet.reset_dimensions()  # the declared size may be wrong, or a million empty columns
        builder.headings.enter(1, sheet.title)
        builder.table(list(_rows(sheet)), sheet=sheet.title)
    title, metadata = title_and_metadata(workbook.properties)
    workbook.close()
    reason = f"Hidden sheets left out: {', '.join(hidden)}." if hidden else ""
    return Parsed((Content(builder.text, tuple(builder.blocks), title=title, metadata=metadata),), reason)


def _rows(sheet: Any) -> Iterator[list[str]]:
    for number, row in enumerate(sheet.iter_rows(values_only=True)):
        if number >= _MOST_ROWS:
            raise UnreadableError(
                f"Sheet {sheet.title!r} has more than {_MOST_ROWS} rows. Export the part you need as CSV."
            )
        cells = [_cell(value) for value in row]
        if any(cells):
            yield cells


def _cell(value: object) -> str:
    """Return a value as a person reads it: whole numbers without `.0`, dates in ISO order."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.15g}"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "seconds")
    if isinstance(value, (date, time)):
        return value.isoformat()
    return str(value) if isinstance(value, (str, int, timedelta)) else f"{value}"
