"""Runs, judgments, BEIR folders, question sets: round trips, hostile ids, malformed lines."""

import gzip
import json
import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fonte.errors import UsageError
from fonte.evaluation import (
    BeirDocument,
    GoldSpan,
    Question,
    QuestionPassage,
    read_beir_corpus,
    read_beir_qrels,
    read_beir_questions,
    read_qrels,
    read_questions,
    read_ranx_qrels,
    read_ranx_run,
    read_run,
    read_trec_qrels,
    read_trec_run,
    write_beir,
    write_questions,
    write_ranx,
    write_trec_qrels,
    write_trec_run,
)

ANY_ID = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
RUNS = st.dictionaries(
    ANY_ID, st.dictionaries(ANY_ID, st.floats(-1e9, 1e9), min_size=1, max_size=4), min_size=1, max_size=4
)
QRELS = st.dictionaries(
    ANY_ID, st.dictionaries(ANY_ID, st.integers(-2, 4), min_size=1, max_size=4), min_size=1, max_size=4
)


@given(RUNS)
@SETTINGS
def test_a_trec_run_is_read_as_it_was_or_refused(tmp_path, run):
    path = tmp_path / "run.txt"
    path.unlink(missing_ok=True)
    try:
        write_trec_run(path, run)
    except UsageError:
        assert not path.exists()
    else:
        assert read_trec_run(path) == run == read_run(path)


@given(QRELS)
@SETTINGS
def test_judgments_are_read_as_they_were_or_refused(tmp_path, qrels):
    path = tmp_path / "qrels.txt"
    path.unlink(missing_ok=True)
    try:
        write_trec_qrels(path, qrels)
    except UsageError:
        assert not path.exists()
    else:
        assert read_trec_qrels(path) == qrels == read_qrels(path)


@given(RUNS, QRELS)
@SETTINGS
def test_ranx_files_hold_any_id(tmp_path, run, qrels):
    path = tmp_path / "run.json"
    write_ranx(path, run)
    assert read_ranx_run(path) == run == read_run(path)
    write_ranx(path, qrels)
    assert read_ranx_qrels(path) == qrels == read_qrels(path)


@given(QRELS)
@SETTINGS
def test_beir_folders_are_read_as_they_were_or_refused(tmp_path, qrels):
    folder = tmp_path / "set"
    corpus = [BeirDocument("d 1", "text\nof it", "title"), BeirDocument("ü", "")]
    questions = [Question(name, f"about {name}?") for name in qrels if name.strip()]
    try:
        write_beir(folder, corpus, questions, {name: row for name, row in qrels.items() if name.strip()})
    except UsageError:
        assert any(character in "\t\n\r" for name, row in qrels.items() for character in name + "".join(row))
        return
    if questions:
        assert list(read_beir_corpus(folder)) == corpus
        assert read_beir_qrels(folder) == {name: row for name, row in qrels.items() if name.strip()}
        assert [one.question for one in read_beir_questions(folder)] == [one.question for one in questions]


@pytest.mark.parametrize("name", ["a b", "a\tb", "a\u00a0b", "a\u2028b", "", "a\nb", "\u200b", "a\x00"])
def test_ids_that_trec_cannot_hold_are_refused(tmp_path, name):
    for run in ({name: {"d": 1.0}}, {"q": {name: 1.0}}):
        with pytest.raises(UsageError, match="cannot be written"):
            write_trec_run(tmp_path / "run", run)
    with pytest.raises(UsageError, match="tag"):
        write_trec_run(tmp_path / "run", {"q": {"d": 1.0}}, tag="my run")
    assert list(tmp_path.iterdir()) == []


def test_a_lone_surrogate_is_refused_and_leaves_the_old_file(tmp_path):
    path = tmp_path / "run.json"
    write_ranx(path, {"q": {"d": 1.0}})
    with pytest.raises(UsageError, match="UTF-8"):
        write_ranx(path, {"q\ud800": {"d": 1.0}})
    assert read_ranx_run(path) == {"q": {"d": 1.0}}
    assert [one.name for one in tmp_path.iterdir()] == ["run.json"]


def test_the_written_run_has_the_order_of_trec_eval(tmp_path):
    write_trec_run(tmp_path / "run", {"q": {"a": 1.0, "b": 2.0, "c": 1.0}})
    lines = (tmp_path / "run").read_text().splitlines()
    assert lines == ["q Q0 b 1 2.0 fonte", "q Q0 c 2 1.0 fonte", "q Q0 a 3 1.0 fonte"]


