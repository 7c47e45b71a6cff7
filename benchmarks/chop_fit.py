"""Fit the weights of the cascade's free evidence, and say what each kind of evidence is worth.

    python benchmarks/chop_fit.py --data DIR [--seeds 3] [--json]

Fitted on concatenations of judgments (`echr`, with and without their names as covers), confidentiality agreements
(`contractnli`, with and without their first lines), the samples in `examples/documents`, and the `galaxy` manuals
without questions (with covers, with and without titles on lines of their own). Judged on streams of the manuals *with*
questions in other orders and cover wordings, on single files, in which nothing is to be found, and on other judgments
without their names. `weights` are those of `fonte.chunking.chop.continuity`; `left_out` has one row per kind of
evidence, with the weights fitted anew without it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import chop_streams as streams
import numpy as np

from fonte.chunking.chop import Continuity, decide
from fonte.chunking.chop.evidence import NAMES, Evidence, Present
from fonte.documents import read_files
from fonte.measures.boundaries import boundary_f1, boundary_precision, boundary_recall

SAMPLES = Path(__file__).parents[1] / "examples" / "documents"

STRENGTH = 3.0  # inverse of the L2 penalty
# Made-up names for some of the covers: devices without a digit in their name, of other families.
WITHOUT_DIGITS = ("Terra Plus", "Alba Duo", "Sirio", "Lumen Air", "Nordlys", "Quadra Pro Max", "Vela", "Brio Compact")
KINDS = {
    "nothing": (),
    "cohesion": ("cohesion",),
    "repetition": ("restart", "clear_restart"),
    "titles and names": ("title", "title_word", "fresh", "fresh_coded", "fresh_sibling", "fresh_opens", "cover"),
    "openings": ("fresh_opens", "cover"),
    "siblings": ("fresh_sibling",),
    "youth": ("young",),
}
Labelled = tuple[np.ndarray, np.ndarray]


def main() -> int:
    """Fit, judge, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not (options.data / "galaxy").is_dir():
        raise SystemExit(f"developer data not found ({options.data}/galaxy): skipping")
    sets = list(_training(options.data))
    manuals, questions = streams.load(options.data)
    asked = {question.device for question in questions}
    judged = [manual for manual in manuals if manual.device in asked]
    report: dict[str, Any] = {"left_out": []}
    for kind, names in KINDS.items():
        model = _fitted(sets, names)
        if not names:
            report["weights"] = dict(zip(NAMES, model.weights, strict=True)) | {"intercept": model.intercept}
        row = {"left_out": kind, **_judged(model, judged, range(100, 100 + options.seeds))}
        row["judgments_f1"] = _coverless(model, options.data)
        print(row, file=sys.stderr, flush=True)
        report["left_out"].append(row)
    print(json.dumps(report, indent=None if options.json else 1))
    return 0


def _fitted(sets: Sequence[tuple[Labelled, float]], without: Sequence[str]) -> Continuity:
    from sklearn.linear_model import LogisticRegression

    kept = np.array([name not in without for name in NAMES])
    features = np.vstack([own for (own, _), _ in sets]) * kept
    labels = np.concatenate([own for (_, own), _ in sets])
    weights = np.concatenate([np.full(len(own), 1000 * weight / len(own)) for (own, _), weight in sets])
    fitted = LogisticRegression(C=STRENGTH, max_iter=5000).fit(features, labels, sample_weight=weights)
    return Continuity(tuple(round(float(w), 2) for w in fitted.coef_[0]), round(float(fitted.intercept_[0]), 2))


def _judged(model: Continuity, manuals: Sequence[streams.Manual], seeds: Sequence[int]) -> dict[str, Any]:
    precision, recall, undecided, units = [], [], 0, 0
    for seed in seeds:
        for setup in ("streams", "streams_similar"):
            (text,) = streams.texts(setup, manuals, seed)
            blocks = text.document.blocks
            gaps = decide([text.document.text[block.start : block.end] for block in blocks], model)
            found = {at for at, gap in enumerate(gaps) if gap.decision == "new"}
            begun = {start for start, _, _ in text.owners}
            gold = {at for at, block in enumerate(blocks) if at and block.start in begun}
            precision.append(boundary_precision(found, gold).value if found else 0.0)
            recall.append(boundary_recall(found, gold).value)
            undecided += sum(gap.decision == "undecided" for gap in gaps)
            units += len(gaps)
    files = [[section.text for section in manual.sections] for manual in manuals]
    split = sum(any(gap.decision == "new" for gap in decide(units, model)) for units in files)
    return {
        "precision": round(float(np.mean(precision)), 4),
        "recall": round(float(np.mean(recall)), 4),
        "worst_recall": round(float(min(recall)), 4),
        "undecided_per_unit": round(undecided / units, 5),
        "single_files_split": f"{split} of {len(files)}",
    }


