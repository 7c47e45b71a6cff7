"""What several readers share: the builder, heading paths, row texts and metadata."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from fonte.documents.builder import HeadingPath, TextBuilder, row_text
from fonte.documents.metadata import flat_metadata

KINDS = st.sampled_from(["paragraph", "table_row", "list_item", "heading", "code"])


@given(st.lists(st.tuples(KINDS, st.text(max_size=8)), max_size=12))
def test_blocks_are_slices_in_order_and_cover_the_text(added):
    builder = TextBuilder()
    for kind, text in added:
        builder.add(text, kind)
    position = 0
    for block in builder.blocks:
        assert not builder.text[position : block.start].strip()
        assert builder.text[block.start : block.end].strip() == builder.text[block.start : block.end] != ""
        position = block.end
    assert position == len(builder.text)


def test_rows_and_items_stand_close_and_all_else_apart():
    builder = TextBuilder()
    builder.heading("Title", 1)
    builder.table([["a", "b"], ["", ""], ["1", "2"]])
    builder.add("x", "list_item")
    builder.add("y", "list_item")
    assert builder.text == "Title\n\na | b\n1 | 2\n\nx\ny"
    assert [block.header for block in builder.blocks] == ["", "", "a | b", "", ""]


def test_a_table_of_one_row_or_without_header_has_none():
    builder = TextBuilder()
    builder.table([["only", "row"]])
    builder.table([["1", "2"], ["3", "4"]], has_header=False)
    assert {block.header for block in builder.blocks} == {""}


def test_heading_paths():
    path = HeadingPath()
    assert path.enter(1, "A") == ("A",)
    assert path.enter(3, "deep") == ("A", "deep")
    assert path.enter(2, "B") == ("A", "B")
    assert path.enter(1, "C\n d") == ("C d",)
    assert len(path.enter(2, "x" * 1000)[-1]) == 300


def test_cells_of_a_row_stand_on_one_line():
    assert row_text(["a\nb", "", " c\t", "", ""]) == "a b |  | c"
    assert row_text(["", " "]) == ""


def test_metadata_of_any_shape_becomes_text():
    values = {
        "a": 1,
        "b": True,
        "c": None,
        "d": ["x", 2, {"y": 1}],
        "e": {"f": {"g": "h"}},
        "i": "two\nlines",
        "j": date(2024, 1, 2),
        5: 1.5,
        "": "",
    }
    assert flat_metadata(values) == {"a": "1", "b": "true", "d": "x, 2", "e.f.g": "h", "i": "two lines", "5": "1.5"}


def test_metadata_is_bounded():
    nested = value = {}
    for _ in range(500):
        value["k"] = {"v": "x"}
        value = value["k"]
    assert len(flat_metadata(nested)) <= 4
    assert len(flat_metadata({str(number): "x" for number in range(1000)})) == 200
    assert len(flat_metadata({"a": "x" * 10_000})["a"]) == 2000
