import pytest

from fonte.documents.pdf.furniture import split_furniture
from fonte.documents.pdf.line import Line, Run
from fonte.values import Box


def line(page, top, text, size=10):
    runs, left = [], 72.0
    for word in text.split():
        runs.append(Run(" ", word, Box(page, left, top, left + 6.0 * len(word), top + size)))
        left += 6.0 * len(word) + 4
    return Line(runs, 842)


def pages(count, *, header="AX-200 manual", footer="Page {page} of 9", body=("first of {page}", "second of {page}")):
    lines = []
    for page in range(1, count + 1):
        lines += [line(page, 30, header.format(page=page))] if header else []
        lines += [line(page, 90 + 14 * index, text.format(page=page)) for index, text in enumerate(body)]
        lines += [line(page, 800, footer.format(page=page))] if footer else []
    return lines


def texts(lines):
    return [each.text for each in lines]


@pytest.mark.parametrize("count", [2, 3, 4, 9, 50])
def test_headers_and_footers_go_and_the_body_stays(count):
    body, identity = split_furniture(pages(count))
    assert texts(body) == [f"{word} of {page}" for page in range(1, count + 1) for word in ("first", "second")]
    assert identity == ("AX-200 manual", "Page of 9")


def test_a_single_page_has_no_running_lines():
    body, identity = split_furniture(pages(1))
    assert len(body) == 4
    assert identity == ()


def test_half_of_the_pages_is_enough_and_less_is_not():
    def book(marked):
        lines = []
        for page in range(1, 9):
            lines += [line(page, 30, "Chapter head")] if page <= marked else []
            lines.append(line(page, 100, f"text of {'abcdefgh'[page - 1]}"))
        return lines

    assert len(split_furniture(book(4))[0]) == 8
    assert len(split_furniture(book(3))[0]) == 11


def test_left_and_right_pages_may_differ():
    lines = []
    for page in range(1, 9):
        lines += [
            line(page, 30, "The Manual" if page % 2 else "The Chapter"),
            line(page, 100, f"text of {'abcdefgh'[page - 1]}"),
        ]
    body, identity = split_furniture(lines)
    assert len(body) == 8
    assert set(identity) == {"The Manual", "The Chapter"}


def test_numbers_that_do_not_follow_the_page_need_three_occurrences():
    two = [line(page, 30, f"Step {10 * page}") for page in (1, 2)] + [line(page, 200, "text") for page in (1, 2)]
    assert len(split_furniture(sorted(two, key=lambda each: each.page))[0]) == 4


def test_a_line_that_recurs_in_the_middle_stays():
    lines = [each for page in range(1, 6) for each in (line(page, 400, "Code Meaning"), line(page, 500, f"x{page} y"))]
    assert len(split_furniture(lines)[0]) == 10


def test_pages_of_the_same_text_stay():
    lines = [line(page, 40 + 14 * row, f"the same row {row}") for page in range(1, 6) for row in range(30)]
    assert split_furniture(lines) == (lines, ())


def test_bodies_that_look_alike_below_a_gap_stay():
    body, _ = split_furniture(pages(6, body=("This is the text of page {page}.",)))
    assert len(body) == 6


def test_a_text_that_starts_alike_on_every_page_stays():
    lines = []
    for page in range(1, 7):
        lines += [line(page, 80 + 14 * row, f"{row} times {page} is {row * page}") for row in range(3)]
        lines += [line(page, 80 + 14 * 3, f"and {'abcdef'[page - 1]}"), line(page, 800, f"{page}")]
    body, _ = split_furniture(lines)
    assert len(body) == 24


def test_mixed_and_absurd_numbers():
    numbers = ["9" * 5000, "iv", "8" * 6000, "٣", "7"]
    lines = [
        each
        for page, number in enumerate(numbers, 1)
        for each in (line(page, 20, number), line(page, 300, f"t{number}x"))
    ]
    assert len(split_furniture(lines)[0]) == 5


def test_what_would_leave_nothing_is_kept():
    lines = [line(page, 30, "Certificate") for page in range(1, 4)]
    assert split_furniture(lines) == (lines, ())


def test_roman_page_numbers_are_numbers():
    numbers = ["i", "ii", "iii", "iv", "v", "vi"]
    lines = [
        each for page in range(1, 7) for each in (line(page, 200, f"t{page}x"), line(page, 800, numbers[page - 1]))
    ]
    body, identity = split_furniture(lines)
    assert len(body) == 6
    assert identity == ()
