from datetime import datetime

import docx
from docx.oxml import parse_xml
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.documents.docx import read
from fonte.documents.read import read_file
from tests.documents.making import SCRIPTS, check, pieces, saved

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def read_document(tmp_path, document):
    (tmp_path / "a.docx").write_bytes(saved(document))
    return check(read_file(tmp_path / "a.docx", "a.docx").documents[0])


def test_structure_in_document_order(tmp_path):
    source = docx.Document()
    source.core_properties.title = "The Valve"
    source.core_properties.author = "Ferri"
    source.core_properties.comments = ""
    source.core_properties.created = source.core_properties.modified = datetime(2024, 5, 6, 7, 8, 9)
    source.sections[0].header.paragraphs[0].text = "Valve manual"
    source.sections[0].footer.paragraphs[0].text = "Revision 3"
    source.add_heading("Valve V-70", 0)
    source.add_heading("Safety", 1)
    source.add_paragraph("Wear gloves.\tAlways.\nAlways!")
    table = source.add_table(3, 2)
    for row, cells in zip(table.rows, [("Code", "Meaning"), ("E1", "too\nhot"), ("", "")], strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    source.add_paragraph("After the table.")
    source.add_heading("Steps", 2)
    source.add_paragraph("one", style="List Bullet")
    source.add_paragraph("two", style="List Number")
    document = read_document(tmp_path, source)
    assert [(block.kind, document.text[block.start : block.end]) for block in document.blocks] == [
        ("heading", "Valve V-70"),
        ("heading", "Safety"),
        ("paragraph", "Wear gloves.\tAlways.\nAlways!"),
        ("table_row", "Code | Meaning"),
        ("table_row", "E1 | too hot"),
        ("paragraph", "After the table."),
        ("heading", "Steps"),
        ("list_item", "one"),
        ("list_item", "two"),
    ]
    assert document.blocks[4].header == "Code | Meaning"
    assert document.blocks[-1].heading == ("Valve V-70", "Safety", "Steps")
    assert document.title == "The Valve"
    assert dict(document.metadata) == {
        "author": "Ferri",
        "created": "2024-05-06T07:08:09",
        "modified": "2024-05-06T07:08:09",
    }
    assert document.identity == ("Valve manual", "Revision 3")


def test_what_python_docx_does_not_show(tmp_path):
    """Content controls, tracked changes, hyperlinks and text boxes."""
    source = docx.Document()
    body = source.element.body
    body.insert(
        0, parse_xml(f"<w:sdt {W}><w:sdtContent><w:p><w:r><w:t>in a control</w:t></w:r></w:p></w:sdtContent></w:sdt>")
    )
    changed = "<w:r><w:t>kept</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
    changed += "<w:ins><w:r><w:t> new</w:t></w:r></w:ins>"
    body.insert(1, parse_xml(f"<w:p {W}>{changed}<w:hyperlink><w:r><w:t> link</w:t></w:r></w:hyperlink></w:p>"))
    box = "<w:r><w:pict><w:txbxContent><w:p><w:r><w:t>in a box</w:t></w:r></w:p></w:txbxContent></w:pict></w:r>"
    body.insert(2, parse_xml(f"<w:p {W}><w:r><w:t>around</w:t></w:r>{box}</w:p>"))
    assert pieces(read_document(tmp_path, source)) == ["in a control", "kept new link", "around", "in a box"]


def test_headings_by_outline_level_and_derived_styles(tmp_path):
    source = docx.Document()
    style = source.styles.add_style("Chapitre", 1)
    style.base_style = source.styles["Heading 2"]
    source.add_paragraph("Derived", style="Chapitre")
    source.element.body.insert(
        1, parse_xml(f'<w:p {W}><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>Outlined</w:t></w:r></w:p>')
    )
    document = read_document(tmp_path, source)
    assert [(block.kind, block.heading) for block in document.blocks] == [
        ("heading", ("Derived",)),
        ("heading", ("Outlined",)),
    ]


def test_a_frame_of_one_column_is_not_a_table(tmp_path):
    source = docx.Document()
    source.add_table(1, 1).rows[0].cells[0].text = "framed"
    document = read_document(tmp_path, source)
    assert [(block.kind, block.header) for block in document.blocks] == [("paragraph", "")]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(SCRIPTS), st.text("abc \n\t", max_size=20)), max_size=10))
def test_paragraphs_come_back(texts):
    source = docx.Document()
    for text in texts:
        source.add_paragraph(text)
    content = read(saved(source)).contents[0]
    assert [content.text[block.start : block.end] for block in content.blocks] == [
        t.strip() for t in texts if t.strip()
    ]
