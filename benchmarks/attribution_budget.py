"""How good are effects for how many tokens? The linear datamodeling score of designs of many sizes on real questions.

    python benchmarks/attribution_budget.py --data DIR --model DIR --results FILE.jsonl [--questions 100] [--report]

For each question (`--set` hotpotqa or musique, passages cut after about `--words` words, the model's own greedy
answer) all ablations that any compared design needs are scored once, and up to 128 random ones that are in no design
(of 8 passages some 30 are left). One line per question is appended to `--results` as it is ready; a run that was
stopped goes on where it was.
`--report` reads that file only: no model is needed. The score is Spearman's rank correlation, over the held-out
ablations, of the logit of the answer's probability with the sum of the kept passages' effects (ContextCite, Cohen-Wang
et al. 2024). Tokens: context-cite's are those of one whole prompt and answer per ablation, fonte's the distinct
prefixes. Questions whose held-out values do not vary are left out and counted. The share of tokens is computed from
sums over all questions.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from attribution_questions import answer_of, cases, prompt_of
from numpy.typing import NDArray
from scipy.stats import bootstrap, spearmanr

from fonte.attribution.balanced import balanced
from fonte.attribution.designs import Design, bernoulli, leave_one_out
from fonte.attribution.estimators import Estimator, Observations, difference, lasso, linear
from fonte.attribution.intervals import bootstrap as effect_interval
from fonte.attribution.scalars import logit
from fonte.likelihood import PromptSegments, expand_passages, score
from fonte.likelihood.cost import floor_tokens, naive_tokens
from fonte.likelihood.trie import distinct_paths

HELD_OUT = 128
PEER_ABLATIONS = 256
Masks = NDArray[np.bool_]
FloatArray = NDArray[np.float64]

DESIGNS: dict[str, tuple[Callable[[int], Design], Estimator]] = {
    "context-cite 256": (lambda n: bernoulli(n, PEER_ABLATIONS, 0), lasso()),
    "context-cite 256, other seed": (lambda n: bernoulli(n, PEER_ABLATIONS, 1), lasso()),
    "context-cite 64": (lambda n: bernoulli(n, 64, 0), lasso()),
    "context-cite 32": (lambda n: bernoulli(n, 32, 0), lasso()),
    "leave one out": (leave_one_out, difference),
    "balanced, 1 set": (lambda n: balanced(n, 0, 1), linear),
    "balanced, 1 set, lasso": (lambda n: balanced(n, 0, 1), lasso()),
    "balanced, 2 sets": (lambda n: balanced(n, 0, 2), linear),
    "balanced, 3 sets": (lambda n: balanced(n, 0, 3), linear),
}


def main() -> int:
    """Collect what is missing, or report."""
    options = _options()
    if not options.report:
        _collect(options)
    rows = list(_saved(options.results))
    if not rows:
        print("no results yet", file=sys.stderr)
        return 3
    print(json.dumps(_report(rows), indent=2))
    return 0


def _collect(options: argparse.Namespace) -> None:
    from fonte.models.local import LocalLanguageModel

    model = LocalLanguageModel.from_pretrained(options.model, dtype=options.dtype, threads=options.threads)
    done = {row["id"] for row in _saved(options.results)}
    found = cases(options.data, options.set, options.passages, options.words)
    wanted = [case for case, _ in zip(found, range(options.questions), strict=False)]
    for case in wanted:
        if case.id in done:
            continue
        prompt = prompt_of(case)
        answer = answer_of(model, prompt, options.answer_tokens)
        if not answer:
            continue
        segments = PromptSegments.from_prompt(model.segment(prompt))
        keep, held_out = _all_masks(segments.passages)
        scores = score(model, segments, [answer], expand_passages(keep, segments))
        row = {
            "id": case.id,
            "head": len(segments.head),
            "passages": [len(ids) for ids in segments.segments[1::2]],
            "tail": len(segments.tail),
            "answer": len(answer),
            "held_out": held_out,
            "masks": ["".join("01"[int(kept)] for kept in mask) for mask in keep],
            "log_p": [round(float(value), 6) for value in scores.sums[:, 0]],
            "seconds": round(scores.cost.seconds, 2),
            "noise": scores.noise.total,
        }
        with options.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{case.id}: {len(keep)} ablations, {scores.cost.computed} tokens, {row['seconds']} s", file=sys.stderr)


def _all_masks(passages: int) -> tuple[Masks, int]:
    """Return every design's ablations and the held-out ones, which come last, and how many these are."""
    designs = [design(passages).keep for design, _ in DESIGNS.values()] + [np.zeros((1, passages), bool)]
    rows = {row.tobytes(): row for row in np.vstack(designs)}
    generator = np.random.default_rng(20240829)
    held_out: dict[bytes, NDArray[np.bool_]] = {}
    while len(held_out) < min(HELD_OUT, 2**passages - len(rows)):
        row = generator.random(passages) < 0.5
        if row.tobytes() not in rows:
            held_out[row.tobytes()] = row
    return np.array([*rows.values(), *held_out.values()]), len(held_out)


