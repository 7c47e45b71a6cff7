"""Two processes over gloo: sharded weights are scored in step, and a training runs on both and speaks once."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("trl")

from fonte import Corpus
from fonte.evaluation import write_questions
from fonte.generation.trained import adopted_generators
from fonte.settings import Settings
from fonte.training.curves import read_rows
from fonte.training.processes import is_main
from tests.tiny import tiny_language_model_folder
from tests.training.toy import toy_questions

ROOT = Path(__file__).parents[2]
RECIPE = """steps = 2
group = 4
batch = 2
max_tokens = 6
learning_rate = 1e-3
lora_rank = 0
held_back = 0
[reward]
reward = "clr"
threshold = 0
[examples]
style = "brief"
"""


def launched(arguments, settings):
    """Run `two_processes` as a launcher would; return what each process printed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    shared = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "OMP_NUM_THREADS": "1", **settings}
    shared["PYTHONWARNINGS"] = "ignore"  # those of libraries
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.training.two_processes", *arguments],
            cwd=ROOT,
            env={**os.environ, **shared, "RANK": str(rank), "LOCAL_RANK": str(rank), "ACCELERATE_USE_CPU": "true"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for rank in range(2)
    ]
    said = [process.communicate(timeout=240)[0].decode() for process in processes]
    assert [process.returncode for process in processes] == [0, 0], "\n".join(one[-3000:] for one in said)


def test_two_processes_score_in_step_train_and_speak_once(tmp_path, monkeypatch):
    settings = {
        "FONTE_LANGUAGE_MODEL__MODEL": str(tiny_language_model_folder()),
        "FONTE_MODELS": str(tmp_path / "models"),
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    corpus, output, data, recipe = (tmp_path / name for name in ("corpus", "model", "questions.jsonl", "recipe.toml"))
    Corpus.open(corpus, Settings.load(), create=True).close()
    write_questions(data, toy_questions())
    recipe.write_text(RECIPE)
    options = {"--data": data, "--output": output, "--config": recipe, "--corpus": corpus}
    pairs = [str(part) for option in options.items() for part in option]
    launched([str(tmp_path), *pairs, "--force", "--json"], settings)
    main, other = (json.loads((tmp_path / f"result{rank}.json").read_text()) for rank in range(2))
    assert max(main["difference"], other["difference"]) < 1e-4
    assert (main["exit"], other["exit"]) == (0, 0), (main, other)
    assert (other["stdout"], other["stderr"]) == ("", "")
    report = json.loads(main["stdout"])
    assert (report["status"], report["steps"], report["refused"]) == ("trained", 2, "")
    assert "training on 8 questions" in main["stderr"]
    with Corpus.open(corpus) as opened:
        [entry] = adopted_generators(opened.records)
    installed = tmp_path / "models" / entry.name
    assert [row["step"] for row in read_rows(installed / "curves.jsonl")] == [1, 2]
    assert (installed / "curves.png").is_file() or "matplotlib" in report["picture"]
    assert not output.exists()


@pytest.mark.parametrize(
    ("environment", "main"),
    [
        ({}, True),
        ({"RANK": "3"}, True),
        ({"RANK": "0", "WORLD_SIZE": "8"}, True),
        ({"RANK": "3", "WORLD_SIZE": "8"}, False),
    ],
)
def test_which_process_is_the_main_one(monkeypatch, environment, main):
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert is_main() is main
