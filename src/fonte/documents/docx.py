"""Word: paragraphs, headings, lists, tables, text boxes and notes in document order.

The XML is walked directly, because python-docx's own paragraphs and tables leave out content controls (tables of
contents, forms), text boxes and footnotes. Deleted text of tracked changes is not read, inserted text is.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from fonte.documents.archive import check_archive
from fonte.documents.builder import TextBuilder
from fonte.documents.clean import one_line
from fonte.documents.properties import title_and_metadata
from fonte.documents.reading import Content, Parsed
from fonte.errors import MissingExtraError

try:
    import docx
    from docx.oxml import parse_xml
    from docx.oxml.ns import qn
except ImportError:
    raise MissingExtraError("python-docx", "office") from None

_P, _TBL, _TR, _TC = qn("w:p"), qn("w:tbl"), qn("w:tr"), qn("w:tc")
_FALLBACK, _TEXT_BOX = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback", qn("w:txbxContent")
_TRANSPARENT = frozenset(map(qn, ("w:sdt", "w:sdtContent", "w:ins", "w:customXml", "w:smartTag", "w:moveTo")))
_LEFT_OUT = frozenset((_FALLBACK, _TEXT_BOX, qn("w:del"), qn("w:moveFrom"), qn("w:pPr"), qn("w:rPr")))
_CHARACTERS = {
    qn("w:tab"): "\t",
    qn("w:br"): "\n",
    qn("w:cr"): "\n",
    qn("w:noBreakHyphen"): "\u2011",
    qn("w:softHyphen"): "\u00ad",
}
_TEXT, _BREAK = qn("w:t"), qn("w:br")
_HEADING = re.compile(r"heading (\d)$")
_NOTES = (("footnotes", "Footnotes"), ("endnotes", "Endnotes"))


def read(data: bytes) -> Parsed:
    """Read a Word document; page headers and footers become `identity`, core properties the title and metadata."""
    check_archive(data, "docx")
    document = docx.Document(io.BytesIO(data))
    walk = _Walk(document)
    walk.blocks(document.element.body)
    for relation, title in _NOTES:
        walk.notes(relation, title)
    title, metadata = title_and_metadata(document.core_properties)
    identity = tuple(dict.fromkeys(_running(document)))
    builder = walk.builder
    return Parsed((Content(builder.text, tuple(builder.blocks), title=title, metadata=metadata, identity=identity),))


class _Walk:
    """Turns the body of a document into blocks."""

    def __init__(self, document: Any) -> None:
        self.builder = TextBuilder()
        self._part = document.part
        self._styles = {style.style_id: style for style in document.styles if style.style_id}
        self._levels: dict[str, tuple[str, int]] = {}

    def blocks(self, element: Any) -> None:
        """Add the paragraphs and tables below `element` in order."""
        for child in element.iterchildren():
            if child.tag == _P:
                self._paragraph(child)
            elif child.tag == _TBL:
                self._table(child)
            elif child.tag in _TRANSPARENT:
                self.blocks(child)

    def notes(self, relation: str, title: str) -> None:
        """Add the notes of one kind under a heading entry of their own; documents without them add nothing."""
        for related in self._part.rels.values():
            if related.is_external or not related.reltype.endswith(f"/{relation}"):
                continue
            self.builder.headings.enter(1, title)
            for note in parse_xml(related.target_part.blob):
                if note.get(qn("w:type")) in (None, "normal"):
                    self.builder.add("\n".join(map(_text, note.iter(_P))))

    def _paragraph(self, paragraph: Any) -> None:
        text = _text(paragraph)
        kind, level = self._role(paragraph)
        if kind == "heading":
            self.builder.heading(one_line(text, 10_000), level)
        else:
            self.builder.add(text, kind)
        for box in _outermost(paragraph, _TEXT_BOX):
            self.blocks(box)

    def _role(self, paragraph: Any) -> tuple[str, int]:
        properties = paragraph.pPr
        if properties is None:
            return "paragraph", 0
        level = properties.find(qn("w:outlineLvl"))
        if level is not None and level.get(qn("w:val"), "9") in "012345678":
            return "heading", int(level.get(qn("w:val"))) + 1
        style = properties.pStyle.val if properties.pStyle is not None else ""
        if style not in self._levels:
            self._levels[style] = self._style_role(style)
        kind, level_of_style = self._levels[style]
        return ("list_item", 0) if kind == "paragraph" and properties.numPr is not None else (kind, level_of_style)

    def _style_role(self, style_id: str) -> tuple[str, int]:
        """Tell headings and lists by the style's (built-in, English) name or outline level, or by those below it."""
        style, seen = self._styles.get(style_id), set[str]()
        while style is not None and style.style_id not in seen:
            seen.add(style.style_id)
            name = (style.name or "").lower()
            outline = style.element.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
            if match := _HEADING.match(name):
                return "heading", int(match[1])
            if name == "title":
                return "heading", 0
            if outline is not None and outline.get(qn("w:val"), "9") in "012345678":
                return "heading", int(outline.get(qn("w:val"))) + 1
            if name.startswith("list ") and name != "list paragraph":
                return "list_item", 0
            style = getattr(style, "base_style", None)
        return "paragraph", 0

    def _table(self, table: Any) -> None:
        rows = [[_cell(cell) for cell in _children(row, _TC)] for row in _children(table, _TR)]
        if max((len(row) for row in rows), default=0) > 1:
            self.builder.table(rows)
        else:  # a frame around text, not a table of values
            for row in _children(table, _TR):
                for cell in _children(row, _TC):
                    self.blocks(cell)


def _children(element: Any, tag: str) -> Iterator[Any]:
    for child in element.iterchildren():
        if child.tag == tag:
            yield child
        elif child.tag in _TRANSPARENT:
            yield from _children(child, tag)


def _cell(cell: Any) -> str:
    return "\n".join(filter(None, map(_text, cell.iter(_P))))


def _outermost(element: Any, tag: str) -> Iterator[Any]:
    for child in element.iterchildren():
        if child.tag == tag:
            yield child
        elif child.tag != _FALLBACK:
            yield from _outermost(child, tag)


def _text(element: Any) -> str:
    return "".join(_pieces(element))


def _pieces(element: Any) -> Iterator[str]:
    for child in element.iterchildren():
        if child.tag == _TEXT:
            yield child.text or ""
        elif child.tag in _CHARACTERS:
            yield _CHARACTERS[child.tag]
        elif child.tag not in _LEFT_OUT:
            yield from _pieces(child)


def _running(document: Any) -> Iterator[str]:
    for section in document.sections:
        for part in (section.header, section.footer, section.first_page_header, section.first_page_footer):
            if not part.is_linked_to_previous:
                for paragraph in part._element.iter(_P):  # also what is in tables and content controls
                    if text := one_line(_text(paragraph)):
                        yield text
