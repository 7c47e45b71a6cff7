"""The page's files: all are served as what they are, all are used, and none reaches out or writes markup."""

import re
from pathlib import Path

import fonte

FOLDER = Path(fonte.__file__).parent / "serving" / "page"
NAMED = re.compile(r"""(?:href|src)="([\w./-]+\.\w+)"|from "\./([\w.]+)";""")
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html"}


def test_every_file_is_served_and_used(served):
    _, client, _ = served
    waiting, seen = ["index.html"], set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        reply = client.get(f"/{name}")
        assert reply.status_code == 200, name
        assert reply.headers["content-type"].startswith(TYPES[Path(name).suffix]), name
        assert reply.headers["cache-control"] == "no-cache"  # no page of an old version after an upgrade
        waiting += [direct or f"js/{module}" for direct, module in NAMED.findall(reply.text)]
    assert seen == {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.is_file()}
    assert client.get("/").text == client.get("/index.html").text


def test_no_file_writes_markup_or_names_another_host():
    for path in FOLDER.rglob("*.*"):
        text = path.read_text("utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|Function\(", text), path
        assert not re.search(r"<script>|<style|\sstyle=|\son\w+=\"", text), path
        assert set(re.findall(r"https?://[^\s\"'`]*", text)) <= {"http://www.w3.org/2000/svg"}, path
