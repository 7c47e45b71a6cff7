"""Rows of tables among the lines of a page: neighbouring lines whose cells stand under one another.

A PDF does not say what a table is. Here it is at least three lines in a row, each of two cells or more parted by wide
gaps, whose cells line up (left, right or centre) with those of the first line, which is taken for the header row if it
holds names.
"""

from __future__ import annotations

from collections.abc import Sequence

from fonte.documents.pdf.line import Line, Run

_WIDE_GAP, _ALIGNED = 1.0, 3.0
_FEWEST_ROWS = 3

Cell = list[Run]


def table_headers(lines: Sequence[Line]) -> dict[int, str]:
    """Return the header row of each line that is a row of a table, by its index; "" for the header row itself."""
    headers: dict[int, str] = {}
    cells = [_cells(line) for line in lines]
    start = 0
    while start < len(lines):
        end = start + 1
        if len(cells[start]) > 1:
            while end < len(lines) and _is_row(cells[start], cells[end]):
                end += 1
        if end - start >= _FEWEST_ROWS:
            header = _header(cells[start])
            headers |= {index: "" if index == start else header for index in range(start, end)}
        start = end
    return headers


def _header(cells: Sequence[Cell]) -> str:
    """Return the header row; "" where a cell starts with a digit, since then the first row holds values, too."""
    texts = [" ".join(run.text for run in cell) for cell in cells]
    return "" if any(text[0].isdigit() for text in texts) else " | ".join(texts)


def _cells(line: Line) -> list[Cell]:
    cells: list[Cell] = [[line.runs[0]]]
    for run in line.runs[1:]:
        before = cells[-1][-1].box
        if run.gap and run.box.left - before.right > _WIDE_GAP * line.size:
            cells.append([run])
        else:
            cells[-1].append(run)
    return cells


def _is_row(header: Sequence[Cell], row: Sequence[Cell]) -> bool:
    if not 2 <= len(row) <= len(header) or header[0][0].box.page != row[0][0].box.page:
        return False
    if row[0][0].box.top <= header[0][0].box.top:
        return False
    return all(any(_aligned(cell, above) for above in header) for cell in row)


def _aligned(cell: Cell, above: Cell) -> bool:
    left, right = cell[0].box.left - above[0].box.left, cell[-1].box.right - above[-1].box.right
    return min(abs(left), abs(right), abs(left + right) / 2) < _ALIGNED
