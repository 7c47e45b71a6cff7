import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.documents import markdown
from fonte.documents.read import read_file
from tests.documents.making import SCRIPTS, check, pieces

SOURCE = """---
title: The Valve
model: 0070
revision: 1.10
tags: [steam, 3 bar]
maker:
  name: Ferri
draft: true
empty:
---
# Valve *V-70*

An opening
paragraph.

Setext heading
--------------

- first item
- second item
  with a second line

  1. deeper

> quoted

| Code | Meaning |
|------|---------|
| E1   | too \\| hot |
| E2   | no water |

```python
# no heading
x = 1
```

[link]: http://example.org

### Deep `code` [link](x)

Last.
"""


LINES = ("# a", "## b *c*", "- x", "  - y", "1. z", "> q", "| a | b |", "|---|---|", "| 1 | 2 |", "```", "", "    code")
MORE = ("text", "===", "---", "<div>", "</div>", "[r]: u", "\ttab", "<!--", "\u3000", "~~~", "* * *", "\\", *SCRIPTS)


def read(source):
    return markdown.read(source.encode()).contents[0]


def read_document(tmp_path, source):
    (tmp_path / "a.md").write_bytes(source.encode())
    return check(read_file(tmp_path / "a.md", "a.md").documents[0])


def test_front_matter_becomes_metadata_as_it_is_spelt(tmp_path):
    document = read_document(tmp_path, SOURCE)
    assert document.title == "The Valve"
    assert dict(document.metadata) == {
        "model": "0070",
        "revision": "1.10",
        "tags": "steam, 3 bar",
        "maker.name": "Ferri",
        "draft": "true",
    }
    assert document.text == SOURCE.split("---\n", 2)[2]


def test_blocks_carry_kind_heading_header_and_line(tmp_path):
    document = read_document(tmp_path, SOURCE)
    found = {document.text[block.start : block.end]: block for block in document.blocks}
    lines = SOURCE.split("\n")
    for text, block in found.items():
        assert lines[block.line - 1].strip() == text.split("\n")[0].strip()
    assert found["# Valve *V-70*"].heading == ("Valve V-70",)
    assert found["An opening\nparagraph."].heading == ("Valve V-70",)
    assert found["Setext heading\n--------------"].heading == ("Valve V-70", "Setext heading")
    assert found["- first item"].kind == "list_item"
    assert found["1. deeper"].kind == "list_item"
    assert found["> quoted"].kind == "paragraph"
    row = found["| E1   | too \\| hot |"]
    assert (row.kind, row.header) == ("table_row", "Code | Meaning")
    header = found["| Code | Meaning |\n|------|---------|"]
    assert (header.kind, header.header) == ("table_row", "")
    assert found["```python\n# no heading\nx = 1\n```"].kind == "code"
    assert found["[link]: http://example.org"].kind == "paragraph"
    assert found["### Deep `code` [link](x)"].heading == ("Valve V-70", "Setext heading", "Deep code link")


@pytest.mark.parametrize(
    "source",
    [
        "---\nno: [closed\n---\ntext",
        "---\njust a line\n---\ntext",
        "---\nonly: start\n",
        "--- \ntext",
        "text\n---\na: b\n---\n",
    ],
)
def test_what_is_no_front_matter_stays_text(source):
    content = read(source)
    assert content.text == source
    assert content.metadata == {}


def test_front_matter_ends_and_windows_lines():
    content = read("---\r\ntitle: A\r\n...\r\nText\r\n")
    assert (content.title, content.text, content.blocks[0].line) == ("A", "Text\n", 4)
    assert read("---\n---\nText").text == "Text"


def test_aliases_cannot_unfold():
    lines = "".join(f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefghi", "bcdefghij", strict=True))
    content = read(f"---\na: &a [x]\n{lines}---\nText")
    assert sum(map(len, content.metadata.values())) < 10_000


def test_title_falls_back_to_the_first_heading(tmp_path):
    assert read_document(tmp_path, "Intro.\n\n## Second\n\n# First\n\ntext").title == "Second"


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(LINES + MORE),
        max_size=25,
    )
)
def test_any_markdown_is_covered_once_and_in_order(lines):
    content = read("\n".join(lines))
    position = 0
    for block in content.blocks:
        assert block.start >= position
        assert not content.text[position : block.start].strip()
        assert content.text[block.start : block.end].strip()
        position = block.end
    assert not content.text[position:].strip()


@pytest.mark.parametrize(
    "source", [">" * 20_000, "- " * 20_000, "# " + "*" * 50_000, "# " + "[" * 50_000, "`" * 50_000]
)
def test_pathological_markdown_ends(source):
    content = read(source)
    assert re.sub(r"\s", "", "".join(content.text[b.start : b.end] for b in content.blocks)) == re.sub(
        r"\s", "", source
    )


def test_pieces_of_every_script(tmp_path):
    assert pieces(read_document(tmp_path, "\n\n".join(SCRIPTS))) == list(SCRIPTS)