def test_our_files_are_read_by_ir_measures(tmp_path):
    import ir_measures

    write_trec_run(tmp_path / "run", {"q": {"a": 1.5, "ü": 2.0}})
    write_trec_qrels(tmp_path / "qrels", {"q": {"ü": 1}})
    run = list(ir_measures.read_trec_run(str(tmp_path / "run")))
    assert {(one.query_id, one.doc_id, one.score) for one in run} == {("q", "a", 1.5), ("q", "ü", 2.0)}
    assert next(iter(ir_measures.read_trec_qrels(str(tmp_path / "qrels")))).doc_id == "ü"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("q Q0 d 1 1.0 t\nq Q0 d\n", "line 2: there are 3 columns"),
        ("q Q0 d 1 high t\n", "line 1: the score 'high' is not a number"),
        ("q Q0 d 1 nan t\n", "line 1: the score is nan"),
        ("q Q0 d 1 inf t\n", "line 1: the score is inf"),
        ("q Q0 d 1 1 t\n\nq Q0 d 2 0 t\n", "line 3: question 'q' lists document 'd' twice"),
        ("", "the run is empty"),
    ],
)
def test_malformed_runs_name_file_line_and_remedy(tmp_path, content, told):
    path = tmp_path / "run.txt"
    path.write_text(content)
    with pytest.raises(UsageError) as error:
        read_run(path)
    assert str(path) in str(error.value)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("q 0 d high\n", "line 1: the grade 'high'"),
        ("q 0 d 0.5\n", "line 1: the grade '0.5'"),
        ("q 0 d nan\n", "line 1: the grade 'nan'"),
        ("q 0 d inf\n", "line 1: the grade 'inf'"),
        ("q 0 d 1\nq 0 d 1\n", "line 2: document 'd' is judged twice"),
        ("query-id\tcorpus-id\tscore\nq\td\t1\nq\td e\n", "line 3: there are 2 columns"),
    ],
)
def test_malformed_judgments(tmp_path, content, told):
    path = tmp_path / "qrels.tsv"
    path.write_text(content)
    with pytest.raises(UsageError, match=told.replace("(", r"\(")):
        read_qrels(path)


def test_line_ends_and_other_white_space(tmp_path):
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress("\ufeffq\tQ0  d\u00a0e 1 1e-3\tt\r\n".encode()))
    assert read_run(path) == {"q": {"d\u00a0e": 0.001}}
    path.write_bytes(b"no gzip")
    with pytest.raises(UsageError, match="not a whole gzip file"):
        read_run(path)
    path.write_bytes(gzip.compress("".join(f"q Q0 d{at} 1 1 t\n" for at in range(1000)).encode())[:-20])
    with pytest.raises(UsageError, match="not a whole gzip file"):
        read_run(path)


def test_files_that_are_none(tmp_path):
    (tmp_path / "latin").write_bytes("q Q0 dé 1 1 t".encode("latin-1"))
    for path, told in (
        (tmp_path / "none", "cannot be read"),
        (tmp_path, "cannot be read"),
        (tmp_path / "latin", "UTF-8"),
    ):
        with pytest.raises(UsageError, match=told):
            read_run(path)


TEXT = st.text(string.printable + "äöü東İ\u2028", max_size=12)
QUESTIONS = st.lists(
    st.builds(
        Question,
        ANY_ID.filter(str.strip),
        TEXT,
        st.lists(TEXT, max_size=2).map(tuple),
        st.lists(
            st.builds(QuestionPassage, ANY_ID.filter(str.strip), TEXT, TEXT, st.sampled_from([True, False, None])),
            max_size=2,
            unique_by=lambda one: one.id,
        ).map(tuple),
        st.lists(st.builds(GoldSpan, ANY_ID.filter(str.strip), st.just(1), st.integers(1, 5)), max_size=1).map(tuple),
        st.sampled_from([True, False, None]),
        st.dictionaries(st.sampled_from(["split", "type"]), st.integers()),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda one: one.id,
)


@given(QUESTIONS, st.sampled_from(["q.jsonl", "q.jsonl.gz"]))
@SETTINGS
def test_question_sets_round_trip(tmp_path, questions, name):
    write_questions(tmp_path / name, questions)
    assert read_questions(tmp_path / name) == questions


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["{"], "line 1: this is not JSON"),
        (["[1"], "this is not JSON"),
        (
            ['{"id": 1, "question": "q"}', '{"id": "1", "question": "q"}'],
            "line 2: the id '1' was used before, in line 1",
        ),
        (['{"question": "q"}'], "line 1: there is no 'id'; there is: question"),
        (['{"id": "a"}'], "there is no 'question'"),
        (['{"id": true, "question": "q"}'], "'id' must be a text or a whole number, but is true or false"),
        (['{"id": " ", "question": "q"}'], "'id' is empty"),
        (['{"id": "a", "question": 5}'], "'question' must be a text, but is a whole number"),
        (['{"id": "a", "question": "q", "answers": [1]}'], "'answers' must be a list of texts"),
        (['{"id": "a", "question": "q", "answerable": "yes"}'], "'answerable' must be true or false"),
        (['{"id": "a", "question": "q", "passages": [{"title": "t"}]}'], "there is no 'text'"),
        (['{"id": "a", "question": "q", "passages": [{"id":1,"text":""},{"id":"1","text":""}]}'], "two passages"),
        (['{"id": "a", "question": "q", "gold": [{"document": "d", "start": 5, "end": 2}]}'], "is not a span"),
        (['{"id": "a", "question": "q", "score": Infinity}'], "Infinity is not a JSON number"),
        (["[" * 100_000], "this is not JSON"),
        (["null"], "expected a JSON object, found null"),
        ([""], "the file holds no question"),
    ],
)
def test_malformed_question_sets_name_file_line_and_remedy(tmp_path, lines, told):
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(UsageError) as error:
        read_questions(path)
    assert str(path) in str(error.value)
    assert told in str(error.value)


def test_a_json_list_and_single_values_are_accepted(tmp_path):
    path = tmp_path / "q.json"
    path.write_text(
        json.dumps([{"id": 0, "question": "q", "answers": "a", "passages": [{"text": "t", "gold": 1}]}], indent=1)
    )
    [question] = read_questions(path)
    assert (question.id, question.answers, question.passages[0].id) == ("0", ("a",), "1")
    assert question.relevance == {"1": 1}
