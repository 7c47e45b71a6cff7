"""`fonte train support`: train the model that judges whether a passage supports a sentence."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from fonte.cli.options import JsonOption
from fonte.cli.output import print_json, warn


def train_support(
    pairs: Annotated[Path, Argument(help="Labelled pairs (JSONL): {id, claim, evidence, label, src, question}.")],
    output: Annotated[Path, Option("--output", help="Folder for the model; must not exist.")],
    base: Annotated[str, Option("--base", help="Model to start from.")] = "all-minilm-l6-v2",
    epochs: Annotated[float, Option("--epochs", min=0.01, help="Rounds over the pairs.")] = 4,
    shippable: Annotated[
        bool, Option("--shippable", help="Use only pairs whose licence lets the model be given away.")
    ] = False,
    seed: Annotated[int, Option("--seed", help="Seed of the split and of the training.")] = 0,
    json: JsonOption = False,
) -> None:
    """Train a cross-encoder on PAIRS that people labelled, and calibrate it.

    A quarter of the questions is kept out, for benchmarks/support.py. An interrupted training goes on where it stopped
    when the command is given again.
    """
    from fonte.training.support import SupportTraining, train_support

    report = train_support(pairs, output, SupportTraining(base, epochs, seed=seed, shippable=shippable))
    if json:
        print_json(asdict(report))
        return
    warn(f"{report.folder}: trained on {report.train} pairs, calibrated on {report.calibrate}, kept out {report.test}")
