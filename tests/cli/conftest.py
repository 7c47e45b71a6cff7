"""The program, run in this process with tiny models."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from fonte.cli import main
from tests.tiny import tiny_embedder_folder, tiny_language_model_folder


@dataclass(frozen=True)
class Run:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture(scope="session")
def model_environment():
    return {
        "FONTE_EMBEDDER__MODEL": str(tiny_embedder_folder(256, 512, 0)),
        "FONTE_LANGUAGE_MODEL__MODEL": str(tiny_language_model_folder()),
        "FONTE_RETRIEVAL__MODE": "lexical",
    }


@pytest.fixture
def fonte(model_environment, monkeypatch, capsys, tmp_path):
    """Return `run(*arguments)`; the working directory is an empty one."""
    for name, value in model_environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["fonte", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return Run(int(ended.value.code or 0), printed.out, printed.err)

    return run


@pytest.fixture
def library(tmp_path):
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "valve.md").write_text("---\nyear: 2024\n---\n# Valve 7\n\nThe valve opens at 3 bar.\n", "utf-8")
    (folder / "pump.txt").write_text("The pump runs for 40 hours. Then it rests.\n", "utf-8")
    return folder
