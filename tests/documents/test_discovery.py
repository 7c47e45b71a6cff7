import os
import unicodedata
from pathlib import Path

import pytest

from fonte.documents import discover


def names(*roots, **options):
    return {found.name: found.status for found in discover(roots, **options)}


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "root"
    for name in ("b.txt", "a.md", "sub/c.pdf", "sub/deeper/d.txt", "Z.txt"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    return root


def test_sorted_named_below_the_root_and_absolute(folder, monkeypatch):
    found = list(discover([folder]))
    assert [each.name for each in found] == ["Z.txt", "a.md", "b.txt", "sub/c.pdf", "sub/deeper/d.txt"]
    assert [each.source for each in found] == [str(folder / each.name) for each in found]
    monkeypatch.chdir(folder)
    assert next(discover([Path()])).source == str(folder / "Z.txt")
    assert [each.name for each in discover([Path("sub/c.pdf")])] == ["c.pdf"]


def test_each_file_once(folder):
    assert len(list(discover([folder, folder / "sub", folder / "a.md", folder]))) == 5


def test_hidden_unsupported_and_missing(folder):
    for name in (".env", "~$a.docx", "a.exe"):
        (folder / name).write_text("x")
    (folder / ".git").mkdir()
    (folder / ".git" / "x.txt").write_text("x")
    found = {each.name: each for each in discover([folder, folder / "none.txt"])}
    assert {name for name, each in found.items() if each.status == "skipped"} == {".env", "~$a.docx", "a.exe", ".git"}
    assert found["none.txt"].status == "failed"
    assert all(each.reason for each in found.values() if each.status)
    assert names(folder / ".git") == {"x.txt": ""}
    assert names(folder / "a.exe") == {"a.exe": "skipped"}


def test_links(folder, tmp_path):
    (tmp_path / "secret.txt").write_text("not given")
    (folder / "loop").symlink_to(folder)
    (folder / "sub" / "up").symlink_to("..")
    (folder / "one").symlink_to(folder / "two")
    (folder / "two").symlink_to(folder / "one")
    (folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "outside").symlink_to(tmp_path)
    (folder / "same.txt").symlink_to("b.txt")
    (folder / ".data").mkdir()
    (folder / ".data" / "e.txt").write_text("as Kubernetes mounts it")
    (folder / "e.txt").symlink_to(".data/e.txt")
    (folder / "mounted").symlink_to(".data")
    found = names(folder)
    assert {name for name, status in found.items() if not status} == {
        "Z.txt",
        "a.md",
        "b.txt",
        "e.txt",
        "mounted/e.txt",
        "sub/c.pdf",
        "sub/deeper/d.txt",
    }
    link = tmp_path / "link to root"
    link.symlink_to(folder)
    assert names(link).keys() == found.keys()


def test_links_between_hidden_folders_end(folder):
    (folder / ".a").mkdir()
    (folder / ".b").mkdir()
    (folder / ".a" / "x").symlink_to("../.b")
    (folder / ".b" / "x").symlink_to("../.a")
    (folder / "start").symlink_to(".a")
    assert len(names(folder)) < 20


def test_difficult_names(tmp_path):
    nfd = unicodedata.normalize("NFD", "Größe.txt")
    for name in ("line\nbreak.txt", nfd, "说明.txt", "👨‍👩‍👧.txt"):
        (tmp_path / name).write_text("x")
    expected = {"line\\nbreak.txt", nfd, "说明.txt", "👨‍👩‍👧.txt"}
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt")).write_text("x")
        expected.add("\\xff.txt")
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    found = list(discover([tmp_path]))
    assert {each.name for each in found} == expected
    for each in found:
        assert each.path.read_text() == "x"
        each.source.encode()


def test_special_files(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "folder.pdf").mkdir()
    (tmp_path / "folder.pdf" / "a.txt").write_text("x")
    assert names(tmp_path) == {"pipe.txt": "skipped", "folder.pdf/a.txt": ""}


def test_folders_to_exclude(folder):
    assert "sub/c.pdf" not in names(folder, exclude=[folder / "sub"])


def test_very_deep_folders(tmp_path):
    path = tmp_path
    for _ in range(600):
        path = path / "d"
        path.mkdir()
    (path / "a.txt").write_text("x")
    assert list(names(tmp_path).values()) == [""]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into every folder")
def test_locked_folders_are_reported(folder):
    (folder / "sub").chmod(0)
    try:
        assert names(folder)["sub"] == "failed"
    finally:
        (folder / "sub").chmod(0o755)