def _report(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, list[tuple[float, int, int]]] = {name: [] for name in DESIGNS}
    agreement: dict[str, list[float]] = {}
    skipped = 0
    for row in rows:
        known = _Known(row)
        if np.ptp(known.held_out_values) < 1e-9:
            skipped += 1
            continue
        effects = {}
        for name, (design, estimator) in DESIGNS.items():
            chosen = design(known.passages)
            effects[name] = known.estimate(chosen, estimator)
            cost = known.naive(chosen, name) if name.startswith("context-cite") else known.floor(chosen.keep)
            found[name].append((known.datamodeling_score(effects[name]), cost, len(chosen.keep)))
        _add_agreement(agreement, known, effects)
    reference = sum(tokens for _, tokens, _ in found["context-cite 256"])
    table = {name: _summary(values, reference) for name, values in found.items()}
    paired = {
        name: _interval([a[0] - b[0] for a, b in zip(values, found["context-cite 256"], strict=True)])
        for name, values in found.items()
        if name != "context-cite 256"
    }
    sizes = {"questions": len(rows) - skipped, "without variation": skipped, "passages": len(rows[0]["passages"])}
    agreed = {name: _interval(values) for name, values in agreement.items()}
    return sizes | {"designs": table, "score minus context-cite 256": paired, "agreement with context-cite 256": agreed}


class _Known:
    """The values of one question by mask."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row
        self.keep = np.array([[bit == "1" for bit in mask] for mask in row["masks"]])
        self.passages = self.keep.shape[1]
        self.values = logit(np.array(row["log_p"]), row["answer"])
        self.place = {mask.tobytes(): number for number, mask in enumerate(self.keep)}
        self.held_out = self.keep[-row["held_out"] :]
        self.held_out_values = self.values[-row["held_out"] :]

    def observations(self, design: Design) -> Observations:
        places = [self.place[mask.tobytes()] for mask in design.keep]
        return Observations(
            design.keep, design.weights, self.values[places][:, None], np.array([self.row["answer"]], np.int64)
        )

    def estimate(self, design: Design, estimator: Estimator) -> FloatArray:
        effects: FloatArray = estimator(self.observations(design))[:, 0]
        return effects

    def datamodeling_score(self, effects: FloatArray) -> float:
        predicted = self.held_out @ effects
        return float(spearmanr(predicted, self.held_out_values).statistic) if np.ptp(predicted) > 0 else 0.0

    def floor(self, keep: Masks) -> int:
        segments = self._segments()
        paths, _ = distinct_paths(segments, expand_passages(keep, segments))
        return floor_tokens(paths, self.row["tail"], [tuple(range(self.row["answer"]))])

    def naive(self, design: Design, name: str) -> int:
        """Return the tokens of one pass per draw, repeated draws included."""
        lengths = design.keep @ np.array(self.row["passages"]) + self.row["head"] + self.row["tail"]
        drawn = np.repeat(lengths, design.weights.astype(int))
        return naive_tokens(drawn.tolist(), [tuple(range(self.row["answer"]))])

    def _segments(self) -> PromptSegments:
        parts = tuple((number,) * length for number, length in enumerate(self.row["passages"], start=1))
        head, tail = (0,) * self.row["head"], (0,) * self.row["tail"]
        return PromptSegments(head, parts, tail, tuple(range(len(parts))), (False,) * len(parts))


def _add_agreement(agreement: dict[str, list[float]], known: _Known, effects: dict[str, FloatArray]) -> None:
    """Compare the order of the passages whose interval in the reference excludes zero, two by two."""
    design, _ = DESIGNS["context-cite 256"]
    seen = known.observations(design(known.passages))
    reference = effects["context-cite 256"]
    low, high = effect_interval(linear, seen)
    sure = np.flatnonzero((low[:, 0] > 0) | (high[:, 0] < 0))
    pairs = list(combinations(sure, 2))
    for name, values in effects.items():
        if name != "context-cite 256" and pairs:
            same = [np.sign(values[a] - values[b]) == np.sign(reference[a] - reference[b]) for a, b in pairs]
            agreement.setdefault(name, []).append(float(np.mean(same)))


def _summary(values: Sequence[tuple[float, int, int]], reference: int) -> dict[str, Any]:
    scores, tokens, ablations = zip(*values, strict=True)
    return {
        "score": _interval(scores),
        "median": round(float(np.median(scores)), 4),
        "ablations": round(float(np.mean(ablations)), 1),
        "tokens": round(float(np.mean(tokens))),
        "share of context-cite 256's tokens": round(sum(tokens) / reference, 4),
    }


def _interval(values: Sequence[float]) -> list[float]:
    """Return mean, low and high of the mean (bootstrap over questions, 95 %)."""
    if len(values) < 2:
        return [round(float(np.mean(values)), 4)] * 3 if values else []
    if np.ptp(values) == 0:
        return [round(float(values[0]), 4)] * 3
    found = bootstrap((np.asarray(values),), np.mean, rng=np.random.default_rng(0)).confidence_interval
    return [round(float(value), 4) for value in (np.mean(values), found.low, found.high)]


def _saved(path: Path) -> Iterator[dict[str, Any]]:
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.endswith("}"):  # a line cut short by a kill is computed again
                yield json.loads(line)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, required=True, help="JSONL file to append to")
    parser.add_argument("--data", type=Path, help="folder with the data sets")
    parser.add_argument("--set", default="hotpotqa", choices=["hotpotqa", "musique"])
    parser.add_argument("--model", default="smollm2-135m-instruct")
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--passages", type=int, default=8)
    parser.add_argument("--words", type=int, default=8, help="passages end with the sentence that holds this word")
    parser.add_argument("--answer-tokens", type=int, default=16)
    parser.add_argument("--report", action="store_true", help="only report what the file holds")
    options = parser.parse_args()
    if not options.report and not options.data:
        parser.error("--data is needed unless --report is given")
    return options


if __name__ == "__main__":
    sys.exit(main())
