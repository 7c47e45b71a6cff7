import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.documents.read import read_file
from tests.documents.making import SCRIPTS, check, pieces

VALUES = st.one_of(st.sampled_from(SCRIPTS), st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30))


def read(tmp_path, name, data):
    (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    reading = read_file(tmp_path / name, name)
    for document in reading.documents:
        check(document)
    return reading


def test_jsonl_rows_become_documents(tmp_path):
    rows = [
        {
            "_id": "a",
            "title": "Valve",
            "text": "Opens.\n\nCloses.",
            "year": 2020,
            "tags": ["x", "y"],
            "deep": {"n": 1},
            "no": None,
        },
        {"_id": "a", "text": "Again."},
        {"Content": "No id.", "flag": True},
    ]
    reading = read(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows)) + "\n")
    first, second, third = reading.documents
    assert (first.title, first.text, first.name) == ("Valve", "Opens.\n\nCloses.", "a.jsonl#a")
    assert first.source == f"{tmp_path / 'a.jsonl'}#a"
    assert dict(first.metadata) == {"id": "a", "year": "2020", "tags": "x, y", "deep.n": "1"}
    assert [block.line for block in first.blocks] == [1, 1]
    assert second.source.endswith("#a~2")
    assert (third.name, third.title, dict(third.metadata)) == ("a.jsonl#line-3", "a#line-3", {"flag": "true"})
    assert third.blocks[0].line == 3
    assert len({document.id for document in reading.documents}) == 3


def test_bad_lines_are_named_and_lose_only_themselves(tmp_path):
    lines = [
        '{"text": "good"}',
        "{broken",
        "",
        "[1, 2]",
        '{"title": "no text"}',
        '{"text": 5}',
        '{"text": " "}',
        '{"text": "too"}',
    ]
    reading = read(tmp_path, "a.jsonl", "\n".join(lines))
    assert [document.text for document in reading.documents] == ["good", "too"]
    assert reading.reason.startswith("5 of 7 rows left out: line 2: not valid JSON")
    for part in (
        "line 4: not an object but list",
        "line 5: no text column",
        "line 6: 'text' is not text but int",
        "line 7",
    ):
        assert part in reading.reason


def test_lone_surrogates_nul_and_separators_in_rows(tmp_path):
    reading = read(
        tmp_path, "a.jsonl", '{"text": "a\\ud800b\\u0000c\u2028d", "id": "x\\ny", "k\\ud800": "v"}\n{"text": "e"}'
    )
    assert reading.documents[0].text == "a\ufffdb c\u2028d"
    assert reading.documents[0].name.endswith("#x y")
    assert reading.documents[1].text == "e"


@pytest.mark.parametrize("data", ["{{{", "[1]\n[2]", '"text"', '{"title": "x"}', "[" * 50_000])
def test_no_usable_line_is_a_failure_with_a_reason(tmp_path, data):
    reading = read(tmp_path, "a.jsonl", data)
    assert reading.status == "failed"
    assert "line 1" in reading.reason


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ([{"text": "a"}, {"text": "b"}], ["a", "b"]),
        ({"version": 1, "data": [{"text": "a"}, {"text": "b"}]}, ["a", "b"]),
        ({"title": "T", "body": "one"}, ["one"]),
    ],
)
def test_json(tmp_path, value, texts):
    reading = read(tmp_path, "a.json", json.dumps(value, indent=1))
    assert [document.text for document in reading.documents] == texts


@pytest.mark.parametrize("data", ['{"a": 1}', "[]", "5", "{", '{"text": "a"}\n{"text": "b"}', "[" * 50_000])
def test_json_without_rows_says_why(tmp_path, data):
    reading = read(tmp_path, "a.json", data)
    assert reading.status in ("failed", "no_text")
    assert reading.reason


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_rows(tmp_path, delimiter):
    table = [["id", "Text", "year"], ["1", 'He said "yes",\nthen left; or\t|', "2020"], ["2", "Größe 说明", ""]]
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter).writerows(table)
    reading = read(tmp_path, "a.csv", file.getvalue())
    assert [document.text for document in reading.documents] == [table[1][1], table[2][1]]
    assert dict(reading.documents[0].metadata) == {"id": "1", "year": "2020"}
    assert [document.blocks[0].line for document in reading.documents] == [2, 4]


def test_csv_encodings(tmp_path):
    rows = "id;text\n1;Die Größe der Öffnung\n"
    assert read(tmp_path, "a.csv", rows.encode("cp1252")).documents[0].metadata["encoding"] == "cp1252"
    assert read(tmp_path, "b.csv", rows.encode("utf-8-sig")).documents[0].text == "Die Größe der Öffnung"


def test_an_open_quote_does_not_swallow_the_file(tmp_path):
    reading = read(tmp_path, "a.csv", 'id,text\n1,"open\n2,fine\n3,"also ""fine"""\n4,a,b,c\n')
    assert [document.text for document in reading.documents] == ["fine", 'also "fine"']
    assert "line 2: not valid CSV" in reading.reason
    assert "line 5: 4 fields, but the header has 2" in reading.reason


def test_csv_without_text_column_is_a_table(tmp_path):
    (document,) = read(tmp_path, "codes.csv", "Code,Meaning\nE1,too hot\nE2,no water\n").documents
    assert pieces(document) == ["Code | Meaning", "E1 | too hot", "E2 | no water"]
    assert [block.header for block in document.blocks] == ["", "Code | Meaning", "Code | Meaning"]
    assert document.title == "codes"


def test_large_fields(tmp_path):
    assert len(read(tmp_path, "a.csv", f"text\n{'word ' * 100_000}\n").documents[0].text) == 500_000


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=6))
def test_every_row_comes_back(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("rows")
    kept = [text for _, text in rows]
    lines = "\n".join(json.dumps({"id": key, "text": text}) for key, text in rows)
    read_back = [document.text for document in read(folder, "a.jsonl", lines).documents]
    assert read_back == [text for text in kept if text in read_back]
    file = io.StringIO()
    csv.writer(file).writerows([("id", "text"), *rows])
    assert [document.text for document in read(folder, "a.csv", file.getvalue()).documents] == read_back
