import ctypes
import io
import threading

import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from fonte.documents.pdf.read import read
from fonte.documents.read import read_file
from fonte.documents.reading import UnreadableError
from tests.documents.making import A4, check, column, pdf, pieces, scanned
from tests.timing import seconds

WORDS = st.text("abcdefghij", min_size=2, max_size=9)


def read_document(tmp_path, data):
    (tmp_path / "a.pdf").write_bytes(data)
    return check(read_file(tmp_path / "a.pdf", "a.pdf").documents[0])


def test_text_pages_and_boxes(tmp_path):
    document = read_document(
        tmp_path, pdf([column(["The valve opens", "at 3 bar."]), column(["It closes."])], title="Valve")
    )
    assert document.text == "The valve opens\nat 3 bar.\n\nIt closes."
    assert [block.page for block in document.blocks] == [1, 2]
    assert document.title == "Valve"
    start = document.text.index("valve")
    place = document.place(start, start + len("valve opens\nat"))
    assert place.page == 1
    assert len(place.boxes) == 2
    box = place.boxes[0]
    assert box.left == pytest.approx(72 + stringWidth("The ", "Helvetica", 11), abs=0.6)
    assert box.right == pytest.approx(72 + stringWidth("The valve opens", "Helvetica", 11), abs=0.6)
    baseline = A4[1] - 700
    assert baseline - 11 < box.top < baseline < box.bottom < baseline + 5
    assert document.place(document.text.index("closes"), len(document.text)).page == 2


@pytest.mark.parametrize("crop", [None, (50, 60, 500, 800)])
@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_boxes_are_those_of_the_page_as_displayed(tmp_path, rotation, crop):
    """pdfium's own conversion to device points is the oracle."""
    data = pdf([[(100, 400, "corner"), (300, 200, "other")]], rotation=rotation, crop=crop)
    document = read_document(tmp_path, data)
    page = pypdfium2.PdfDocument(data)[0]
    width, height = page.get_size()
    scale = 100
    for word in document.words:
        x, y = {"corner": (100, 400), "other": (300, 200)}[document.text[word.start : word.end]]
        device_x, device_y = ctypes.c_int(), ctypes.c_int()
        pypdfium2.raw.FPDF_PageToDevice(
            page.raw, 0, 0, round(width * scale), round(height * scale), 0, x, y, device_x, device_y
        )
        origin = device_x.value / scale, device_y.value / scale
        assert word.box.left - 0.5 <= origin[0] <= word.box.right + 0.5
        assert word.box.top - 0.5 <= origin[1] <= word.box.bottom + 0.5
        assert 0 <= word.box.left <= word.box.right <= width
        assert 0 <= word.box.top <= word.box.bottom <= height
        long, short = word.box.right - word.box.left, word.box.bottom - word.box.top
        assert (long > short) == (rotation % 180 == 0)


def test_headings_paragraphs_items_and_tables(tmp_path):
    page = [(72, 780, "The Valve", 20), (72, 740, "1 Safety", 14)]
    page += column(["Wear gloves. Wait until the", "pipe is cold.", "", "", "A second paragraph."], top=715)
    page += column(["1. Open it.", "2. Close it", "with care."], top=600)
    for index, row in enumerate([("Code", "Meaning"), ("E1", "Too hot"), ("E2", "No water"), ("E3", "Broken")]):
        page += [(72, 500 - 15 * index, row[0]), (200, 500 - 15 * index, row[1])]
    document = read_document(tmp_path, pdf([page]))
    kinds = [(block.kind, document.text[block.start : block.end]) for block in document.blocks]
    assert kinds == [
        ("heading", "The Valve"),
        ("heading", "1 Safety"),
        ("paragraph", "Wear gloves. Wait until the\npipe is cold."),
        ("paragraph", "A second paragraph."),
        ("list_item", "1. Open it."),
        ("list_item", "2. Close it\nwith care."),
        ("table_row", "Code Meaning"),
        ("table_row", "E1 Too hot"),
        ("table_row", "E2 No water"),
        ("table_row", "E3 Broken"),
    ]
    assert document.title == "The Valve"
    assert document.blocks[-1].heading == ("The Valve", "1 Safety")
    assert [block.header for block in document.blocks][-4:] == ["", *["Code | Meaning"] * 3]


