"""One file to one `Reading`: the edge at which everything that can be wrong with a file becomes a reason."""

from __future__ import annotations

import os
from pathlib import Path

from fonte.documents.clean import has_text, one_line, readable_name, storable
from fonte.documents.formats import Format, format_of, unsupported_reason
from fonte.documents.opening import read_bytes
from fonte.documents.reading import Content, Reading, UnreadableError
from fonte.errors import FonteError
from fonte.values import Document

_LONGEST_TITLE = 100


def read_file(path: Path, name: str, source: str | None = None, *, ocr: bool = False) -> Reading:
    """Read `path` in this process and never raise for what is in it: every trouble is a status with a reason.

    `name` is what people will see, `source` decides the id (default: the absolute path). `ocr` reads pages of a PDF
    that have no text with an optical reader (extra `ocr`). Use `read_files` for what strangers sent: it survives files
    that crash a parser, hang it or burst the memory.
    """
    source = source_of(path) if source is None else source
    try:
        return _read(path, readable_name(name), storable(source), ocr)
    except UnreadableError as error:
        return Reading(error.status, str(error))
    except FonteError as error:
        return Reading("failed", str(error))
    except MemoryError:
        return Reading("failed", "Reading it needs more memory than allowed. Split the file.")
    except Exception as error:  # noqa: BLE001 - parsers raise anything on hostile files; this is where it is recorded
        detail = one_line(f"{type(error).__name__}: {error}")
        return Reading("failed", f"The file is broken, or made in an unusual way ({detail}).")


def source_of(path: Path) -> str:
    r"""Return the absolute path of `path` as text that can be stored (undecodable bytes become `\xe9`)."""
    return storable(os.path.abspath(path))  # noqa: PTH100 - links stay as they are named


def _read(path: Path, name: str, source: str, ocr: bool) -> Reading:
    if reason := unsupported_reason(path):
        raise UnreadableError(reason, "skipped")
    data = read_bytes(path)
    if not data:
        raise UnreadableError("The file is empty.", "no_text")
    known = format_of(path, data)
    parsed = known.reader()(data, ocr=True) if ocr and known.name == "pdf" else known.reader()(data)
    documents = tuple(
        _document(content, known, name, source, ocr) for content in parsed.contents if has_text(content.text)
    )
    if not documents:
        raise UnreadableError(parsed.reason or "Nothing but white space in it.", "no_text")
    return Reading("read", parsed.reason, documents)


def _document(content: Content, known: Format, name: str, source: str, ocr: bool) -> Document:
    row = f"#{content.row}" if content.row else ""
    return Document(
        source=source + row,
        name=name + row,
        title=_title(content, Path(name).stem + row),
        text=content.text,
        format=known.name,
        reader=known.fingerprint(ocr),
        blocks=content.blocks,
        words=content.words,
        metadata=content.metadata,
        identity=content.identity,
    )


def _title(content: Content, otherwise: str) -> str:
    """Return the stated title, else the first heading of level 1, else a short first line, else `otherwise`."""
    if content.title:
        return content.title
    for block in content.blocks:
        if block.kind == "heading" and len(block.heading) == 1:
            return block.heading[0]
    if len(content.blocks) > 1 and content.blocks[0].kind == "paragraph":
        first = content.text[content.blocks[0].start : content.blocks[0].end]
        if "\n" not in first and len(first) <= _LONGEST_TITLE and first[-1] not in ".:;,!?。；，！":
            return one_line(first)
    return otherwise
