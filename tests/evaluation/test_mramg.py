"""MRAMG-Bench's manuals in both shapes of line, with placeholders, debris, and gold at three levels."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonte.documents.clean import clean
from fonte.errors import UsageError
from fonte.evaluation import read_mramg_documents, read_mramg_questions
from fonte.evaluation.aligned import best_alignment, common_subsequence
from fonte.evaluation.mramg import REACH, _around, _without_placeholders

PUMP = (
    "Ventalba pump\r\nOpen the lid of the pump with both hands.\nTurn the valve<PIC> to the left.\n<PIC>\n"
    "Fill the tank with five litres of water.\nClose the lid again.\nWarr_x0002_anty lasts two years."
)
LAMP = "Stillaro lamp\nScrew the bulb into the socket of the lamp.\n<PIC>"
DOCUMENTS = [
    {"id": "m1", "content": PUMP, "images_list": ["p1", "p2", "p3"]},
    {"id": 7, "content": LAMP, "images_list": [31]},
    {"id": "m3", "content": "", "images_list": []},
]
QUESTIONS = [
    {
        "id": 1,
        "question": "How is the tank filled?",
        "provenance": ["m1"],
        "ground_truth": "You fill the tank with five litres of water. <PIC> Nothing like it stands in that manual.",
        "images_list": ["p2"],
    },
    {
        "id": "q2",
        "question": "How do I change the bulb?",
        "provenance": [7],
        "ground_truth": "<PIC>",
        "images_list": [31],
    },
    {"id": "q3", "question": "And?", "provenance": ["m1", 7], "ground_truth": "Yes.", "images_list": ["p9"]},
]


def arrays(rows):
    return [list(row.values()) for row in rows]


def write(folder, documents=DOCUMENTS, questions=QUESTIONS):
    for name, rows in (("doc_manual.jsonl", documents), ("manual_mqa.jsonl", questions)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


@pytest.fixture(params=["objects", "arrays", "mixed"])
def folder(request, tmp_path):
    if request.param == "objects":
        return write(tmp_path)
    if request.param == "arrays":
        return write(tmp_path, arrays(DOCUMENTS), arrays(QUESTIONS))
    return write(tmp_path, [DOCUMENTS[0], *arrays(DOCUMENTS[1:])], [*arrays(QUESTIONS[:1]), *QUESTIONS[1:]])


def test_documents(folder):
    pump, lamp, empty = read_mramg_documents(folder)
    assert [pump.id, lamp.id, empty.id] == ["m1", "7", "m3"]
    assert "<PIC>" not in pump.text + lamp.text
    assert "_x00" not in pump.text
    assert "Warranty lasts" in pump.text
    assert pump.text == clean(pump.text)
    assert [image.id for image in pump.images] == ["p1", "p2"]
    assert pump.unplaced == ("p3",)
    assert pump.text[: pump.images[0].offset].endswith("Turn the valve")
    assert pump.text[pump.images[0].offset :].startswith(" to the left")
    assert pump.text[pump.images[1].offset - 1 : pump.images[1].offset + 5] == "\n\nFill"
    assert (lamp.images[0].id, lamp.images[0].offset) == ("31", len(lamp.text))
    assert (empty.text, empty.images) == ("", ())


def test_gold_of_documents(folder):
    first, second, third = read_mramg_questions(folder)
    assert [one.id for one in (first, second, third)] == ["1", "q2", "q3"]
    assert [span.document for span in third.gold] == ["m1", "7"]
    assert first.relevance == {"m1": 1}
    assert all(span.start is None for one in (first, second, third) for span in one.gold)
    assert first.answers[0].startswith("You fill the tank with five litres of water.  Nothing")
    assert second.answers == ()
    assert second.extra["images"] == ["31"]


def test_gold_around_images(folder):
    text = {document.id: document.text for document in read_mramg_documents(folder)}
    first, second, third = read_mramg_questions(folder, "image")
    (span,) = first.gold
    assert text["m1"][span.start : span.end].splitlines() == [
        "Open the lid of the pump with both hands.",
        "Turn the valve to the left.",
        "",
        "Fill the tank with five litres of water.",
    ]
    assert text["7"][second.gold[0].start : second.gold[0].end] == text["7"].rstrip()
    assert third.gold == ()


def test_gold_of_the_answer(folder):
    text = {document.id: document.text for document in read_mramg_documents(folder)}
    first, second, third = read_mramg_questions(folder, "answer")
    (span,) = first.gold
    assert (span.document, text["m1"][span.start : span.end]) == ("m1", "Fill the tank with five litres of water.")
    assert second.gold == third.gold == ()


def test_packed_files_are_read(folder):
    expected = read_mramg_questions(folder)
    for path in list(folder.iterdir()):
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert read_mramg_questions(folder) == expected


@pytest.mark.parametrize(
    ("documents", "questions", "complaint"),
    [
        ([["m1", "text"]], [], "line 1: this is neither an object nor an array"),
        (["m1"], [], "neither an object"),
        ([{"id": "m1", "images_list": []}], [], "there is no 'content'"),
        ([DOCUMENTS[0], DOCUMENTS[0]], [], "line 2: the id 'm1' was used before"),
        ([{**DOCUMENTS[0], "images_list": [{"id": 1}]}], [], "'images_list' must be"),
        (DOCUMENTS, [{**QUESTIONS[0], "provenance": ["m9"]}], "the document 'm9' is not in doc_manual.jsonl"),
        (DOCUMENTS, [{**QUESTIONS[0], "ground_truth": 3}], "'ground_truth' must be"),
        (DOCUMENTS, [QUESTIONS[0], QUESTIONS[0]], "line 2: the id '1' was used before"),
    ],
)
def test_files_that_are_not_what_they_should_be(tmp_path, documents, questions, complaint):
    with pytest.raises(UsageError, match=complaint.replace("[", r"\[")):
        read_mramg_questions(write(tmp_path, documents, questions))


def test_missing_files_are_told(tmp_path):
    with pytest.raises(UsageError, match=r"doc_manual\.jsonl"):
        read_mramg_documents(tmp_path)


@given(st.lists(st.text(st.sampled_from("ab _x02\r\n\x02\t"), max_size=8) | st.just("<PIC>"), max_size=8))
def test_offsets_of_placeholders(pieces):
    content = "".join(pieces)
    text, offsets = _without_placeholders(content)
    assert len(offsets) == content.count("<PIC>")
    assert offsets == sorted(offsets)
    assert all(0 <= offset <= len(text) for offset in offsets)
    assert text == clean(text)
    assert "<PIC>" not in text
    if "_x00" not in content and content == clean(content):
        restored = text
        for offset in reversed(offsets):
            restored = restored[:offset] + "<PIC>" + restored[offset:]
        assert restored == content


@pytest.mark.parametrize(
    ("debris", "expected"),
    [("_x0002_", ""), ("_x001F_", ""), ("_x009f_", ""), ("_x000D_", "\n"), ("_x0009_", "\t"), ("_x0041_", "_x0041_")],
)
def test_debris(debris, expected):
    assert _without_placeholders(f"a{debris}b<PIC>")[0] == f"a{expected}b"


@given(st.text(st.sampled_from("a \n"), max_size=40), st.data())
def test_evidence_is_a_span_near_its_image(text, data):
    offset = data.draw(st.integers(0, len(text)))
    start, end = _around(text, offset)
    assert 0 <= start <= end <= len(text)
    assert text.strip() == "" or "a" in text[start:end]


def test_evidence_in_a_text_without_lines_stays_near():
    start, end = _around("word " * 2000, 5000)
    assert (start, end) == (5000 - REACH, 5000 + REACH)


@given(st.lists(st.sampled_from("abc"), max_size=7), st.lists(st.sampled_from("abc"), max_size=7))
def test_common_subsequence_equals_the_recursion(one, other):
    def longest(i, j):
        if i == len(one) or j == len(other):
            return 0
        if one[i] == other[j]:
            return 1 + longest(i + 1, j + 1)
        return max(longest(i + 1, j), longest(i, j + 1))

    assert common_subsequence(one, other) == longest(0, 0)


@given(st.lists(st.lists(st.sampled_from("abcde"), min_size=3, max_size=6), min_size=1, max_size=6), st.data())
def test_no_window_is_better_than_the_best(said, data):
    class Source:
        text = " ".join(" ".join(f"w{word}" for word in each).capitalize() + "." for each in said)

    answer = data.draw(st.lists(st.sampled_from("abcdef"), min_size=3, max_size=6))
    words = [f"w{word}" for word in answer]
    found = best_alignment(" ".join(words), [Source()], 0.5)
    windows = [said[first : first + size] for first in range(len(said)) for size in (1, 2)]
    best = max(common_subsequence(answer, [word for each in window for word in each]) for window in windows)
    assert bool(found) == (best >= len(answer) / 2)
    if found:
        start, end = found[0][1]
        held = Source.text[start:end].lower().replace(".", "").split()
        assert common_subsequence(words, held) == best
