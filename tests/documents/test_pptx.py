from pptx import Presentation
from pptx.util import Inches

from fonte.documents.read import read_file
from tests.documents.making import GERMAN, check, saved


def test_slides_tables_groups_and_notes(tmp_path):
    source = Presentation()
    source.core_properties.title = "Training"
    first = source.slides.add_slide(source.slide_layouts[1])
    first.shapes.title.text = "The Valve"
    first.placeholders[1].text = "Opens at 3 bar\nCloses"
    first.placeholders[1].text_frame.paragraphs[1].level = 1
    first.notes_slide.notes_text_frame.text = "Say it slowly."
    second = source.slides.add_slide(source.slide_layouts[6])
    low = second.shapes.add_textbox(Inches(1), Inches(5), Inches(3), Inches(1))
    low.text_frame.text = "low"
    group = second.shapes.add_group_shape()
    inside = group.shapes.add_textbox(Inches(1), Inches(1), Inches(3), Inches(1))
    inside.text_frame.text = GERMAN
    table = second.shapes.add_table(2, 2, Inches(1), Inches(3), Inches(4), Inches(1)).table
    for place, text in enumerate(["Code", "Meaning", "E1", "too hot"]):
        table.cell(place // 2, place % 2).text = text
    (tmp_path / "a.pptx").write_bytes(saved(source))
    document = check(read_file(tmp_path / "a.pptx", "a.pptx").documents[0])
    found = [(document.text[b.start : b.end], b.kind, b.page, b.heading) for b in document.blocks]
    assert found == [
        ("The Valve", "heading", 1, ("The Valve",)),
        ("Opens at 3 bar", "paragraph", 1, ("The Valve",)),
        ("Closes", "list_item", 1, ("The Valve",)),
        ("Say it slowly.", "paragraph", 1, ("The Valve", "Notes")),
        (GERMAN, "paragraph", 2, ("Slide 2",)),
        ("Code | Meaning", "table_row", 2, ("Slide 2",)),
        ("E1 | too hot", "table_row", 2, ("Slide 2",)),
        ("low", "paragraph", 2, ("Slide 2",)),
    ]
    assert document.blocks[6].header == "Code | Meaning"
    assert document.title == "Training"
    assert document.place(document.text.rindex("low"), len(document.text)).page == 2


def test_slides_without_text_have_none(tmp_path):
    source = Presentation()
    source.slides.add_slide(source.slide_layouts[6])
    (tmp_path / "a.pptx").write_bytes(saved(source))
    assert read_file(tmp_path / "a.pptx", "a.pptx").status == "no_text"