def _coverless(model: Continuity, data: Path) -> float:
    """Return the F1 of boundaries between judgments without their names, others than those that were fitted on."""
    fitted = {tuple(units) for seed in range(2) for units in _drawn(_cases(data), 40, seed)}
    others = [units[1:] for units in _cases(data) if tuple(units) not in fitted][:120]
    scores = []
    for first in range(0, len(others), 40):
        documents = others[first : first + 40]
        gaps = decide([unit for units in documents for unit in units], model)
        gold = set(np.cumsum([len(units) for units in documents])[:-1].tolist())
        scores.append(boundary_f1({at for at, gap in enumerate(gaps) if gap.decision == "new"}, gold).value or 0.0)
    return round(float(np.mean(scores)), 4)


def _training(data: Path) -> Iterator[tuple[Labelled, float]]:
    """Yield joined texts, each with its weight: kinds of text count about the same, whatever their length."""
    cases, agreements, samples = _cases(data), _agreements(data), _samples()
    for seed in range(2):
        yield _joined(_drawn(cases, 40, seed)), 0.5
        yield _joined([units[1:] for units in _drawn(cases, 40, seed)]), 0.5
        yield _joined(_drawn(agreements, 61, seed)), 0.5
        yield _joined([units[1:] for units in _drawn(samples, 19, seed)]), 0.25
    yield _joined([units[1:] for units in _drawn(agreements, 61, 0) if len(units) > 1]), 0.5
    for seed in range(6):
        yield _joined(_drawn(samples, 19, seed)), 1 / 3
    manuals, questions = streams.load(data)
    asked = {question.device for question in questions}
    others = [manual for manual in manuals if manual.device not in asked]
    for seed in range(10, 14):
        for titled in (False, True):
            covered = _covered(_drawn(others, len(others), seed), titled, random.Random(seed))
            yield _joined(list(covered)), 0.75


def _drawn(items: Sequence[Any], count: int, seed: int) -> list[Any]:
    return random.Random(seed).sample(list(items), min(count, len(items)))


def _covered(manuals: Sequence[streams.Manual], titled: bool, chance: random.Random) -> Iterator[list[str]]:
    for manual in manuals:
        code = f"SM-{chance.choice('ANTGF')}{chance.randint(100, 999)}{chance.choice('UFN')}"
        name = chance.choice(WITHOUT_DIGITS) if chance.random() < 0.3 else manual.name
        units = [chance.choice(streams.COVERS).format(name=name, code=code)]
        for section in manual.sections:
            title = section.path[-1]
            rest = section.text.removeprefix(title).strip()
            units += [title, *([rest] if rest else [])] if titled else [section.text]
        yield units


def _joined(documents: Sequence[list[str]]) -> Labelled:
    """Return evidence and labels of every gap, with what was read so far taken from the truth."""
    texts = [unit for document in documents for unit in document]
    starts = set(np.cumsum([0, *(len(document) for document in documents)]).tolist())
    evidence = Evidence(texts)
    present = Present()
    features, labels = [], []
    for gap in range(len(texts)):
        if gap:
            features.append(evidence.at(gap, present))
            labels.append(gap in starts)
        if gap in starts:
            present = Present(gap, evidence.openings[gap].name)
    return np.array(features), np.array(labels)


@cache
def _samples() -> list[list[str]]:
    files = sorted(path for path in SAMPLES.rglob("*.*") if path.is_file())
    readings = read_files(((path, path.name) for path in files), 1)
    documents = [document for _, reading in readings for document in reading.documents]
    return [[document.text[block.start : block.end] for block in document.blocks] for document in documents]


def _cases(data: Path) -> list[list[str]]:
    found: dict[str, list[tuple[int, str]]] = {}
    with gzip.open(data / "echr" / "paragraphs.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            found.setdefault(row["case_name"], []).append((row["paragraph_number"], row["text"]))
    return [[name, *(text for _, text in sorted(paragraphs))] for name, paragraphs in sorted(found.items())]


def _agreements(data: Path) -> list[list[str]]:
    with (data / "contractnli" / "docs.jsonl").open(encoding="utf-8") as lines:
        return [[line for line in json.loads(row)["text"].split("\n") if line.strip()] for row in lines]


if __name__ == "__main__":
    sys.exit(main())
