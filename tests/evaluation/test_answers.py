"""Answer files, the sentences and citations in them, and all measures over them."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import UsageError
from fonte.evaluation import (
    Choices,
    GivenAnswer,
    Question,
    QuestionPassage,
    Scorer,
    cited_answer,
    measure_answers,
    measure_run,
    qrels_of,
    read_answers,
)
from fonte.evaluation.cited_answers import numbered_markers, spoken_text
from fonte.measures import ALCE, CitedPassage

GIVEN = [CitedPassage(str(number), f"text {number}") for number in (1, 2, 3)]


def write(tmp_path, *rows):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def read(tmp_path, row):
    return next(iter(read_answers(write(tmp_path, {"id": "q", **row})).values()))


def cited(text, given=GIVEN, **more):
    answer = cited_answer(GivenAnswer("q", text, "answered", **more), given)
    return [(one.text, [passage.id for passage in one.passages], one.invented) for one in answer.sentences]


def test_markers_belong_to_the_sentence_before_them():
    text = "Foo is bar [1]. Baz is here. [2] And more [1][3].\nLast line [1, 9] here [7-8]. [3]"
    assert cited(text) == [
        ("Foo is bar.", ["1"], 0),
        ("Baz is here.", ["2"], 0),
        ("And more.", ["1", "3"], 0),
        ("Last line here.", ["1", "3"], 3),
    ]
    assert cited("No citation here.") == [("No citation here.", [], 0)]
    assert cited("[1] Begins with one.") == [("Begins with one.", ["1"], 0)]
    assert cited("") == cited("[1]") == []


def test_numbers_in_markers():
    assert [numbers for _, _, numbers in numbered_markers("[1] [2, 3] [4;5] [6-8] [9-1] [1-9999] [x] [2.1]")] == [
        (1,), (2, 3), (4, 5), (6, 7, 8), (9, 1), (1, 9999),
    ]  # fmt: skip


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["One is here", "Two are", "东京是首都", "The U.S. won"]),
            st.lists(st.integers(0, 5), max_size=3),
        ),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=100, deadline=None)
def test_every_marker_is_counted_once(parts):
    text = " ".join(
        f"{said} {''.join(f'[{number}]' for number in numbers)}.".replace(" .", ".") for said, numbers in parts
    )
    answer = cited_answer(GivenAnswer("q", text, "answered"), GIVEN)
    every = [number for _, numbers in parts for number in numbers]
    assert sum(len(one.passages) for one in answer.sentences) == sum(1 <= number <= 3 for number in every)
    assert answer.all_invented == sum(not 1 <= number <= 3 for number in every)
    assert not any("[" in one.text for one in answer.sentences)


def test_listed_citations_go_by_their_spans(tmp_path):
    text = "Foo is bar [1]. Baz is here [2]."
    citations = [
        {"passage_id": "b", "answer_start": 0, "answer_end": 10, "marker_start": 11, "marker_end": 14},
        {"passage_id": "zz", "answer_start": 16, "answer_end": 27, "marker_start": 28, "marker_end": 31},
    ]
    passages = [{"passage_id": "b", "text": "of b", "document": "d"}]
    answer = read(tmp_path, {"answer": text, "citations": citations, "passages": passages, "invented_markers": ["[7]"]})
    found = cited_answer(answer, answer.passages)
    assert [(one.text, [p.id for p in one.passages], one.invented) for one in found.sentences] == [
        ("Foo is bar.", ["b"], 0),
        ("Baz is here.", [], 1),
    ]
    assert found.all_invented == 2
    assert spoken_text(answer, answer.passages) == "Foo is bar. Baz is here."


def test_brackets_stay_where_nothing_says_that_they_cite():
    answer = GivenAnswer("q", "Use array[0] and [1].", "answered")
    assert spoken_text(answer, None) == "Use array[0] and [1]."


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({}, "there is no 'answer'"),
        ({"answer": 5}, "'answer' must be a text"),
        ({"answer": "x", "status": "fine"}, "the status 'fine' is not known"),
        ({"answer": "x", "citations": "no"}, "'citations' must be a list"),
        ({"answer": "x", "citations": [{}]}, "there is no 'id'"),
        (
            {"answer": "x", "citations": [{"passage_id": "a", "answer_start": 0, "answer_end": 9}]},
            "outside of the answer",
        ),
        ({"answer": "x", "passages": [{}]}, "there is no 'text'"),
        ({"answer": "x", "passages": [{"id": 1, "text": ""}, {"id": "1", "text": ""}]}, "the same id"),
        ({"answer": "x", "effects": [{"passage_id": "a", "status": "measured"}]}, "without a value"),
    ],
)
def test_malformed_answers_name_file_line_and_remedy(tmp_path, row, told):
    with pytest.raises(UsageError) as error:
        read(tmp_path, row)
    assert "answers.jsonl, line 1" in str(error.value)
    assert told in str(error.value)


def test_statuses_and_thinking(tmp_path):
    assert read(tmp_path, {"answer": "<think>Rome</think>Paris"}).text == "Paris"
    assert not read(tmp_path, {"answer": "I do not know.", "status": "not_in_sources"}).answered
    assert not read(tmp_path, {"answer": " "}).answered
    assert not read(tmp_path, {"answer": "<think>never closed"}).answered
    with pytest.raises(UsageError, match="line 2: the id 'q' was used before"):
        read_answers(write(tmp_path, {"id": "q", "answer": ""}, {"id": "q", "answer": ""}))


def questions():
    passages = (
        QuestionPassage("a", "Paris is the capital of France.", gold=True),
        QuestionPassage("b", "Rome.", gold=False),
    )
    return [
        Question("1", "Capital?", ("Paris",), passages, answerable=True),
        Question("2", "Known?", ("no",), (QuestionPassage("1", "It is not known."),), answerable=True),
        Question("3", "Impossible?", answerable=False),
        Question("4", "Missing?", ("x",), answerable=True),
    ]


def answers(tmp_path, *rows):
    return read_answers(write(tmp_path, *rows))


ROWS = (
    {"id": "1", "answer": "Paris is the capital of France [1]."},
    {"id": "2", "answer": "It is not known. [1] [9]"},
    {"id": "3", "answer": "", "status": "not_in_sources"},
    {"id": "zz", "answer": "stray"},
)


def test_all_measures_over_a_file(tmp_path):
    scorer = Scorer("words", lambda pairs: [float(all(w in p.split() for w in h.split())) for p, h in pairs])
    found = measure_answers(questions(), answers(tmp_path, *ROWS), Choices(scorer, conventions=(ALCE,)))
    assert found.measures["containment"].values == {"1": 1, "2": 0, "4": 0}
    assert found.measures["exact_match"].items["4"].reason == "no answer in the file"
    assert found.measures["containment"].items["3"].status == "not_applicable"
    assert found.measures["coverage"].values == {"1": 1, "2": 1, "3": 0, "4": 0}
    assert found.measures["risk"].values == {"1": 0, "2": 1}
    assert found.measures["right_silence"].values == {"3": 1}
    assert found.measures["invented_citations"].values == {"1": 0, "2": 0.5}
    assert found.measures["alce_citation_recall"].values == {"1": 1, "2": 0}
    assert found.judges["alce_citation_recall"] == "words"
    assert "citation_recall" not in found.measures
    assert any("1 of 4 questions have no answer" in note for note in found.notes)
    assert any("1 answers have an id" in note for note in found.notes)
    for shape in found.to_json()["measures"].values():
        assert {"mean", "low", "high", "n", "n_scored", "status"} <= set(shape)
        assert shape["n"] == 4
    assert json.dumps(found.to_json(), allow_nan=False)
    assert {item["id"] for item in found.items_json()} == {"1", "2", "3", "4"}


def test_an_answer_from_no_passages_is_not_faithful(tmp_path):
    scorer = Scorer("all", lambda pairs: [1.0] * len(pairs))
    row = {"id": "4", "answer": "x is so.", "passages": [], "citations": []}
    found = measure_answers(questions(), answers(tmp_path, row), Choices(scorer))
    assert found.measures["citation_recall"].values == {"4": 0}
    unknown = measure_answers(questions(), answers(tmp_path, {"id": "4", "answer": "x is so."}), Choices(scorer))
    assert unknown.measures["citation_recall"].items["4"].status == "not_scored"
    assert unknown.measures["citation_recall"].mean is None


def test_no_shared_id_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="No answer belongs to a question"):
        measure_answers(questions(), answers(tmp_path, {"id": "zz", "answer": ""}))


def test_effects_and_support_stay_two_numbers(tmp_path):
    effect = {"passage_id": "a", "status": "measured", "value": 2.0, "low": 1.0, "high": 3.0}
    nothing = {"passage_id": "b", "status": "no_measurable_effect", "value": 0.0, "low": -1.0, "high": 1.0}
    span = {"answer_start": 0, "answer_end": 31}
    row = {
        "id": "1",
        "answer": "Paris is the capital of France.",
        "citations": [{"passage_id": "a", "effect": effect, **span}, {"passage_id": "b", "effect": nothing, **span}],
        "passages": [
            {"passage_id": "a", "text": "Paris is the capital of France."},
            {"passage_id": "b", "text": "Rome."},
        ],
        "effects": [effect, nothing],
    }
    scorer = Scorer("all", lambda pairs: [1.0] * len(pairs))
    found = measure_answers(questions(), answers(tmp_path, row), Choices(scorer)).measures
    assert found["effective_citations"].values == {"1": 0.5}
    assert found["cited_likelihood"].values == {"1": 1.0}
    assert found["post_rationalised"].values == {"1": 0.5}


def test_closed_book_and_substituted_answers(tmp_path):
    asked = [Question(str(n), "q", ("Paris",), extra={"substituted": ["Rome"]}) for n in range(3)]
    given_ = answers(
        tmp_path, {"id": "0", "answer": "Rome"}, {"id": "1", "answer": "Paris"}, {"id": "2", "answer": "?"}
    )
    without = answers(tmp_path, {"id": "0", "answer": "Paris"}, {"id": "1", "answer": "Oslo"})
    found = measure_answers(asked, given_, closed_book=without).measures
    assert found["counterfactual_following"].mean == pytest.approx(1 / 3)
    assert found["memorisation_ratio"].mean == 0.5
    assert found["accuracy_closed_book"].mean == found["accuracy_with_documents"].mean == pytest.approx(1 / 3)
    assert found["reference_reliance"].mean == 0


def test_runs_are_measured_over_every_judged_question():
    found = measure_run({"1": {"a": 1.0}, "zz": {"a": 1.0}}, {"1": {"a": 1}, "2": {"b": 1}})
    assert found.measures["R@1"].values == {"1": 1, "2": 0}
    assert found.measures["RR"].items["2"].reason == "the run has no results"
    assert len(found.notes) == 2
    assert qrels_of(questions()) == {"1": {"a": 1, "b": 0}}
    with pytest.raises(UsageError, match="share no question"):
        measure_run({"x": {"a": 1.0}}, {"1": {"a": 1}})
