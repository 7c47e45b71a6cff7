import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader

from fonte.documents.pdf.read import read
from fonte.errors import MissingExtraError
from tests.documents.making import column, pdf


def scanned_page(text):
    image = Image.new("L", (1240, 1754), 255)
    ImageDraw.Draw(image).text((150, 300), text, font=ImageFont.load_default(48), fill=0)

    def page(canvas):
        canvas.drawImage(ImageReader(image), 0, 0, 595, 842)

    return page


@pytest.fixture
def recognition():
    return pytest.importorskip("rapidocr", reason="needs the extra 'ocr'")


def test_scanned_pages_are_read_where_asked_for(recognition, tmp_path):
    parsed = read(pdf([column(["typed text"]), scanned_page("The valve opens at 3 bar")]), ocr=True)
    content = parsed.contents[0]
    assert "valve opens at 3 bar" in content.text
    assert content.blocks[-1].page == 2
    box = content.words[-1].box
    assert 72 < box.left < box.right < 595
    assert 842 * 270 / 1754 < box.top < box.bottom < 842 * 390 / 1754
    assert parsed.reason == ""


def test_without_the_extra_the_message_names_it():
    try:
        import rapidocr  # noqa: F401
    except ImportError:
        with pytest.raises(MissingExtraError, match=r"fonte\[ocr\]"):
            read(pdf([scanned_page("x")]), ocr=True)


def test_a_page_with_text_needs_no_recognition():
    assert read(pdf([column(["typed text"])]), ocr=True).contents[0].text == "typed text"
