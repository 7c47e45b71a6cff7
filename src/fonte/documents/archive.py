"""Office files are zip archives of XML: refuse what would burst before a parser sees it."""

from __future__ import annotations

import io
import zipfile
import zlib

from fonte.documents.reading import UnreadableError

LARGEST_XML, LARGEST_ARCHIVE, MOST_ENTRIES = 256 * 2**20, 768 * 2**20, 20_000
_CHUNK = 2**20
_OLE = b"\xd0\xcf\x11\xe0"
_MAIN_PARTS = {"word/document.xml": "docx", "xl/workbook.xml": "xlsx", "ppt/presentation.xml": "pptx"}


def office_kind(data: bytes) -> str:
    """Return `docx`, `xlsx` or `pptx` by what the archive holds, "" for anything else."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        return ""
    return next((kind for part, kind in _MAIN_PARTS.items() if part in names), "")


def check_archive(data: bytes, kind: str) -> None:
    """Check that `data` is a sound Office file of `kind` whose declared and real sizes are bearable.

    Errors: `UnreadableError` for encrypted, old, broken, foreign and bursting archives, and for XML with a document
    type (Office never writes one; it is how entities are nested).
    """
    if data.startswith(_OLE):
        raise UnreadableError(
            "Protected with a password, or in the old binary format of Office. Save it unprotected anew."
        )
    found = office_kind(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_declared(archive)
            if found != kind:
                raise UnreadableError(
                    f"The file is a zip archive but holds {found or 'no Office document'}, not {kind}."
                )
            _check_real(archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise UnreadableError(f"The file is broken: {error}.") from None


def _check_declared(archive: zipfile.ZipFile) -> None:
    entries = archive.infolist()
    if len(entries) > MOST_ENTRIES:
        raise UnreadableError(f"The archive holds {len(entries)} entries, more than {MOST_ENTRIES}: not a document.")
    _check_size(sum(entry.file_size for entry in entries), LARGEST_ARCHIVE)
    _check_size(sum(entry.file_size for entry in entries if _is_xml(entry.filename)), LARGEST_XML)


def _check_real(archive: zipfile.ZipFile) -> None:
    total = xml = 0
    for entry in archive.infolist():
        with archive.open(entry) as part:
            is_xml, first = _is_xml(entry.filename), True
            while chunk := part.read(_CHUNK):
                total += len(chunk)
                xml += len(chunk) if is_xml else 0
                if is_xml and first and b"<!DOCTYPE" in chunk[:4096].replace(b"\x00", b"").upper():
                    raise UnreadableError("The file declares its own XML entities, which Office files never do.")
                first = False
                _check_size(total, LARGEST_ARCHIVE)
                _check_size(xml, LARGEST_XML)


def _is_xml(name: str) -> bool:
    return name.lower().endswith((".xml", ".rels"))


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise UnreadableError(f"Unpacked it takes {size // 2**20} MB or more, above {limit // 2**20} MB: a zip bomb?")
