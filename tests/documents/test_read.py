import os
import socket
import subprocess
import sys

import pytest

from fonte.documents import read_file


def test_gone_folder_and_special_files(tmp_path):
    assert read_file(tmp_path / "gone.txt", "gone.txt").status == "failed"
    assert "gone" in read_file(tmp_path / "gone.txt", "gone.txt").reason
    (tmp_path / "folder.pdf").mkdir()
    assert read_file(tmp_path / "folder.pdf", "folder.pdf").status == "skipped"
    os.mkfifo(tmp_path / "pipe.txt")
    assert read_file(tmp_path / "pipe.txt", "pipe.txt").status == "skipped"
    (tmp_path / "link.txt").symlink_to("nowhere")
    assert "link" in read_file(tmp_path / "link.txt", "link.txt").reason
    (tmp_path / "zero.txt").symlink_to("/dev/zero")
    assert read_file(tmp_path / "zero.txt", "zero.txt").status == "skipped"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s.txt"))
        assert read_file(tmp_path / "s.txt", "s.txt").status == "skipped"


def test_no_permission(tmp_path, monkeypatch):
    """Root may read everything, so the refusal is made where the system would make it."""
    (tmp_path / "a.txt").write_text("x")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    reading = read_file(tmp_path / "a.txt", "a.txt")
    assert (reading.status, "permission" in reading.reason) == ("failed", True)


def test_what_a_parser_raises_is_a_reason(tmp_path):
    (tmp_path / "a.md").write_bytes(b"---\n" + b"{[" * 20_000 + b"\n---\ntext")
    assert read_file(tmp_path / "a.md", "a.md").status == "read"


def test_too_large_files_are_not_loaded(tmp_path):
    with (tmp_path / "a.txt").open("wb") as file:
        file.truncate(2**40)
    reading = read_file(tmp_path / "a.txt", "a.txt")
    assert reading.status == "skipped"
    assert "1048576 MB" in reading.reason


def test_source_and_name(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("text")
    monkeypatch.chdir(tmp_path)
    document = read_file(tmp_path / "a.txt", "x\ny/a.txt").documents[0]
    assert (document.source, document.name) == (str(tmp_path / "a.txt"), "x\\ny/a.txt")
    assert read_file(tmp_path / "a.txt", "a.txt", source="elsewhere").documents[0].source == "elsewhere"


@pytest.mark.parametrize(("package", "name", "extra"), [("pypdfium2", "a.pdf", "pdf"), ("docx", "a.docx", "office")])
def test_a_missing_package_is_named_with_its_extra(tmp_path, package, name, extra):
    (tmp_path / name).write_bytes(b"%PDF-1.4")
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from pathlib import Path; from fonte.documents import read_file\n"
        f"print(read_file(Path({str(tmp_path / name)!r}), 'n'))"
    )
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert f"fonte[{extra}]" in output
    assert "failed" in output


def test_importing_the_room_is_light():
    heavy = "pypdfium2 docx openpyxl pptx selectolax markdown_it yaml numpy torch lancedb pyarrow"
    program = f"import sys, fonte.documents; print([name for name in {heavy.split()!r} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip() == "[]"
