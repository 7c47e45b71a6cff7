import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.documents import html
from fonte.documents.read import read_file
from fonte.documents.reading import UnreadableError
from tests.documents.making import SCRIPTS, check, pieces

PAGE = """<!DOCTYPE html><html lang="de"><head><title>Das &amp; Ventil</title>
<meta name="author" content="Ferri"><meta name="viewport" content="x"><style>p{}</style></head>
<body><nav><a href="/">Home</a></nav><script>alert(1)</script><noscript>turn it on</noscript>
<h1>Ventil <em>V-70</em></h1>
<p>Ein  Absatz
mit <b>fett</b>er<br>Zeile &lt;3&nbsp;bar&gt;.</p>Loser Text
<h2>Sicherheit</h2><ul><li>eins<li>zwei <p>weiter</p></ul>
<p hidden>unsichtbar</p><p style="display: none">auch</p>
<table><caption>Codes</caption><thead><tr><th>Code</th><th>Bedeutung</th></tr></thead>
<tr><td>E1</td><td>zu <i>heiß</i></td></tr><tr><td>E2</td><td></td></tr></table>
<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>
<pre>  x = 1
  y = 2</pre>
<div>Ende</div></body></html>"""


def read_document(tmp_path, data):
    (tmp_path / "a.html").write_bytes(data)
    return check(read_file(tmp_path / "a.html", "a.html").documents[0])


def test_structure(tmp_path):
    document = read_document(tmp_path, PAGE.encode())
    assert document.title == "Das & Ventil"
    assert dict(document.metadata) == {"author": "Ferri", "language": "de"}
    assert pieces(document) == [
        "Ventil V-70",
        "Ein Absatz mit fetter\nZeile <3\u00a0bar>.",
        "Loser Text",
        "Sicherheit",
        "eins",
        "zwei",
        "weiter",
        "Codes",
        "Code | Bedeutung",
        "E1 | zu heiß",
        "E2",
        "a | b",
        "c | d",
        "x = 1\n  y = 2",
        "Ende",
    ]
    by_text = {document.text[block.start : block.end]: block for block in document.blocks}
    assert by_text["E1 | zu heiß"].header == "Code | Bedeutung"
    assert by_text["E1 | zu heiß"].kind == "table_row"
    assert by_text["E1 | zu heiß"].heading == ("Ventil V-70", "Sicherheit")
    assert by_text["c | d"].header == ""
    assert by_text["eins"].kind == by_text["weiter"].kind == "list_item"
    assert by_text["x = 1\n  y = 2"].kind == "code"


@pytest.mark.parametrize("encoding", ["cp932", "euc_jp", "utf-8", "utf-16"])
def test_declared_and_marked_encodings(tmp_path, encoding):
    name = encoding if encoding != "utf-16" else "utf-8"
    page = f'<meta charset="{name}"><p>製品'
    assert read_document(tmp_path, page.encode(encoding)).text == "製品"


def test_a_wrong_declaration_does_not_matter(tmp_path):
    assert read_document(tmp_path, '<meta charset="iso-8859-1"><p>Größe 说明'.encode()).text == "Größe 说明"


def test_layout_tables_are_read_as_pages(tmp_path):
    page = b"<table><tr><td><h1>A</h1><p>text</p></td><td><ul><li>x</ul></td></tr></table>"
    document = read_document(tmp_path, page)
    assert [block.kind for block in document.blocks] == ["heading", "paragraph", "list_item"]


def test_impossible_characters(tmp_path):
    assert read_document(tmp_path, b"<p>a&#xD800;b&#0;c\x00d&#x1F468;").text == "a\ufffdb\ufffdc d👨"


def test_absurd_depth_is_refused_and_great_depth_is_not():
    assert html.read(b"<div>" * 3000 + b"<p>deep").contents[0].text == "deep"
    with pytest.raises(UnreadableError, match="inside one another"):
        html.read(b"<div>" * 100_000)


def test_many_open_paragraphs_are_not_deep():
    assert len(html.read(b"<p>x" * 20_000).contents[0].blocks) == 20_000


TAGS = [
    "p",
    "div",
    "li",
    "ul",
    "table",
    "tr",
    "td",
    "th",
    "h1",
    "h2",
    "pre",
    "b",
    "span",
    "br",
    "script",
    "nav",
    "caption",
]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS]),
            st.sampled_from(["text", " ", "\n", "&amp;", "<!-- c -->", "<", ">", *SCRIPTS]),
        ),
        max_size=40,
    )
)
def test_any_page_is_covered_once_and_in_order(parts):
    content = html.read("".join(parts).encode())
    position = 0
    for block in content.contents[0].blocks:
        text = content.contents[0].text
        assert block.start >= position
        assert not text[position : block.start].strip()
        assert text[block.start : block.end].strip() == text[block.start : block.end] != ""
        position = block.end
    assert not content.contents[0].text[position:].strip()


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.text(st.characters(categories=["L", "N", "P", "So"], exclude_characters="<>&"), min_size=1), min_size=1)
)
def test_paragraphs_come_back_as_they_were(texts):
    content = html.read("".join(f"<p>{text}</p>" for text in texts).encode()).contents[0]
    assert [content.text[block.start : block.end] for block in content.blocks] == [text.strip() for text in texts]
