"""PowerPoint: a slide is a page; its title is a heading, then text and tables from top to bottom, then the notes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from fonte.documents.archive import check_archive
from fonte.documents.builder import TextBuilder
from fonte.documents.clean import one_line
from fonte.documents.properties import title_and_metadata
from fonte.documents.reading import Content, Parsed
from fonte.errors import MissingExtraError

try:
    from pptx import Presentation
    from pptx.enum.shapes import PP_PLACEHOLDER
except ImportError:
    raise MissingExtraError("python-pptx", "office") from None

_RUNNING = (PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.HEADER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.SLIDE_NUMBER)
_DEEPEST_GROUP = 20


def read(data: bytes) -> Parsed:
    """Read a presentation; footers become `identity`, core properties the title and metadata."""
    check_archive(data, "pptx")
    presentation = Presentation(io.BytesIO(data))
    builder, identity = TextBuilder(), dict[str, None]()
    for number, slide in enumerate(presentation.slides, start=1):
        _slide(builder, slide, number, identity)
    title, metadata = title_and_metadata(presentation.core_properties)
    return Parsed(
        (Content(builder.text, tuple(builder.blocks), title=title, metadata=metadata, identity=tuple(identity)),)
    )


def _slide(builder: TextBuilder, slide: Any, number: int, identity: dict[str, None]) -> None:
    title = slide.shapes.title
    builder.headings.enter(1, one_line(title.text_frame.text) if title is not None and title.has_text_frame else "")
    if builder.headings.path == ("",):
        builder.headings.enter(1, f"Slide {number}")
    else:
        builder.heading(one_line(title.text_frame.text, 10_000), 1, page=number)
    for shape in _in_reading_order(slide.shapes):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if shape.is_placeholder and shape.placeholder_format.type in _RUNNING:
            if shape.placeholder_format.type in _RUNNING[:2] and (text := one_line(shape.text_frame.text)):
                identity[text] = None
            continue
        _shape(builder, shape, number)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        builder.headings.enter(2, "Notes")
        builder.add(_soft(slide.notes_slide.notes_text_frame.text), page=number)


def _shape(builder: TextBuilder, shape: Any, number: int) -> None:
    if shape.has_text_frame:
        for paragraph in shape.text_frame.paragraphs:
            builder.add(_soft(paragraph.text), "list_item" if paragraph.level else "paragraph", page=number)
    elif getattr(shape, "has_table", False) and shape.has_table:
        rows = [[cell.text for cell in row.cells] for row in shape.table.rows]
        builder.table(rows, has_header=bool(shape.table.first_row), page=number)


def _in_reading_order(shapes: Any, depth: int = 0) -> Iterator[Any]:
    """Give the shapes from top to bottom, groups opened in place."""
    for shape in sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0)):
        if hasattr(shape, "shapes") and depth < _DEEPEST_GROUP:
            yield from _in_reading_order(shape.shapes, depth + 1)
        else:
            yield shape


def _soft(text: str) -> str:
    """A soft line break inside a paragraph is a vertical tab in PowerPoint."""
    return text.replace("\v", "\n")
