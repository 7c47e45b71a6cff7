"""Runs and judgments from any of the known files, told apart by their names and first line."""

from __future__ import annotations

from pathlib import Path

from fonte.evaluation.beir import read_beir_judgments
from fonte.evaluation.files import read_lines, refuse
from fonte.evaluation.ranx_files import read_ranx_qrels, read_ranx_run
from fonte.evaluation.trec import Qrels, Run, read_trec_qrels, read_trec_run


def read_run(path: Path) -> Run:
    """Read a run: ranx where the name ends in `.json` (or `.json.gz`), else TREC. Errors: `UsageError`."""
    run = read_ranx_run(path) if _is_json(path) else read_trec_run(path)
    if not run:
        refuse(path, None, "the run is empty.", "Check that the system wrote its results.")
    return run


def read_qrels(path: Path) -> Qrels:
    """Read judgments: ranx (`.json`), BEIR (three columns between tabs), else TREC. Errors: `UsageError`."""
    if _is_json(path):
        qrels = read_ranx_qrels(path)
    else:
        first = next((text for _, text in read_lines(path)), "")
        qrels = read_beir_judgments(path) if first.count("\t") == 2 else read_trec_qrels(path)
    if not qrels:
        refuse(path, None, "there are no judgments.", "Check that this is the right file.")
    return qrels


def _is_json(path: Path) -> bool:
    return path.name.removesuffix(".gz").endswith(".json")
