import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.documents import read_file
from fonte.documents.plain import paragraphs
from tests.documents.making import SCRIPTS, check, pieces

LINES = st.lists(
    st.sampled_from(["", " ", "a b", "\t", "\u3000", "word", "ｘ", "\u2028", "👨‍👩‍👧", "e\u0301"]), max_size=30
)


def read(tmp_path, data, name="a.txt"):
    (tmp_path / name).write_bytes(data)
    return read_file(tmp_path / name, name)


@given(LINES)
def test_paragraphs_cover_all_and_lines_are_those_of_the_file(lines):
    text = "\n".join(lines)
    blocks = list(paragraphs(text))
    covered = "".join(text[block.start : block.end] for block in blocks)
    assert re.sub(r"\s", "", covered) == re.sub(r"\s", "", text)
    for block in blocks:
        assert block.line == text.count("\n", 0, block.start) + 1
        assert not re.search(r"\n\s*?\n", text[block.start : block.end].replace("\u2028", "x"))


def test_nothing_but_line_ends_changes(tmp_path):
    source = "First  line \r\nsecond\tline\r\rNew   paragraph.  \r\n" + "\n\n".join(SCRIPTS)
    document = read(tmp_path, source.encode()).documents[0]
    assert document.text == source.replace("\r\n", "\n").replace("\r", "\n")
    assert pieces(check(document))[0] == "First  line \nsecond\tline"
    assert [block.line for block in document.blocks][:2] == [1, 4]
    assert document.metadata == {}


def test_nul_bytes_become_spaces(tmp_path):
    assert read(tmp_path, b"The\x00 valve\x00opens").documents[0].text == "The  valve opens"


def test_title_is_a_short_first_line_or_the_name(tmp_path):
    assert read(tmp_path, b"The Valve\n\nIt opens.").documents[0].title == "The Valve"
    assert read(tmp_path, b"It opens at once.\n\nIt closes.", "valve.txt").documents[0].title == "valve"
    assert read(tmp_path, b"Only one line", "valve.txt").documents[0].title == "valve"


@settings(max_examples=30, deadline=None)
@given(text=st.text())
def test_any_text_is_sound(tmp_path_factory, text):
    reading = read(tmp_path_factory.mktemp("any"), text.encode("utf-8", "surrogatepass"))
    for document in reading.documents:
        check(document)
    assert reading.status in ("read", "no_text", "failed")


@pytest.mark.parametrize("encoding", ["cp932", "gb18030"])
def test_encoding_is_recorded(tmp_path, encoding):
    document = read(tmp_path, "按下按钮设置温度产品使用书".encode(encoding, "ignore") * 3).documents[0]
    assert document.metadata["encoding"]
