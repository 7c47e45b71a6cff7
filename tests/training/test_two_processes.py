"""Two processes over gloo: sharded weights are scored in step, and a training runs on both."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("trl")

from fonte.training.curves import read_rows
from tests.tiny import tiny_language_model_folder

ROOT = Path(__file__).parents[2]


def test_two_processes_score_in_step_and_train(tmp_path):
    base = str(tiny_language_model_folder())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    shared = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.training.two_processes", str(tmp_path), base]
    processes = [
        subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **shared, "RANK": str(rank), "LOCAL_RANK": str(rank), "ACCELERATE_USE_CPU": "true"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for rank in range(2)
    ]
    said = [process.communicate(timeout=240)[0].decode() for process in processes]
    assert [process.returncode for process in processes] == [0, 0], "\n".join(one[-3000:] for one in said)
    results = [json.loads((tmp_path / f"result{rank}.json").read_text()) for rank in range(2)]
    assert max(result["difference"] for result in results) < 1e-4
    assert [result["status"] for result in results] == ["trained", "trained"]
    assert [row["step"] for row in read_rows(tmp_path / "model" / "curves.jsonl")] == [1, 2]
