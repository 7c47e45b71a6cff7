"""Do measured effects find the passages that matter? On questions whose gold passages are known.

    python benchmarks/attribution_quality.py --data DIR --results FILE.jsonl [--sets hotpotqa,musique,aquaechr]
        [--model DIR] [--answers model,gold] [--method leave_one_out] [--questions 50]
    python benchmarks/attribution_quality.py --results FILE.jsonl --report

One line per question, kind of answer and model is appended to `--results` as it is ready; a run that was stopped goes
on where it was. `--report` reads that file only. Per line: the effects (with placebos), the cosine similarity of
question and passage by the default embedder, and
- `datamodeling`: Spearman's correlation of log p with the sum of kept effects over 32 held-out random ablations;
- `drop`: how far log p per token falls when the top 1, 3 and 5 passages by effect, and by similarity, are removed;
- `auc`: how often a gold passage has a larger effect (or similarity) than another, ties counting half;
- `correlation`: Spearman's of similarity and effect over the passages.
Means have 95 % bootstrap intervals over questions. `measured` is the share of passages with a measurable effect, gold
ones and others.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from attribution_questions import Case, answer_of, cases, prompt_of
from numpy.typing import NDArray
from scipy.stats import bootstrap, rankdata, spearmanr

from fonte.attribution import METHODS, Measurement, Question, attribute
from fonte.attribution.placebo import placebos
from fonte.models import LocalLanguageModel, load_embedder
from fonte.settings import Settings

HELD_OUT = 32
TOP = (1, 3, 5)
FloatArray = NDArray[np.float64]


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
    embedder = load_embedder(Settings())
    done = {_key(row) for row in _saved(options.results)}
    for name in options.sets.split(","):
        for case in islice(cases(options.data, name, options.passages, options.words), options.questions):
            for kind in options.answers.split(","):
                head = {"set": name, "id": case.id, "answer": kind, "model": Path(options.model).name}
                head |= {"method": options.method, "dtype": str(model.dtype).removeprefix("torch.")}
                if _key(head) in done:
                    continue
                answer = _answer(model, case, kind, options.answer_tokens)
                if not answer:
                    continue
                similarities = embedder.embed_documents(list(case.passages)) @ embedder.embed_query(case.question)
                row = head | _row(model, case, answer, similarities.astype(np.float64), options.method)
                with options.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
                print(f"{name} {case.id} {kind}: {row['tokens']} tokens, {row['seconds']} s", file=sys.stderr)


def _answer(model: LocalLanguageModel, case: Case, kind: str, most: int) -> tuple[int, ...]:
    if kind == "model":
        return answer_of(model, prompt_of(case), most)
    return model.encode(case.answers[0])[:most]


def _row(
    model: LocalLanguageModel, case: Case, answer: tuple[int, ...], similarities: FloatArray, method: str
) -> dict[str, Any]:
    measurement = Measurement(model, model.segment(prompt_of(case)), answer, placebos=placebos(model))
    names = tuple(str(number) for number in range(len(case.passages)))
    question = Question(names, case.passages, ((0, len(answer)),), method=method, scalar="log_likelihood")
    found = attribute(measurement, question)
    spent = measurement.tokens.computed
    effects = np.array([effect.value for effect in found.effects[0]], dtype=np.float64)
    generator = np.random.default_rng(abs(hash_of(case.id)))
    held_out = generator.random((HELD_OUT, len(names))) < 0.5
    return {
        "effects": [round(float(value), 5) for value in effects],
        "statuses": [effect.status for effect in found.effects[0]],
        "gold": list(case.gold),
        "similarities": [round(float(value), 5) for value in similarities],
        "placebo": round(found.placebo, 5),
        "noise": round(found.noise, 5),
        "numeric_noise": round(measurement.noise.total, 5),
        "answer_tokens": len(answer),
        "memory_share": found.memory_share[0],
        "datamodeling": _spearman(held_out @ effects, _log_p(measurement, held_out)),
        "drop": {"effect": _drops(measurement, effects), "similarity": _drops(measurement, similarities)},
        "auc": {"effect": _auc(effects, case.gold), "similarity": _auc(similarities, case.gold)},
        "correlation": _spearman(similarities, effects),
        "tokens": spent,
        "seconds": round(found.seconds, 2),
        "status": found.status,
    }


def hash_of(text: str) -> int:
    """Return a number for a text that is the same in every process."""
    return int.from_bytes(text.encode()[-8:].rjust(8, b"\0"), "little")


def _log_p(measurement: Measurement, keep: NDArray[np.bool_]) -> FloatArray:
    masks = measurement.masks(keep)
    measurement.evaluate(masks)
    return measurement.values(masks, [(0, len(measurement.answer))], "log_likelihood")[:, 0]


def _drops(measurement: Measurement, ranking: FloatArray) -> list[float]:
    order = np.argsort(-ranking, kind="stable")
    keep = np.ones((1 + len(TOP), len(ranking)), bool)
    for row, most in enumerate(TOP, start=1):
        keep[row, order[:most]] = False
    values = _log_p(measurement, keep) / len(measurement.answer)
    return [round(float(values[0] - value), 5) for value in values[1:]]


def _auc(values: FloatArray, gold: Sequence[bool]) -> float | None:
    """Return the area under the ROC curve; None where there is no gold passage, or nothing else."""
    marked = np.array(gold, bool)
    positives, negatives = int(marked.sum()), int((~marked).sum())
    if not positives or not negatives:
        return None
    ranks = rankdata(values)
    return float((ranks[marked].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def _spearman(first: FloatArray, second: FloatArray) -> float | None:
    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return round(float(spearmanr(first, second).statistic), 5)


def _report(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[f"{row['model']}, {row['method']}, {row['set']}, {row['answer']} answers"].append(row)
    return {name: _group(members) for name, members in groups.items()}


def _group(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    pairs = [(row["auc"]["effect"], row["auc"]["similarity"]) for row in rows if row["auc"]["effect"] is not None]
    statuses = [
        (gold, status != "no_measurable_effect")
        for row in rows
        for gold, status in zip(row["gold"], row["statuses"], strict=True)
    ]
    return {
        "questions": len(rows),
        "passages": round(float(np.mean([len(row["effects"]) for row in rows])), 1),
        "datamodeling": _mean([row["datamodeling"] for row in rows]),
        "drop per token, by effect": {
            f"top {k}": _mean([row["drop"]["effect"][i] for row in rows]) for i, k in enumerate(TOP)
        },
        "drop per token, by similarity": {
            f"top {k}": _mean([row["drop"]["similarity"][i] for row in rows]) for i, k in enumerate(TOP)
        },
        "auc of effect": _mean([first for first, _ in pairs]),
        "auc of similarity": _mean([second for _, second in pairs]),
        "auc of effect minus similarity": _mean([first - second for first, second in pairs]),
        "correlation of similarity and effect": _mean([row["correlation"] for row in rows]),
        "memory share": _mean([row["memory_share"] for row in rows]),
        "measured": {
            "gold": _mean([float(known) for gold, known in statuses if gold]),
            "others": _mean([float(known) for gold, known in statuses if not gold]),
        },
        "placebo, nats": _mean([row["placebo"] for row in rows]),
        "tokens": round(float(np.mean([row["tokens"] for row in rows]))),
    }


def _mean(values: Sequence[float | None]) -> dict[str, Any]:
    """Return mean with interval, `n` and how many could be scored."""
    known = np.array([value for value in values if value is not None], dtype=np.float64)
    found: dict[str, Any] = {"n": len(values), "n_scored": len(known)}
    if not len(known):
        return found | {"status": "nothing to score"}
    found["mean"] = round(float(known.mean()), 4)
    if len(known) > 1 and np.ptp(known) > 0:
        interval = bootstrap((known,), np.mean, rng=np.random.default_rng(0), n_resamples=2000).confidence_interval
        found |= {"low": round(float(interval.low), 4), "high": round(float(interval.high), 4)}
    return found


def _key(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("set", "id", "answer", "model", "method", "dtype"))


def _saved(path: Path) -> Iterator[dict[str, Any]]:
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.endswith("}"):  # a line cut short by a kill is measured again
                yield json.loads(line)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, required=True, help="JSONL file to append to")
    parser.add_argument("--data", type=Path, help="folder with the data sets")
    parser.add_argument("--sets", default="hotpotqa,musique,aquaechr")
    parser.add_argument("--model", default="smollm2-135m-instruct")
    parser.add_argument("--method", default="leave_one_out", choices=sorted(METHODS))
    parser.add_argument("--answers", default="model,gold")
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--questions", type=int, default=50, help="per set")
    parser.add_argument("--passages", type=int, default=10)
    parser.add_argument("--words", type=int, default=30, help="passages end with the sentence that holds this word")
    parser.add_argument("--answer-tokens", type=int, default=32)
    parser.add_argument("--report", action="store_true", help="only report what the file holds")
    options = parser.parse_args()
    if not options.report and (not options.data or not options.data.is_dir()):
        print("developer data not found (no folder given): skipping the quality of effects", file=sys.stderr)
        raise SystemExit(3)
    return options


if __name__ == "__main__":
    sys.exit(main())
