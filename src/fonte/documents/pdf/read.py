"""PDF by pdfium: every page, its damage, and the way from lines to a document.

pdfium may not be used by two threads at once, so a lock guards it; for many files use processes (`read_files`).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from fonte.documents.clean import one_line
from fonte.documents.metadata import flat_metadata
from fonte.documents.pdf.furniture import split_furniture
from fonte.documents.pdf.hyphens import mend
from fonte.documents.pdf.layout import lay_out
from fonte.documents.pdf.line import Line
from fonte.documents.pdf.page import page_lines
from fonte.documents.reading import Content, Parsed, UnreadableError
from fonte.errors import MissingExtraError

try:
    import pypdfium2
    import pypdfium2.raw as pdfium
except ImportError:
    raise MissingExtraError("pypdfium2", "pdf") from None

_LOCK = threading.Lock()
_DATE = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?")
_FIELDS = {
    "Author": "author",
    "Subject": "subject",
    "Keywords": "keywords",
    "CreationDate": "created",
    "ModDate": "modified",
}
_PLACEHOLDERS = frozenset(("untitled", "anonymous", "unspecified", "unknown"))
_FILE_NAME = re.compile(
    r"^(?:Microsoft \w+ - )?(.*?)(?:\.(?:docx?|pptx?|xlsx?|indd|pdf|tex|dvi|qxd|pmd|rtf|odt))?$", re.IGNORECASE
)


def read(data: bytes, *, ocr: bool = False) -> Parsed:
    """Read a PDF; pages without text are named in the reason, or read by OCR if `ocr` asks for it.

    Errors: `UnreadableError`, `failed` for what is encrypted, truncated or broken, `no_text` where no page has text.
    """
    if b"%PDF-" not in data[:1024]:
        raise UnreadableError("This is not a PDF: its first bytes are of another format. Is the extension right?")
    if b"%%EOF" not in data:
        raise UnreadableError("The PDF is truncated: its end is missing. Copy or download it again.")
    with _LOCK, closing(_open(data)) as document:
        pages = _Pages(document, ocr)
        lines = list(pages.lines())
        properties = _properties(document)
    if not lines:
        raise UnreadableError(pages.reason() or "The PDF has no pages.", "failed" if pages.broken else "no_text")
    body, identity = split_furniture(lines)
    text, blocks, words = lay_out(mend(body))
    title = properties.pop("title", "")
    return Parsed((Content(text, blocks, words, title, properties, identity),), pages.reason())


class _Pages:
    """Reads the pages one by one and remembers those that gave no text."""

    def __init__(self, document: Any, ocr: bool) -> None:
        self._document, self._ocr = document, ocr
        self._count = len(document)
        self.broken: list[int] = []
        self._scanned: list[int] = []
        self._blank: list[int] = []

    def lines(self) -> Iterator[Line]:
        """Give the lines of all pages; a page is released before the next is loaded."""
        for number in range(1, self._count + 1):
            try:
                page = self._document[number - 1]
            except pypdfium2.PdfiumError:
                self.broken.append(number)
                continue
            with closing(page):
                yield from self._page(page, number)

    def reason(self) -> str:
        """Say which pages gave nothing and why; "" if all did, or only blank ones did not."""
        parts = []
        if self._scanned:
            advice = "Nothing was recognised on them." if self._ocr else "Read them with OCR (extra 'ocr')."
            parts.append(f"{_named(self._scanned, self._count)} no text, only pictures (scanned?). {advice}")
        if self.broken:
            parts.append(f"{_named(self.broken, self._count)} no readable content: damaged.")
        if not parts and len(self._blank) == self._count and self._count:
            parts.append("All pages are blank.")
        return " ".join(parts)

    def _page(self, page: Any, number: int) -> list[Line]:
        if lines := page_lines(page, number):
            return lines
        if pdfium.FPDFPage_CountObjects(page.raw) == 0:
            self._blank.append(number)
            return []
        if self._ocr:
            from fonte.documents.pdf.ocr import recognise  # the optional extra, only where asked for

            lines = recognise(page, number)
        if not lines:
            self._scanned.append(number)
        return lines


def _open(data: bytes) -> Any:
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD:
            raise UnreadableError("The PDF is encrypted: it needs a password. Save an open copy of it.") from None
        if getattr(error, "err_code", None) == pdfium.FPDF_ERR_SECURITY:
            raise UnreadableError(
                "The PDF is encrypted in a way that is not supported. Save an open copy of it."
            ) from None
        raise UnreadableError(
            "The PDF is broken: its structure cannot be read. Copy, download or export it again."
        ) from None


def _named(pages: list[int], count: int) -> str:
    if len(pages) == count:
        return f"All {count} pages have" if count > 1 else "The only page has"
    some = ", ".join(map(str, pages[:20])) + (", …" if len(pages) > 20 else "")
    return f"Pages {some} of {count} have" if len(pages) > 1 else f"Page {some} of {count} has"


def _properties(document: Any) -> dict[str, str]:
    given = document.get_metadata_dict(skip_empty=True)
    found = {name: _property(given.get(key, "")) for key, name in _FIELDS.items()}
    title = _FILE_NAME.sub(r"\1", _property(given.get("Title", "")))
    return flat_metadata(found) | ({"title": one_line(title)} if title else {})


def _property(value: str) -> str:
    if match := _DATE.match(value):
        year, month, day, hour, minute = match.groups()
        date = "-".join(filter(None, (year, month, day)))
        return f"{date}T{hour}:{minute}" if minute else date
    return "" if value.strip("() ").lower() in _PLACEHOLDERS else value
