from datetime import date, datetime, time

import openpyxl

from fonte.documents.read import read_file
from tests.documents.making import SCRIPTS, check, pieces, saved


def read_workbook(tmp_path, workbook):
    (tmp_path / "a.xlsx").write_bytes(saved(workbook))
    return read_file(tmp_path / "a.xlsx", "a.xlsx")


def test_rows_with_header_and_sheet(tmp_path):
    workbook = openpyxl.Workbook()
    workbook.properties.title = "Codes"
    first = workbook.active
    first.title = "Errors"
    for row in (
        ["Code", "Meaning", None, "Since"],
        [],
        ["E1", "too\nhot", None, date(2024, 1, 2)],
        ["E2", None, 7.0, 2.5],
    ):
        first.append(row)
    second = workbook.create_sheet("Werte")
    second.append(["Größe"])
    second.append([True])
    second.append([datetime(2024, 1, 2, 3, 4, 5)])
    second.append([time(1, 2)])
    second.append([0.1 + 0.2])
    second.append([123456789012])
    hidden = workbook.create_sheet("secret")
    hidden.append(["x"])
    hidden.sheet_state = "hidden"
    reading = read_workbook(tmp_path, workbook)
    document = check(reading.documents[0])
    assert pieces(document) == [
        "Code | Meaning |  | Since",
        "E1 | too hot |  | 2024-01-02",
        "E2 |  | 7 | 2.5",
        "Größe",
        "TRUE",
        "2024-01-02 03:04:05",
        "01:02:00",
        "0.3",
        "123456789012",
    ]
    assert {block.kind for block in document.blocks} == {"table_row"}
    assert [block.header for block in document.blocks][:4] == ["", *["Code | Meaning |  | Since"] * 2, ""]
    assert document.place(len(document.text) - 1, len(document.text)).sheet == "Werte"
    assert document.title == "Codes"
    assert reading.reason == "Hidden sheets left out: secret."


def test_scripts(tmp_path):
    workbook = openpyxl.Workbook()
    workbook.active.append(list(SCRIPTS))
    assert read_workbook(tmp_path, workbook).documents[0].text == " | ".join(SCRIPTS)


def test_a_far_cell_does_not_make_a_million_empty_ones(tmp_path):
    workbook = openpyxl.Workbook()
    workbook.active["A1"] = "first"
    workbook.active["XFD200"] = "far"
    document = check(read_workbook(tmp_path, workbook).documents[0])
    assert document.text.startswith("first\n")
    assert document.text.endswith("far")


def test_an_empty_workbook_has_no_text(tmp_path):
    reading = read_workbook(tmp_path, openpyxl.Workbook())
    assert reading.status == "no_text"
