import os
from pathlib import Path

import pytest

from fonte.documents import FORMATS, read_file, reader_fingerprint, supported
from tests.documents.making import column, pdf, zipped

CONTENTS = {
    "pdf": pdf([column(["text"])]),
    "html": b"<!-- saved --><!DOCTYPE html><p>text",
    "text": b"just text",
    "docx": zipped({"word/document.xml": b""}),
    "xlsx": zipped({"xl/workbook.xml": b""}),
    "pptx": zipped({"ppt/presentation.xml": b""}),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_files_without_extension_are_told_by_content(tmp_path, name):
    path = tmp_path / "Report No. 5"
    path.write_bytes(CONTENTS[name])
    assert supported(path)
    assert reader_fingerprint(path).startswith(f"{name}/")


def test_what_has_no_reader(tmp_path):
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "a.doc").write_bytes(b"x")
    os.mkfifo(tmp_path / "pipe")
    for name in ("binary", "a.doc", "pipe", "missing", "b.exe"):
        assert not supported(tmp_path / name)
        assert reader_fingerprint(tmp_path / name) == ""
    assert read_file(tmp_path / "a.doc", "a.doc").reason == "No reader for .doc files. Convert it to DOCX or PDF."
    assert read_file(tmp_path / "binary", "binary").status == "skipped"
    assert read_file(tmp_path / "pipe", "pipe").status == "skipped"


def test_extensions_whatever_their_case():
    assert supported(Path("A.PDF"))
    assert reader_fingerprint(Path("A.Pdf")) == reader_fingerprint(Path("b.pdf")) != ""


def test_fingerprint_is_that_of_the_document_and_names_what_it_depends_on(tmp_path):
    path = tmp_path / "a.html"
    path.write_bytes(b"<p>text")
    fingerprint = reader_fingerprint(path)
    assert read_file(path, "a.html").documents[0].reader == fingerprint
    assert "selectolax" in fingerprint
    assert reader_fingerprint(Path("a.pdf"), ocr=True) != reader_fingerprint(Path("a.pdf"))


def test_suffixes_and_names_are_unique_and_every_reader_loads():
    suffixes = [suffix for known in FORMATS for suffix in known.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert all(callable(known.reader()) for known in FORMATS)
