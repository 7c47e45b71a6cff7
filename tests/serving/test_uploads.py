"""Files over the network: every one ends in one state, and nothing that was accepted is lost."""

import io
import time

import numpy as np
import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from fonte.corpus import Corpus
from fonte.serving.uploads import safe_name
from tests.serving.conftest import running, tiny_settings


@pytest.fixture
def served(tmp_path):
    with (
        Corpus.open(tmp_path / "corpus", tiny_settings(upload_bytes=200_000), create=True) as corpus,
        running(corpus) as (service, client),
    ):
        yield service, client


def pdf_of(text):
    """Return a PDF of one page with one line."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=True)
    canvas.drawString(100, 700, text)
    canvas.save()
    return buffer.getvalue()


def send(client, name, data, **form):
    return client.post("/v1/documents", files={"file": (name, data)}, data=form)


def wait(client, upload):
    end = time.monotonic() + 60
    while (told := client.get(f"/v1/uploads/{upload['id']}").json())["state"] in ("waiting", "reading"):
        assert time.monotonic() < end
        time.sleep(0.02)
    return told


def test_a_file_is_sent_read_found_replaced_and_deleted(served):
    _, client = served
    sent = send(client, "../../etc/heater.md", b"# Heater\n\nThe heater warms 20 rooms.\n")
    assert sent.status_code == 202
    told = wait(client, sent.json())
    assert (told["name"], told["state"], len(told["documents"])) == ("heater.md", "indexed", 1)
    document = told["documents"][0]
    assert client.post("/v1/search", json={"question": "heater rooms"}).json()["passages"][0]["document"] == "heater.md"

    replaced = client.put(
        f"/v1/documents/{document}", files={"file": ("heater.md", b"# Heater\n\nIt warms 30 rooms.\n")}
    )
    assert wait(client, replaced.json())["state"] == "replaced"
    assert "30 rooms" in client.get(f"/v1/documents/{document}/text").json()["text"]

    broken = client.put(f"/v1/documents/{document}", files={"file": ("heater.md", b"  \n ")})
    assert wait(client, broken.json())["state"] == "no_text"
    assert "30 rooms" in client.get(f"/v1/documents/{document}/text").json()["text"]

    assert client.delete(f"/v1/documents/{document}", params={"purge": True}).json()["deleted"]
    assert client.get(f"/v1/documents/{document}").status_code == 404
    assert client.post("/v1/search", json={"question": "heater rooms"}).json()["passages"] == []


def test_a_page_of_a_pdf_is_drawn_where_its_words_are_said_to_be(served):
    _, client = served
    told = wait(client, send(client, "note.pdf", pdf_of("The lamp burns for 900 hours.")).json())
    (document,) = told["documents"]
    text = client.get(f"/v1/documents/{document}/text").json()["text"]
    start = text.index("lamp")
    place = client.get(f"/v1/documents/{document}/place", params={"start": start, "end": start + 4}).json()
    (size,) = client.get(f"/v1/documents/{document}/pages").json()["pages"]
    assert place["page"] == size["page"] == 1
    (box,) = place["boxes"]
    picture = client.get(f"/v1/documents/{document}/pages/1.png", params={"width": 600})
    assert picture.headers["content-type"] == "image/png"
    pixels = decoded(picture.content)
    scale = 600 / size["width"]
    inside = pixels[
        int(box["top"] * scale) : int(box["bottom"] * scale), int(box["left"] * scale) : int(box["right"] * scale)
    ]
    assert pixels.shape[1] == 600
    assert inside.min() < 128, "there is ink in the box"
    assert client.get(f"/v1/documents/{document}/pages/2.png").status_code == 400


def decoded(png):
    return np.asarray(Image.open(io.BytesIO(png)).convert("L"))


def test_refused_are_unknown_types_large_files_and_what_is_no_upload(served):
    _, client = served
    assert send(client, "tool.exe", b"MZ").status_code == 415
    assert send(client, "photo.png", b"\x89PNG").status_code == 415
    assert send(client, "large.txt", b"x" * 300_000).status_code == 413
    assert client.get("/v1/uploads").json()["data"] == []


def test_broken_files_end_as_failed_with_the_reason(served):
    _, client = served
    told = wait(client, send(client, "broken.pdf", b"%PDF-1.4 nothing").json())
    assert told["state"] == "failed"
    assert told["reason"]
    assert told["documents"] == []


def test_many_files_at_once_are_all_indexed(served):
    _, client = served
    sent = [
        send(client, f"n{number}.txt", f"Machine {number} has {number} wheels.".encode()).json() for number in range(8)
    ]
    assert [wait(client, upload)["state"] for upload in sent] == ["indexed"] * 8
    assert client.get("/v1/documents").json()["total"] == 8


def test_a_server_that_was_stopped_goes_on_with_what_it_had_accepted(tmp_path):
    with Corpus.open(tmp_path / "corpus", tiny_settings(), create=True) as corpus:
        folder = corpus.folder / "uploads" / "00112233445566ff"
        folder.mkdir(parents=True)
        (folder / "late.txt").write_text("The late file has 3 words.", "utf-8")
        note = '{"id": "00112233445566ff", "name": "late.txt", "bytes": 26, "groups": [], "asker": "", "created": "",'
        (folder / "upload.json").write_text(note + ' "state": "reading", "reason": "", "documents": []}', "utf-8")
        torn = corpus.folder / "uploads" / "ff00112233445566"
        torn.mkdir()
        (torn / "receiving-1").write_text("half of it", "utf-8")
        with running(corpus) as (_, client):
            assert wait(client, {"id": "00112233445566ff"})["state"] == "indexed"
            assert not torn.exists()


def test_uploads_can_be_switched_off(tmp_path):
    with (
        Corpus.open(tmp_path / "corpus", tiny_settings(uploads=False), create=True) as corpus,
        running(corpus) as (_, client),
    ):
        assert send(client, "a.txt", b"words").status_code == 403


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\windows\\x.md", "x.md"),
        (".htaccess", "htaccess"),
        ("a#b.txt", "a_b.txt"),
        ("upload.json", "document.json"),
        ("previous", "document"),
        ("", "document"),
        ("...", "document"),
        ("\x00\n.txt", "__.txt"),
        ("ü" * 300 + ".pdf", "ü" * 75 + ".pdf"),
        ("receiving-1.txt", "document.txt"),
    ],
)
def test_names_are_plain_file_names(name, safe):
    assert safe_name(name) == safe
