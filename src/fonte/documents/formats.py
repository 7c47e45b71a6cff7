"""Which reader reads which file: by extension, and by content where there is none."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module, metadata
from pathlib import Path
from typing import cast

from fonte.documents.archive import office_kind
from fonte.documents.opening import read_bytes
from fonte.documents.reading import Parsed, UnreadableError


@dataclass(frozen=True, slots=True)
class Format:
    """A format and its reader, `function` in `fonte.documents.<module>`.

    `version` goes up whenever the reader's output changes; `packages` are those whose version can change it.
    `isolated` formats are parsed by native or third-party code that may crash or run away: in a worker process only.
    """

    name: str
    suffixes: tuple[str, ...]
    module: str
    function: str = "read"
    version: int = 1
    packages: tuple[str, ...] = ()
    isolated: bool = False

    def reader(self) -> Callable[..., Parsed]:
        """Load the reader. Errors: `fonte.errors.MissingExtraError` where its package is not installed."""
        return cast("Callable[..., Parsed]", getattr(import_module(f"fonte.documents.{self.module}"), self.function))

    def fingerprint(self, ocr: bool = False) -> str:
        """Return what changes when the output of the reader would: `pdf/1 pypdfium2 5.15.2`."""
        packages = (*self.packages, *(("rapidocr",) if ocr and self.name == "pdf" else ()))
        return " ".join([f"{self.name}/{self.version}", *(f"{name} {_installed(name)}" for name in packages)])


FORMATS = (
    Format("text", (".txt", ".text", ".log", ".rst", ".adoc", ".asciidoc", ".org"), "plain"),
    Format(
        "markdown", (".md", ".markdown", ".mdown", ".mkd", ".qmd", ".rmd"), "markdown", packages=("markdown-it-py",)
    ),
    Format("html", (".html", ".htm", ".xhtml"), "html", packages=("selectolax",), isolated=True),
    Format("pdf", (".pdf",), "pdf.read", packages=("pypdfium2",), isolated=True),
    Format("docx", (".docx", ".docm"), "docx", packages=("python-docx",), isolated=True),
    Format("xlsx", (".xlsx", ".xlsm"), "xlsx", packages=("openpyxl",), isolated=True),
    Format("pptx", (".pptx", ".pptm"), "pptx", packages=("python-pptx",), isolated=True),
    Format("jsonl", (".jsonl", ".ndjson"), "json_rows", "read_lines"),
    Format("json", (".json",), "json_rows", "read_json"),
    Format("csv", (".csv", ".tsv"), "csv_rows"),
)
_BY_SUFFIX = {suffix: known for known in FORMATS for suffix in known.suffixes}
_BY_NAME = {known.name: known for known in FORMATS}
_CONVERTIBLE = {
    **dict.fromkeys((".doc", ".rtf", ".odt", ".pages", ".wpd"), "DOCX or PDF"),
    **dict.fromkeys((".xls", ".ods", ".numbers"), "XLSX or CSV"),
    **dict.fromkeys((".ppt", ".odp", ".key"), "PPTX or PDF"),
    **dict.fromkeys((".epub", ".mobi", ".djvu", ".ps", ".tif", ".tiff"), "PDF"),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"), "PDF (read with OCR)"),
    **dict.fromkeys((".zip", ".gz", ".tar", ".7z", ".rar", ".bz2", ".xz"), "a folder (unpack it)"),
}
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}")
_HTML = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_HEAD_BYTES = 4096


def suffix_of(path: Path) -> str:
    """Return the extension in lower case; "" where what follows the last dot is none (`Report No. 5`)."""
    suffix = path.suffix.lower()
    return suffix if _SUFFIX.fullmatch(suffix) else ""


def supported(path: Path) -> bool:
    """Return whether a reader exists for `path`, by extension; by content where it has none. False if it is gone."""
    if suffix := suffix_of(path):
        return suffix in _BY_SUFFIX
    try:
        return sniff(_enough(path)) is not None
    except UnreadableError:
        return False


def reader_fingerprint(path: Path, ocr: bool = False) -> str:
    """Return a text that changes when reading `path` would give something else; "" where no reader exists."""
    if suffix := suffix_of(path):
        known = _BY_SUFFIX.get(suffix)
    else:
        try:
            known = sniff(_enough(path))
        except UnreadableError:
            known = None
    return known.fingerprint(ocr) if known else ""


def format_of(path: Path, data: bytes) -> Format:
    """Return the format of a file with content `data`. Errors: `UnreadableError` (`skipped`) where no reader exists."""
    suffix = suffix_of(path)
    known = _BY_SUFFIX.get(suffix) if suffix else sniff(data)
    if known is None:
        reason = unsupported_reason(path) or "Without an extension, and the content is neither text nor PDF nor Office."
        raise UnreadableError(reason, "skipped")
    return known


def unsupported_reason(path: Path) -> str:
    """Return why `path` is not read, and what to do; "" if its extension is supported or it has none."""
    suffix = suffix_of(path)
    if not suffix or suffix in _BY_SUFFIX:
        return ""
    advice = f" Convert it to {_CONVERTIBLE[suffix]}." if suffix in _CONVERTIBLE else ""
    return f"No reader for {suffix} files.{advice}"


def sniff(data: bytes) -> Format | None:
    """Tell the format by content: PDF, Office, HTML, else text unless it holds zero bytes; None for other data."""
    head = data[:_HEAD_BYTES]
    if b"%PDF-" in head[:1024]:
        return _BY_NAME["pdf"]
    if head.startswith(b"PK\x03\x04"):
        return _BY_NAME.get(office_kind(data))
    if _HTML.match(head):
        return _BY_NAME["html"]
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff")) or 0 < head.count(0) * 3 > len(head)
    return _BY_NAME["text"] if wide or b"\x00" not in head else None


def _enough(path: Path) -> bytes:
    head = read_bytes(path, _HEAD_BYTES)
    return read_bytes(path) if head.startswith(b"PK\x03\x04") else head


@lru_cache(maxsize=32)
def _installed(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "absent"
