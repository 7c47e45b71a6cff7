"""A folder of files that break ingestions, each with the state it must end in."""

import os
import unicodedata
from itertools import pairwise
from pathlib import Path

from fonte.documents.clean import readable_name
from tests.documents.making import column, pdf, scanned, zipped

_MB = 2**20


def make_hostile_folder(path, big=50 * _MB):
    """Fill `path` and return `{name below it: "read" | "no_text" | "skipped" | "failed"}`.

    `big` is the size in bytes of the largest text. What the system cannot make (pipes, undecodable names) is left out.
    Names are as `fonte.documents.discover` gives them.
    """
    expected = {}
    for name, (content, status) in _contents(big).items():
        (path / name).write_bytes(content)
        expected[readable_name(name)] = status
    expected |= _folders(path) | _links(path) | _special(path)
    return expected


def _contents(big):
    text = b"The valve opens at 3 bar.\n\nIt closes at 2 bar.\n"
    document = zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w:document/>"})
    bomb = zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": b" " * (300 * _MB)})
    sound = pdf([column(["The valve opens at 3 bar."])])
    unit = b"A line of text that says little, and says it again and again.\n\n"
    return {
        "plain.txt": (text, "read"),
        "duplicate.txt": (text, "read"),
        "no extension": (text, "read"),
        "pdf without extension": (sound, "read"),
        "binary without extension": (bytes(range(256)) * 8, "skipped"),
        "empty.txt": (b"", "no_text"),
        "empty.pdf": (b"", "no_text"),
        "empty.docx": (b"", "no_text"),
        "white space.md": (b" \n\t\n \r\n\xc2\xa0\n", "no_text"),
        "bom.txt": (b"\xef\xbb\xbf" + text, "read"),
        "only bom.txt": (b"\xef\xbb\xbf", "no_text"),
        "utf16.txt": ("Ventil öffnet bei 3 bar.\n".encode("utf-16"), "read"),
        "latin-1.txt": ("Die Öffnung beträgt fünf Zentimeter.\n".encode("latin-1"), "read"),
        "cp932.txt": ("製品の取扱説明書。温度を設定するにはボタンを押してください。\n".encode("cp932"), "read"),
        "nul bytes.txt": (b"The valve\x00 opens\x00 at 3 bar.\n", "read"),
        "garbage.txt": (bytes((index * 7919 + index // 251) % 256 for index in range(20_000)), "failed"),
        "big.txt": (unit * (big // len(unit)), "read"),
        "one long line.txt": (b"word " * 200_000, "read"),
        "broken.pdf": (b"%PDF-1.4\nthis is no pdf\n%%EOF\n", "failed"),
        "truncated.pdf": (sound[: len(sound) // 2], "failed"),
        "not a pdf.pdf": (b"<!doctype html><p>404 not found</p>", "failed"),
        "encrypted.pdf": (pdf([column(["secret"])], password="word"), "failed"),
        "scanned.pdf": (pdf([scanned, scanned]), "no_text"),
        "partly scanned.pdf": (pdf([column(["The valve opens at 3 bar."]), scanned]), "read"),
        "bomb.docx": (bomb, "failed"),
        "not office.docx": (b"plain text under a wrong name", "failed"),
        "broken.docx": (document[: len(document) // 2], "failed"),
        "hollow.docx": (document, "failed"),
        "old office.docx": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000), "failed"),
        "broken.xlsx": (b"PK\x03\x04" + bytes(100), "failed"),
        "broken.pptx": (b"PK\x03\x04" + bytes(100), "failed"),
        "bad lines.jsonl": (b'{"id": 1, "text": "good"}\n{"id": 2, "text":\n{"id": 3, "text": "good"}\n', "read"),
        "no good line.jsonl": (b"{{{\n[1, 2]\n", "failed"),
        "deep.json": (b"[" * 100_000, "failed"),
        "open quote.csv": (b'id,text\n1,"never closed\n2,fine\n3,fine too\n', "read"),
        "picture.png": (b"\x89PNG\r\n\x1a\n" + bytes(50), "skipped"),
        "program.exe": (b"MZ" + bytes(50), "skipped"),
        ".hidden.txt": (text, "skipped"),
        "~$lock.docx": (b"x" * 162, "skipped"),
        "line\nbreak.txt": (text, "read"),
        unicodedata.normalize("NFD", "Größe.txt"): (text, "read"),
        "\u202eright to left.txt": (text, "read"),
        "deeply nested.html": (b"<div>" * 2_000 + b"bottom", "read"),
        "absurdly nested.html": (b"<div>" * 200_000 + b"bottom", "failed"),
        "aliases.md": (b"---\na: &a [x,x,x,x,x,x,x,x,x]\n" + _aliases() + b"---\nA text.\n", "read"),
    }


def _aliases():
    """YAML whose aliases would unfold to billions of values."""
    names = "abcdefghij"
    return b"".join(f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n".encode() for a, b in pairwise(names))


def _folders(path):
    (path / "folder.pdf").mkdir()
    (path / "folder.pdf" / "inside.txt").write_text("In a folder that is named like a file.", encoding="utf-8")
    (path / ".git").mkdir()
    (path / ".git" / "config.txt").write_text("hidden", encoding="utf-8")
    return {"folder.pdf/inside.txt": "read", ".git": "skipped"}


def _links(path):
    (path / "loop").symlink_to(path, target_is_directory=True)
    (path / "nowhere.txt").symlink_to(path / "does not exist.txt")
    (path / "itself.txt").symlink_to(path / "itself.txt")
    (path / "again.txt").symlink_to(path / "plain.txt")
    outside = path.parent / f"{path.name} outside.txt"
    outside.write_text("not given", encoding="utf-8")
    (path / "outside.txt").symlink_to(outside)
    return dict.fromkeys(("loop", "nowhere.txt", "itself.txt", "again.txt", "outside.txt"), "skipped")


def _special(path):
    expected = {}
    if hasattr(os, "mkfifo"):
        os.mkfifo(path / "pipe.txt")
        expected["pipe.txt"] = "skipped"
    try:
        Path(os.fsdecode(os.fsencode(path) + b"/undecodable \xe9.txt")).write_bytes(b"A name that is not UTF-8.")
        expected["undecodable \\xe9.txt"] = "read"
    except OSError:  # a file system that takes UTF-8 names only
        pass
    if os.name == "posix" and os.geteuid() != 0:  # root may read everything
        locked = path / "locked.txt"
        locked.write_text("nobody may read this", encoding="utf-8")
        locked.chmod(0)
        expected["locked.txt"] = "failed"
    return expected