def test_broken_words_are_mended_with_a_box_for_each_half(tmp_path):
    page = column(["Set the ther-", "mostat to AX-", "200 by e-", "mail. The thermostat is fine."])
    document = read_document(tmp_path, pdf([page]))
    assert document.text == "Set the thermostat\nto AX-200\nby e-mail.\nThe thermostat is fine."
    start = document.text.index("thermostat")
    first, second = document.place(start, start + len("thermostat")).boxes
    assert second.top > first.top
    assert second.left == pytest.approx(72, abs=1)


def test_a_word_broken_between_pages_is_mended_past_the_furniture(tmp_path):
    pages = [
        [(72, 810, "Valve manual"), *column([*body]), (280, 30, f"Page {number}")]
        for number, body in enumerate(
            [["Set the ther-"], ["mostat now.", "It clicks."], ["The thermostat is set."]], start=1
        )
    ]
    document = read_document(tmp_path, pdf(pages))
    assert pieces(document) == ["Set the thermostat", "now.\nIt clicks.", "The thermostat is set."]
    assert document.identity == ("Valve manual", "Page")
    start = document.text.index("thermostat")
    assert [box.page for box in document.place(start, start + 10).boxes] == [1, 2]


def test_metadata_without_what_the_writer_fills_in(tmp_path):
    document = read_document(tmp_path, pdf([column(["text"])]))
    assert document.title == "a"
    assert set(document.metadata) == {"created", "modified"}
    assert document.metadata["created"] == "2000-01-01T00:00"
    assert read_document(tmp_path, pdf([column(["text"])], title="Microsoft Word - Valve.docx")).title == "Valve"


@pytest.mark.parametrize(
    ("data", "status", "word"),
    [
        (b"", "failed", "not a PDF"),
        (b"%PDF-1.7 and then nothing %%EOF", "failed", "broken"),
        (pdf([column(["x"])])[:600], "failed", "truncated"),
        (pdf([column(["x"])], password="secret"), "failed", "password"),
        (pdf([scanned]), "no_text", "The only page has no text"),
        (pdf([scanned] * 3), "no_text", "All 3 pages"),
        (pdf([[]]), "no_text", "blank"),
    ],
    ids=["empty", "broken", "truncated", "encrypted", "scanned", "all scanned", "blank"],
)
def test_what_cannot_be_read_says_why(data, status, word):
    with pytest.raises(UnreadableError, match=word) as caught:
        read(data)
    assert caught.value.status == status


def test_pages_without_text_are_named():
    parsed = read(pdf([column(["text"]), scanned, [], scanned]))
    assert parsed.contents[0].text == "text"
    assert "Pages 2, 4 of 4" in parsed.reason


def test_an_owner_password_does_not_lock_readers_out():
    data = io.BytesIO()
    canvas = Canvas(data, encrypt=StandardEncryption("", ownerPassword="owner"))
    canvas.drawString(72, 700, "open to all")
    canvas.save()
    assert read(data.getvalue()).contents[0].text == "open to all"


def test_threads_do_not_disturb_one_another():
    data = pdf([column([f"line {index} of page {page}" for index in range(30)]) for page in range(8)])
    expected, found = read(data), []
    threads = [threading.Thread(target=lambda: found.append(read(data))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=1, max_size=8), min_size=1, max_size=3))
def test_every_word_comes_back_in_order_with_a_box_where_it_was_drawn(tmp_path_factory, pages):
    """Words without hyphens and lines in the middle of the page: nothing may be lost, moved or joined."""
    data = pdf([column([" ".join(words) for words in page], top=600) for page in pages])
    document = read_document(tmp_path_factory.mktemp("pdf"), data)
    assert document.text.split() == [word for page in pages for words in page for word in words]
    drawn = iter(document.words)
    for number, page in enumerate(pages, start=1):
        for index, words in enumerate(page):
            for place, word in enumerate(words):
                box = next(drawn).box
                left = 72 + stringWidth("".join(f"{before} " for before in words[:place]), "Helvetica", 11)
                assert box.page == number
                assert box.left == pytest.approx(left, abs=1)
                assert box.right == pytest.approx(left + stringWidth(word, "Helvetica", 11), abs=1)
                assert box.top < A4[1] - (600 - 14 * index) < box.bottom


def test_fifty_pages_take_well_under_a_second_of_processor_time():
    text = "The quick brown fox jumps over the lazy dog beside the thermostat"
    data = pdf([column([f"{text} {page} {line}" for line in range(45)]) for page in range(50)])
    assert seconds(lambda: read(data)) < 10  # measured .5 s; the bound leaves room for a busy machine
