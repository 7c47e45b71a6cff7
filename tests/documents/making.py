"""Small files of every format, made anew in each test, and the checks that every document must pass."""

import io
import zipfile

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

A4 = (595, 842)
GERMAN = "Die Größe der Öffnung beträgt fünf Zentimeter; überprüfen Sie die Tür."
CHINESE = "请按下按钮设置温度。产品使用说明书。"
JAPANESE = "製品の取扱説明書。温度を設定するにはボタンを押してください。"
ARABIC = "اضغط على الزر لضبط درجة الحرارة"
EMOJI = "family 👨‍👩‍👧‍👦 and flag 🏳️‍🌈"
COMBINING = "Cafe\u0301 and n\u0303andu\u0301"
SCRIPTS = (GERMAN, CHINESE, JAPANESE, ARABIC, EMOJI, COMBINING)


def check(document):
    """Blocks are in order, disjoint and cover all that is visible; words lie on their text."""
    text, position = document.text, 0
    for block in document.blocks:
        assert block.start >= position
        assert block.start < block.end <= len(text)
        assert not text[position : block.start].strip()
        assert text[block.start : block.end].strip() == text[block.start : block.end]
        position = block.end
    assert not text[position:].strip()
    assert "\r" not in text
    assert "\x00" not in text
    text.encode("utf-8")
    position = 0
    for word in document.words:
        assert position <= word.start < word.end
        assert text[word.start : word.end].split() == [text[word.start : word.end]]
        assert not text[position : word.start].strip()
        assert word.box.left <= word.box.right
        assert word.box.top <= word.box.bottom
        position = word.end
    for value in document.metadata.values():
        assert isinstance(value, str)
    assert document.title
    return document


def pieces(document, kind=None):
    """The text of each block, of one kind if asked for."""
    return [document.text[block.start : block.end] for block in document.blocks if kind in (None, block.kind)]


def pdf(pages, *, size=A4, title=None, password=None, rotation=0, crop=None):
    """A PDF with lines `(x, y from the bottom, text[, font size])` per page; a page may be a function on the canvas."""
    data = io.BytesIO()
    encryption = StandardEncryption(password, canPrint=0) if password else None
    canvas = Canvas(data, pagesize=size, encrypt=encryption, invariant=1)
    if title:
        canvas.setTitle(title)
    for page in pages:
        canvas.setPageRotation(rotation)
        if crop:
            canvas.setCropBox(crop)
        if callable(page):
            page(canvas)
        else:
            for x, y, text, *font_size in page:
                canvas.setFont("Helvetica", *(font_size or [11]))
                canvas.drawString(x, y, text)
        canvas.showPage()
    canvas.save()
    return data.getvalue()


def column(lines, *, top=700, left=72, step=14):
    """Lines of one text column for `pdf`."""
    return [(left, top - step * index, line) for index, line in enumerate(lines) if line]


def scanned(canvas):
    """A page with a picture and no text."""
    canvas.rect(50, 50, 400, 600, fill=1)


def zipped(parts):
    """A zip archive of `{name: bytes}`."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return data.getvalue()


def saved(document):
    """The bytes of a python-docx, openpyxl or python-pptx document."""
    data = io.BytesIO()
    document.save(data)
    return data.getvalue()
