"""Is a claim supported by its evidence? A trained scorer beside word overlap, quotes, cosine and likelihood.

    python benchmarks/support.py --data DIR --keep FOLDER  # trains first where there is no model yet; everything
    python benchmarks/support.py --data DIR --model FOLDER # scores the test side only: no faithbench, no padding
    python benchmarks/support.py --data DIR --model FOLDER --also cross-encoder/nli-deberta-v3-base --json

`--data` is the folder that holds `attribution_human/` (and `faithbench/`, if it is there). Sides are those of
`fonte.training.support_pairs.split_pairs`: no question and no claim is on two of them. Scorers that give no
probability are calibrated on a sample of the calibrate side, so that accuracies compare. Intervals are 95 % bootstrap.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.stats import bootstrap, rankdata

from fonte.chunking import sentences
from fonte.citations.support import QuoteOverlap, load_support
from fonte.citations.support_calibration import fit_calibration
from fonte.citations.support_windows import relevant_text
from fonte.measures import calibration_error
from fonte.measures.words import answer_words
from fonte.training.support_pairs import LabelledPair, read_pairs, split_pairs

Score = Callable[[Sequence[tuple[str, str]]], list[float]]
CALIBRATED_ON = 200  # pairs of the calibrate side, for scorers that are not calibrated
LIKELIHOOD_PAIRS = 240  # of the test side, drawn by seed: the language model reads about one pair a second
PADDED_PAIRS = 300  # of the test side, drawn by seed, that are also scored beside an irrelevant passage
LIKELIHOOD_LETTERS = 2000  # code points of evidence that the language model reads
WITH_AND_WITHOUT = [[True, True], [False, False]]  # the signature and the text of the one passage
BESIDE = (
    "The bakery on the corner sells bread and cakes from seven in the morning. Its oven was built by the grandfather "
    "of the owner, who had learned the craft in Vienna."
)


@dataclass(frozen=True)
class Row:
    """One scorer on one source."""

    scorer: str
    source: str
    n: int
    auc: float
    auc_low: float
    auc_high: float
    accuracy: float
    calibration_error: float
    pairs_per_second: float


def main() -> int:
    """Train if needed, score, print the table."""
    options = _options()
    path = options.data / "attribution_human" / "pairs.jsonl.gz"
    if not path.is_file():
        print(f"developer data not found ({path}): nothing to measure", file=sys.stderr)
        return 2
    sides = split_pairs(read_pairs(path))
    with tempfile.TemporaryDirectory() as scratch:
        model = options.model or _train(path, options.keep or Path(scratch) / "support", options.epochs)
        rows = list(_rows(sides, str(model), options))
        changed = None
        if not options.model:
            rows += list(_faithbench(options.data / "faithbench" / "summaries.jsonl", str(model)))
            changed = _padding(sides["test"], str(model))
    if options.json:
        print(json.dumps({"rows": [asdict(row) for row in rows], "padding": changed}))
        return 0
    for row in rows:
        print(
            f"{row.scorer:12} {row.source:36} n {row.n:5}  AUC {row.auc:.3f} [{row.auc_low:.3f}, {row.auc_high:.3f}]  "
            f"accuracy {row.accuracy:.3f}  calibration error {row.calibration_error:.3f}  {row.pairs_per_second:.1f}/s"
        )
    if changed:
        print(f"an irrelevant passage beside the evidence changed {changed['changed']} of {changed['pairs']} verdicts")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds the sets")
    parser.add_argument("--model", type=Path, help="a trained support model; without it one is trained first")
    parser.add_argument(
        "--keep", type=Path, help="where the trained model is kept; an interrupted training goes on there"
    )
    parser.add_argument("--epochs", type=float, default=4.0, help="of the training")
    parser.add_argument("--also", action="append", default=[], help="further support models by id or path")
    parser.add_argument("--skip", action="append", default=[], help="scorers to leave out: cosine, likelihood, …")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _train(path: Path, output: Path, epochs: float) -> Path:
    from fonte.training.support import SupportTraining, train_support

    if (output / "model.safetensors").is_file():
        return output
    report = train_support(path, output, SupportTraining(epochs=epochs))
    print(f"trained on {report.train} pairs, calibrated on {report.calibrate}", file=sys.stderr)
    return output


def _rows(sides: dict[str, list[LabelledPair]], model: str, options: argparse.Namespace) -> Iterator[Row]:
    whole = sides["test"]
    sample = random.Random(0).sample(sides["calibrate"], min(CALIBRATED_ON, len(sides["calibrate"])))
    scorers: dict[str, Callable[[], Score]] = {
        "trained": lambda: load_support(model),
        "overlap": lambda: _overlap,
        "quote": QuoteOverlap,
        "cosine": _cosine,
        "likelihood": _likelihood,
        **{name: (lambda name=name: load_support(name)) for name in options.also},
    }
    for name, make in scorers.items():
        if name in options.skip:
            continue
        score = make()
        slow = name == "likelihood"
        test = random.Random(1).sample(whole, min(LIKELIHOOD_PAIRS, len(whole))) if slow else whole
        started = time.perf_counter()
        raw = score(_questions(test))
        speed = len(test) / (time.perf_counter() - started)
        values = raw if name == "trained" else _calibrated(score, sample[: len(sample) // 2] if slow else sample, raw)
        for source in ("all", *sorted({pair.source for pair in test})):
            chosen = [i for i, pair in enumerate(test) if source in ("all", pair.source)]
            labels = [test[i].label for i in chosen]
            if len(set(labels)) == 2:
                yield _row((name, source), [raw[i] for i in chosen], [values[i] for i in chosen], labels, speed)


def _row(
    name: tuple[str, str], raw: Sequence[float], values: Sequence[float], labels: Sequence[int], speed: float
) -> Row:
    low, high = _auc_interval(raw, labels)
    right = np.mean([(value > 0.5) == bool(label) for value, label in zip(values, labels, strict=True)])
    error = calibration_error(values, labels)
    return Row(*name, len(labels), auc(np.array(raw), np.array(labels)), low, high, float(right), error, speed)


def auc(values: np.ndarray, labels: np.ndarray) -> float:
    """Area under the ROC curve through ranks (Mann and Whitney); ties count half."""
    positive = labels == 1
    count, others = int(positive.sum()), int((~positive).sum())
    if not count or not others:
        return 0.5
    return float((rankdata(values)[positive].sum() - count * (count + 1) / 2) / (count * others))


def _auc_interval(values: Sequence[float], labels: Sequence[int]) -> tuple[float, float]:
    found = bootstrap(
        (np.array(values), np.array(labels)), auc, paired=True, vectorized=False, n_resamples=500,
        method="percentile", rng=np.random.default_rng(0),
    )  # fmt: skip
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def _calibrated(score: Score, sample: Sequence[LabelledPair], raw: Sequence[float]) -> list[float]:
    calibration = fit_calibration(score(_questions(sample)), [pair.label for pair in sample])
    return [calibration.probability(value) for value in raw]


def _questions(pairs: Sequence[LabelledPair]) -> list[tuple[str, str]]:
    return [(pair.premise, pair.claim) for pair in pairs]


def _overlap(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return the share of the claim's words that the evidence holds."""
    shares = []
    for premise, claim in pairs:
        words, held = answer_words(claim), set(answer_words(premise))
        shares.append(sum(word in held for word in words) / len(words) if words else 0.0)
    return shares


