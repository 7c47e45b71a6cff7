"""Answers of any model judged offline: the file, the numbers, the command."""

import json

import pytest
from typer.testing import CliRunner

from fonte.cli.main import app
from fonte.errors import UsageError
from fonte.training.answered import read_answered
from fonte.training.judging import AnswerJudge
from fonte.training.reward_settings import RewardSettings
from tests.tiny import tiny_language_model, tiny_language_model_folder

PASSAGES = [
    {"id": "p1", "text": "The tower of Calvenza is 41 m high.", "gold": True},
    {"id": "p2", "text": "Bananas are yellow.", "gold": False},
    {"id": "p3", "text": "The tower stands in Calvenza.", "gold": 1},
]
ROWS = [
    {"question": "How high?", "passages": PASSAGES, "answer": "41 m", "answers": ["41 m"], "closed_book_answer": "9"},
    {"question": "How high?", "passages": PASSAGES, "answer": "12 m", "answers": ["41 m"]},
    {"question": "What colour?", "passages": PASSAGES[1:2], "answer": "yellow", "answers": ["yellow"]},
]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_lines_and_summary(tmp_path):
    judge = AnswerJudge(tiny_language_model(), RewardSettings(threshold=0.0))
    judged = judge.judge(read_answered(write(tmp_path / "answers.jsonl", ROWS)))
    first, second, third = (row.to_json() for row in judged.rows)
    assert first["status"] == second["status"] == "scored"
    assert first["critical"] in ("p1", "p3")
    assert first["tokens"] == 4
    assert first["hybrid"] == pytest.approx(first["clr"])
    assert (second["accuracy"], second["hybrid"]) == (0, 0)
    assert second["E"] is not None
    assert (third["status"], third["E"], third["hybrid"]) == ("not_applicable", None, None)
    assert third["ppl_with"] > 1
    summary = judged.summary
    assert (summary["acc_q"].n, summary["acc_q"].n_scored, summary["acc_q"].status) == (3, 1, "partial")
    assert summary["acc_qd"].mean == pytest.approx(2 / 3)
    assert (summary["rr"].mean, judged.table["gained"]) == (1, 1)
    assert summary["ppl_with"].low <= summary["ppl_with"].mean <= summary["ppl_with"].high


def test_silence_about_what_the_sources_do_not_tell_is_right(tmp_path):
    lines = [
        {"question": "Who?", "passages": PASSAGES, "answer": text, "answerable": False}
        for text in ("NOT_IN_SOURCES", "x")
    ]
    judge = AnswerJudge(tiny_language_model(), RewardSettings(reward="weighted"))
    rows = judge.judge(read_answered(write(tmp_path / "answers.jsonl", lines))).rows
    assert [row.to_json()["hybrid"] for row in rows] == [1, 0]
    assert {row.to_json()["status"] for row in rows} == {"not_applicable"}
    assert judge.reward("Who?", PASSAGES, "NOT_IN_SOURCES", (), answerable=False) == 1
    assert judge.reward("Who?", PASSAGES, "Rossi", (), answerable=False) == 0
    assert judge.reward("Who?", PASSAGES, "NOT_IN_SOURCES", ()) is None


def test_without_closed_book_answers_there_is_a_status(tmp_path):
    path = write(tmp_path / "answers.jsonl", [{**ROWS[0], "closed_book_answer": None}])
    summary = AnswerJudge(tiny_language_model()).judge(read_answered(path)).summary
    assert (summary["acc_q"].mean, summary["acc_q"].status) == (None, "not_scored")
    assert "closed-book" in summary["acc_q"].reason
    assert summary["rr"].status == "not_scored"


def test_evidence_that_does_not_fit_is_not_scored_rather_than_zero(tmp_path):
    long = [{"id": "p1", "text": "tower " * 900, "gold": True}, PASSAGES[1]]
    path = write(tmp_path / "answers.jsonl", [{**ROWS[0], "passages": long}])
    [row] = AnswerJudge(tiny_language_model()).judge(read_answered(path)).rows
    assert row.to_json()["status"] == "not_scored"
    assert row.to_json()["E"] is row.to_json()["hybrid"] is None
    assert "does not fit" in row.to_json()["reason"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({}, "there is no 'passages'"),
        ({**ROWS[0], "answer": None}, "'answer' must be"),
        ({**ROWS[0], "answerable": "no"}, "'answerable' must be"),
        ({**ROWS[0], "passages": [{"id": "p1"}]}, "there is no 'text'"),
        ({**ROWS[0], "passages": [{**PASSAGES[0], "gold": "yes"}]}, "true or false"),
    ],
)
def test_mistakes_in_the_file_are_named(tmp_path, row, message):
    with pytest.raises(UsageError, match=message):
        read_answered(write(tmp_path / "answers.jsonl", [row or {"question": "?", "answer": "!"}]))


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no answer"):
        read_answered(write(tmp_path / "answers.jsonl", []))


def test_the_command_prints_one_object(tmp_path):
    path = write(tmp_path / "answers.jsonl", ROWS)
    folder = str(tiny_language_model_folder())
    result = CliRunner().invoke(app, ["evidence", "--file", str(path), "--model", folder, "--json"])
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert set(report["rows"][0]) >= {"E", "critical", "clr", "accuracy", "hybrid", "status", "tokens"}
    assert set(report["summary"]) >= {"acc_q", "acc_qd", "rr", "ppl_with", "ppl_without"}
    shown = CliRunner().invoke(app, ["evidence", "--file", str(path), "--model", folder])
    assert "acc_qd" in shown.stdout
    wrong = CliRunner().invoke(app, ["evidence", "--file", str(path), "--model", folder, "--span", "half"])
    assert isinstance(wrong.exception, UsageError)


def test_an_answer_longer_than_the_window_does_not_end_the_file(tmp_path):
    model = tiny_language_model()
    fits = len(model.encode("41 m"))
    rows = [{**ROWS[0], "answer": "41 m " * number} for number in (5000, 1)]
    for cut in range(150):  # around the length at which the question still just fits
        text = "41 m " * ((model.context_window - 250 + 2 * cut) // fits)
        if cut % 30 == 0:
            rows.append({**ROWS[0], "answer": text})
    judged = AnswerJudge(model).judge(read_answered(write(tmp_path / "answers.jsonl", rows)))
    first, second = (row.to_json() for row in judged.rows[:2])
    assert (first["status"], first["E"], first["hybrid"], first["ppl_with"]) == ("not_scored", None, None, None)
    assert "no room for its question" in first["reason"]
    assert first["accuracy"] == 1
    assert second["status"] == "scored"
    json.dumps(judged.to_json(), allow_nan=False)
