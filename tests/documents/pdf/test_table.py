from fonte.documents.pdf.line import Line, Run
from fonte.documents.pdf.table import table_headers
from fonte.values import Box


def row(top, *cells, page=1, lefts=(70, 200, 330)):
    runs = []
    for left, cell in zip(lefts, cells, strict=False):
        for word in cell.split():
            runs.append(Run(" ", word, Box(page, left, top, left + 5.0 * len(word), top + 10)))
            left += 5.0 * len(word) + 3
    return Line(runs, 842)


def test_lines_whose_cells_stand_under_one_another_are_rows():
    lines = [
        row(100, "A sentence above the table."),
        row(120, "Code", "What it means"),
        row(134, "E1", "too hot"),
        row(148, "E2", "no water at all"),
        row(170, "A sentence below."),
    ]
    assert table_headers(lines) == {1: "", 2: "Code | What it means", 3: "Code | What it means"}


def test_right_aligned_numbers_are_a_column():
    lines = [
        row(100, "Part", "Price"),
        row(114, "bolt", "7", lefts=(70, 220)),
        row(128, "nut", "1250", lefts=(70, 205)),
    ]
    assert table_headers(lines)[2] == "Part | Price"


def test_two_lines_another_page_or_columns_out_of_line_are_no_table():
    assert table_headers([row(100, "a", "b"), row(114, "c", "d")]) == {}
    assert table_headers([row(100, "a", "b"), row(114, "c", "d"), row(128, "e", "f", page=2)]) == {}
    assert table_headers([row(100 + 14 * n, "a", "b", lefts=(70, 150 + 17 * n)) for n in range(5)]) == {}


def test_rows_of_values_alone_have_no_header():
    assert set(table_headers([row(100 + 14 * n, str(n), "CARD32", "x") for n in range(3)]).values()) == {""}
