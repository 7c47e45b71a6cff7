"""Text put together block by block, for formats whose text is not a slice of the file."""

from __future__ import annotations

from collections.abc import Sequence

from fonte.documents.clean import clean, one_line
from fonte.values import Block

CLOSE_KINDS = ("table_row", "list_item")  # no blank line between two of these


class HeadingPath:
    """The headings above the current place, outermost first."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    @property
    def path(self) -> tuple[str, ...]:
        """The texts of the open headings."""
        return tuple(text for _, text in self._open)

    def enter(self, level: int, text: str) -> tuple[str, ...]:
        """Open a heading of `level` (1 is the outermost), close those of the same or a deeper level, give the path."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, one_line(text)))
        return self.path


class TextBuilder:
    """Joins blocks to one text: a blank line between blocks, a newline between rows and between list items."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self.blocks: list[Block] = []
        self.headings = HeadingPath()

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._parts)

    def add(
        self, text: str, kind: str = "paragraph", *, header: str = "", page: int | None = None, sheet: str = ""
    ) -> None:
        """Append a block under the open headings; a blank `text` adds nothing."""
        text = clean(text).strip()
        if not text:
            return
        if self.blocks:
            close = kind in CLOSE_KINDS and self.blocks[-1].kind == kind
            self._append("\n" if close else "\n\n")
        start = self._length
        self._append(text)
        self.blocks.append(
            Block(start, self._length, kind, self.headings.path, header=header, page=page, sheet=sheet),
        )

    def heading(self, text: str, level: int, *, page: int | None = None) -> None:
        """Append a heading and open it; blank ones are ignored."""
        if text.strip():
            self.headings.enter(level, text)
            self.add(text, "heading", page=page)

    def table(
        self, rows: Sequence[Sequence[str]], *, has_header: bool = True, page: int | None = None, sheet: str = ""
    ) -> None:
        """Append a table, one block per row that is not empty; the first is the header row of the others if asked."""
        lines = [line for line in map(row_text, rows) if line]
        header = lines[0] if has_header and len(lines) > 1 else ""
        for index, line in enumerate(lines):
            self.add(line, "table_row", header=header if index else "", page=page, sheet=sheet)

    def _append(self, part: str) -> None:
        self._parts.append(part)
        self._length += len(part)


def row_text(cells: Sequence[str]) -> str:
    """Join the cells of a row by `" | "`, each on one line; trailing empty cells are dropped, a blank row gives ""."""
    lines = [" ".join(clean(cell).split()) for cell in cells]
    while lines and not lines[-1]:
        lines.pop()
    return " | ".join(lines)
