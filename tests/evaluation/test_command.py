"""`fonte measure` through the command line."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from fonte.cli.measure import measure
from fonte.errors import UsageError

app = typer.Typer()
app.command()(measure)
QUESTIONS = [
    {
        "id": "1",
        "question": "Capital?",
        "answers": ["Paris"],
        "passages": [{"id": "a", "text": "Paris it is.", "gold": True}],
    },
    {"id": "2", "question": "Known?", "answers": ["no"]},
]
ANSWERS = [{"id": "1", "answer": "Paris it is [1]."}, {"id": "2", "answer": "not known"}]


@pytest.fixture
def files(tmp_path):
    def write(name, rows):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return str(path)

    (tmp_path / "run.txt").write_text("1 Q0 a 1 2.0 t\n2 Q0 b 1 1.0 t\n")
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n2 0 c 1\n")
    return {
        "questions": write("q.jsonl", QUESTIONS),
        "answers": write("a.jsonl", ANSWERS),
        "baseline": write("b.jsonl", [{"id": "1", "answer": "Rome"}, {"id": "2", "answer": "no"}]),
        "run": str(tmp_path / "run.txt"),
        "qrels": str(tmp_path / "qrels.txt"),
        "items": str(tmp_path / "items.jsonl"),
    }


def invoke(files, *names, extra=()):
    options = [part for name in names for part in (f"--{name}", files[name])]
    return CliRunner().invoke(app, [*options, *extra], catch_exceptions=True)


def test_json_has_the_agreed_shape(files):
    result = invoke(files, "questions", "answers", "run", "qrels", "items", extra=["--json"])
    assert result.exit_code == 0, result.output
    measures = json.loads(result.stdout)["measures"]
    for shape in measures.values():
        assert {"mean", "low", "high", "n", "n_scored", "status"} <= set(shape)
    assert measures["containment"]["mean"] == 0.5
    assert measures["R@1"]["mean"] == 0.5
    assert measures["citation_recall"]["scorer"] == "quote overlap"
    items = [json.loads(line) for line in Path(files["items"]).read_text(encoding="utf-8").splitlines()]
    assert [item["id"] for item in items] == ["1", "2"]
    assert items[0]["measures"]["R@1"] == {"value": 1.0, "status": "scored", "reason": ""}


def test_the_same_files_give_the_same_bytes(files):
    first, second = (invoke(files, "questions", "answers", extra=["--json"]).stdout for _ in range(2))
    assert first == second


def test_a_run_alone_and_with_gold_of_the_questions(files):
    assert "R@10" in invoke(files, "run", "qrels").stdout
    assert json.loads(invoke(files, "questions", "run", extra=["--json"]).stdout)["measures"]["RR"]["mean"] == 1


def test_the_table_and_the_comparison(files):
    result = invoke(files, "questions", "answers", "baseline")
    assert result.exit_code == 0
    assert "exact_match" in result.stdout
    assert "p (Holm)" in result.stdout
    compared = json.loads(invoke(files, "questions", "answers", "baseline", extra=["--json"]).stdout)["comparison"]
    assert compared["containment"]["difference"] == 0
    assert compared["containment"]["n"] == 2


@pytest.mark.parametrize(
    ("names", "extra", "told"),
    [
        ((), (), "nothing to measure"),
        (("answers",), (), "Give --questions"),
        (("run",), (), "Give --qrels"),
        (("questions", "answers"), ("--format", "squad"), "no format 'squad'"),
        (("questions", "answers"), ("--conventions", "mine"), "no conventions 'mine'"),
    ],
)
def test_usage_mistakes_say_what_to_do(files, names, extra, told):
    result = invoke(files, *names, extra=extra)
    assert isinstance(result.exception, UsageError)
    assert told in str(result.exception)
