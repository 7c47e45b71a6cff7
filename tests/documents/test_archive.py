import pytest

from fonte.documents import archive
from fonte.documents.reading import UnreadableError
from tests.documents.making import zipped

SOUND = {"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<document/>"}


def test_a_sound_archive_passes():
    archive.check_archive(zipped(SOUND), "docx")
    assert archive.office_kind(zipped(SOUND)) == "docx"


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        (SOUND | {"word/a.xml": bytes(archive.LARGEST_XML + 1)}, "zip bomb"),
        ({**SOUND, **{f"word/{index}.xml": b"" for index in range(archive.MOST_ENTRIES)}}, "entries"),
        ({"[Content_Types].xml": b"", "xl/workbook.xml": b""}, "holds xlsx, not docx"),
        ({"42.zip": zipped({"inner.zip": bytes(1000)})}, "no Office document"),
        (SOUND | {"word/a.xml": b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}, "entities"),
        (SOUND | {"word/a.xml": '<!DOCTYPE a [<!ENTITY b "c">]>'.encode("utf-16")}, "entities"),
    ],
    ids=["bomb", "entries", "other kind", "nested zip", "entities", "entities in UTF-16"],
)
def test_what_would_burst_or_is_foreign_is_refused(parts, reason):
    with pytest.raises(UnreadableError, match=reason):
        archive.check_archive(zipped(parts), "docx")


def test_many_small_parts_are_summed(monkeypatch):
    monkeypatch.setattr(archive, "LARGEST_ARCHIVE", 5000)
    with pytest.raises(UnreadableError, match="zip bomb"):
        archive.check_archive(zipped(SOUND | {f"media/{index}.png": bytes(1000) for index in range(6)}), "docx")


def test_a_declared_size_that_lies_is_found():
    data = bytearray(zipped(SOUND | {"word/a.xml": bytes(100_000)}))
    size = (100_000).to_bytes(4, "little")
    while (place := data.find(size)) >= 0:
        data[place : place + 4] = (10).to_bytes(4, "little")
    with pytest.raises(UnreadableError, match="broken"):
        archive.check_archive(bytes(data), "docx")


@pytest.mark.parametrize("cut", [10, 100, -10])
def test_truncated_archives_are_broken(cut):
    with pytest.raises(UnreadableError, match=r"broken|zip archive"):
        archive.check_archive(zipped(SOUND)[:cut], "docx")


def test_password_protected_office_files():
    with pytest.raises(UnreadableError, match="password"):
        archive.check_archive(b"\xd0\xcf\x11\xe0" + bytes(500), "xlsx")
