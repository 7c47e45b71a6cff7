"""What do effects of many passages cost, and are they as good? The same questions with 10, 20 and 50 passages.

    python benchmarks/attribution_many.py --data DIR --model DIR --results FILE.jsonl [--questions 20] [--report]

A `hotpotqa` question comes with ten passages; further ones are those of the next questions, and all are mixed by seed.
The answer is the model's own with ten passages, so that every size measures the same one. Per size the product's own
measurement with the methods in `--methods` (`grouped` is the one for many passages; up to 12 it is `balanced`), then
the linear datamodeling score: Spearman's correlation of the kept passages' effects, summed, with the logit of the
answer's probability over 32 held-out random halves (ContextCite, Cohen-Wang et al. 2024).

One line per question, size and method is appended to `--results` as it is ready; a run that was stopped goes on where
it was. `--report` reads that file only. Brackets are 95 % bootstrap intervals over questions; `times` are tokens
relative to the same method with ten passages, over sums.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from attribution_questions import Case, answer_of, cases, prompt_of
from scipy.stats import bootstrap, spearmanr

from fonte.attribution import Measurement, Question, attribute
from fonte.models import LocalLanguageModel

HELD_OUT = 32
SCALAR = "logit"


def main() -> int:
    """Measure what is missing, or report."""
    options = _options()
    if not options.report:
        _measure(options)
    rows = list(_saved(options.results))
    if not rows:
        print("no results yet", file=sys.stderr)
        return 3
    print(json.dumps(_report(rows), indent=2))
    return 0


def _measure(options: argparse.Namespace) -> None:
    model = LocalLanguageModel.from_pretrained(options.model, dtype=options.dtype, threads=options.threads)
    done = {_key(row) for row in _saved(options.results)}
    sizes = [int(size) for size in options.sizes.split(",")]
    found = list(islice(cases(options.data, "hotpotqa", 10, options.words), options.questions + max(sizes) // 10 + 1))
    for place, case in enumerate(found[: options.questions]):
        answer = answer_of(model, prompt_of(case), options.answer_tokens)
        if not answer:
            continue
        for size in sizes:
            wide = widened(case, found[place + 1 :], size)
            for method in options.methods.split(","):
                head = {"id": case.id, "passages": size, "method": method}
                if _key(head) in done:
                    continue
                row = head | _row(model, wide, answer, method)
                with options.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
                print(f"{case.id} {size} {method}: {row['tokens']} tokens, {row['seconds']} s", file=sys.stderr)


def widened(case: Case, others: Sequence[Case], size: int) -> Case:
    """Return the case with the passages of `others` behind its own, `size` in all, mixed by the case's id."""
    own = list(zip(case.passages, case.gold, strict=True))
    added = [(text, False) for other in others for text in other.passages]
    mixed = (own + added)[:size]
    if len(mixed) < size:
        raise SystemExit(f"{size} passages are wanted and the questions have {len(mixed)}: take fewer.")
    order = np.random.default_rng(int.from_bytes(case.id.encode()[-8:])).permutation(size)
    texts, gold = zip(*(mixed[place] for place in order), strict=True)
    return Case(case.id, case.question, case.answers, texts, gold)


def _row(model: LocalLanguageModel, case: Case, answer: tuple[int, ...], method: str) -> dict[str, Any]:
    names = tuple(str(number) for number in range(len(case.passages)))
    measurement = Measurement(model, model.segment(prompt_of(case)), answer)
    asked = Question(
        names, case.passages, ((0, len(answer)),), method=method, scalar=SCALAR, groups=False, signatures=False
    )
    found = attribute(measurement, asked)
    effects = np.array([effect.value for effect in found.effects[0]], dtype=np.float64)
    held_out = np.random.default_rng(len(names)).random((HELD_OUT, len(names))) < 0.5
    masks = measurement.masks(held_out)
    tokens, ablations = measurement.tokens.computed, measurement.ablations
    measurement.evaluate(masks)
    values = measurement.values(masks, asked.spans, SCALAR)[:, 0]
    predicted = held_out @ effects
    known = np.ptp(predicted) > 0 and np.ptp(values) > 1e-9
    return {
        "score": round(float(spearmanr(predicted, values).statistic), 5) if known else None,
        "tokens": tokens,
        "ablations": ablations,
        "seconds": round(found.seconds, 2),
        "effects": [round(float(value), 4) for value in effects],
        "gold": list(case.gold),
    }


def _report(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    least = min(row["passages"] for row in rows)
    base = {(row["id"], row["method"]): row for row in rows if row["passages"] == least}
    groups = sorted({(row["method"], row["passages"]) for row in rows})
    return [_group(method, size, rows, base) for method, size in groups]


def _group(method: str, size: int, rows: Sequence[dict[str, Any]], base: dict[Any, dict[str, Any]]) -> dict[str, Any]:
    members = [row for row in rows if (row["method"], row["passages"]) == (method, size)]
    pairs = [(row, base[row["id"], method]) for row in members if (row["id"], method) in base]
    scored = [row["score"] for row in members if row["score"] is not None]
    gained = [row["score"] - first["score"] for row, first in pairs if None not in (row["score"], first["score"])]
    return {
        "method": method,
        "passages": size,
        "questions": len(members),
        "score": _interval(scored),
        "score minus that of the fewest passages": _interval(gained),
        "ablations": round(float(np.mean([row["ablations"] for row in members])), 1),
        "tokens": round(float(np.mean([row["tokens"] for row in members]))),
        "times": round(sum(row["tokens"] for row, _ in pairs) / max(sum(first["tokens"] for _, first in pairs), 1), 2),
        "seconds": round(float(np.mean([row["seconds"] for row in members])), 1),
    }


def _interval(values: Sequence[float]) -> list[float]:
    """Return mean, low and high of the mean (bootstrap over questions, 95 %)."""
    if len(values) < 2 or np.ptp(values) == 0:
        return [round(float(np.mean(values)), 4)] * 3 if values else []
    found = bootstrap((np.asarray(values),), np.mean, rng=np.random.default_rng(0)).confidence_interval
    return [round(float(value), 4) for value in (np.mean(values), found.low, found.high)]


def _key(row: dict[str, Any]) -> tuple[str, int, str]:
    return row["id"], row["passages"], row["method"]


def _saved(path: Path) -> Iterator[dict[str, Any]]:
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.endswith("}"):  # a line cut short by a kill is measured again
                yield json.loads(line)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, required=True, help="JSONL file to append to")
    parser.add_argument("--data", type=Path, help="folder with the data sets")
    parser.add_argument("--model", default="smollm2-135m-instruct")
    parser.add_argument("--sizes", default="10,20,50")
    parser.add_argument("--methods", default="grouped", help="separated by commas")
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--words", type=int, default=8, help="passages end with the sentence that holds this word")
    parser.add_argument("--answer-tokens", type=int, default=16)
    parser.add_argument("--report", action="store_true", help="only report what the file holds")
    options = parser.parse_args()
    if not options.report and (not options.data or not options.data.is_dir()):
        print("developer data not found (no folder given): skipping effects of many passages", file=sys.stderr)
        raise SystemExit(3)
    return options


if __name__ == "__main__":
    sys.exit(main())