def _cosine() -> Score:
    """Return the cosine of the claim and its nearest window of the evidence, in the default embedder."""
    from fonte.models import Embedder

    embedder = Embedder.from_pretrained("all-minilm-l6-v2")
    room = embedder.window - embedder.special_tokens - 2

    def score(pairs: Sequence[tuple[str, str]]) -> list[float]:
        windows = [embedder.windows(premise, room) for premise, _ in pairs]
        known = dict.fromkeys(text for (_, claim), row in zip(pairs, windows, strict=True) for text in (claim, *row))
        texts = [text for text in known if len(embedder.token_offsets(text)) <= room]
        vectors = dict(zip(texts, embedder.embed_documents(texts), strict=True))
        vectors |= {text: embedder.embed_query(text) for text in known if text not in vectors}
        return [
            max(float(vectors[claim] @ vectors[window]) for window in row)
            for (_, claim), row in zip(pairs, windows, strict=True)
        ]

    return score


def _likelihood() -> Score:
    """Return log p(claim | evidence) - log p(claim), per token, in the default language model."""
    from fonte.likelihood import score as log_likelihood
    from fonte.models import LocalLanguageModel
    from fonte.values import Prompt, PromptPassage

    model = LocalLanguageModel.from_pretrained("smollm2-135m-instruct")

    def one(premise: str, claim: str) -> float:
        evidence = relevant_text(premise, claim)[:LIKELIHOOD_LETTERS]
        if not evidence.strip():
            return 0.0
        passage = PromptPassage("1", "", f"{evidence}\n")
        prompt = model.segment(Prompt(head="Text:\n", passages=(passage,), tail="\nState a fact from the text."))
        answer = model.encode(claim)
        scores = log_likelihood(model, prompt, [answer], WITH_AND_WITHOUT)
        return float(scores.sums[0, 0] - scores.sums[1, 0]) / len(answer)

    return lambda pairs: [one(premise, claim) for premise, claim in pairs]


def _faithbench(path: Path, model: str) -> Iterator[Row]:
    """Score summaries that people judged: as supported as the least supported sentence."""
    if not path.is_file():
        return
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    kept = [row for row in rows if row["worst_label"] in ("Consistent", "Benign", "Unwanted")]
    labels = [int(row["worst_label"] != "Unwanted") for row in kept]
    parts = [[row["summary"][start:end] for start, end in sentences(row["summary"])] or [""] for row in kept]
    pairs = [(row["source"], part) for row, row_parts in zip(kept, parts, strict=True) for part in row_parts]
    for name, score in (("trained", load_support(model)), ("overlap", _overlap), ("quote", QuoteOverlap())):
        started = time.perf_counter()
        found = iter(score(pairs))
        values = [min(next(found) for _ in row_parts) for row_parts in parts]
        yield _row((name, "faithbench"), values, values, labels, len(pairs) / (time.perf_counter() - started))


def _padding(pairs: Sequence[LabelledPair], model: str) -> dict[str, int]:
    """Count the verdicts that a passage beside the point changes, before or after the evidence."""
    score = load_support(model)
    told = [pair for pair in pairs if pair.premise.strip()]
    told = random.Random(2).sample(told, min(PADDED_PAIRS, len(told)))
    plain = score(_questions(told))
    changed = 0
    for padded in (lambda text: f"{text}\n\n{BESIDE}", lambda text: f"{BESIDE}\n\n{text}"):
        values = score([(padded(pair.premise), pair.claim) for pair in told])
        changed += sum((one > 0.5) != (other > 0.5) for one, other in zip(plain, values, strict=True))
    return {"pairs": 2 * len(told), "changed": changed}


if __name__ == "__main__":
    sys.exit(main())
