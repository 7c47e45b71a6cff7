"""Does evidential contribution find what people marked as unfaithful? Spans and whole summaries of FaithBench.

    python benchmarks/faithbench.py --data DIR --json
    python benchmarks/faithbench.py --data DIR --model MODEL --sources 5

Every summary is scored as the model's reply to its source, with the source and without it. Per token: `contrast` is
log p with the source minus log p without, `likelihood` log p with the source. Low values are taken as signs of
unfaithfulness, so AUC .5 is chance and 1 perfect. A token counts as unfaithful where it touches a span that an
annotator marked `Unwanted` (`--also-questionable`: or `Questionable`); `word` rows take the least value of a word's
tokens. Summaries are unfaithful where the worst label is `Unwanted`, faithful where it is `Consistent`; their scores
are E, E per token and log p per token. Intervals are 95 % bootstraps over sources, since ten summaries share each one.
The set prefers summaries that are hard for detectors.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from fonte.models.local import LocalLanguageModel
from fonte.models.reply import TokenText
from fonte.training.evidence import EvidenceScorer
from fonte.values import Prompt, PromptPassage

INSTRUCTION = "Summarise the passage in a few sentences, using nothing but what it says."
TAIL = "\nSummary:"


@dataclass(frozen=True)
class Row:
    """How well one score separates unfaithful from faithful at one level; `unfaithful` of `n`."""

    level: str
    score: str
    n: int
    unfaithful: int
    auc: float
    low: float
    high: float


@dataclass(frozen=True)
class Scored:
    """One summary: per token both log-probabilities, the text of each token, and which are marked."""

    source: int
    worst: str
    full: np.ndarray
    without: np.ndarray
    pieces: tuple[str, ...]
    marked: np.ndarray


def main() -> int:
    """Score all summaries, print rows."""
    options = _options()
    path = options.data / "faithbench" / "summaries.jsonl"
    if not path.is_file():
        print(f"developer data not found ({path}): nothing to measure", file=sys.stderr)
        return 2
    summaries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    labels = ("Unwanted", "Questionable") if options.also_questionable else ("Unwanted",)
    model = LocalLanguageModel.from_pretrained(options.model, dtype=options.dtype)
    scored = list(score(summaries, model, labels, options.sources))
    rows = list(report(scored))
    if options.json:
        print(json.dumps({"model": options.model, "rows": [asdict(row) for row in rows]}))
        return 0
    for row in rows:
        print(
            f"{row.level:8} {row.score:18} {row.unfaithful:6} of {row.n:6}  "
            f"AUC {row.auc:.3f} [{row.low:.3f}, {row.high:.3f}]"
        )
    return 0


def score(
    summaries: Sequence[Mapping[str, Any]], model: LocalLanguageModel, labels: Sequence[str], most: int | None
) -> Iterator[Scored]:
    """Score the summaries of each source together: they share its prefix. Sources above the window are left out."""
    scorer = EvidenceScorer(model.model, dtype="own")
    ordered = sorted(summaries, key=lambda row: row["source"])
    groups = [list(group) for _, group in groupby(ordered, key=lambda row: row["source"])][:most]
    for number, group in enumerate(groups):
        print(f"\rsource {number + 1}/{len(groups)}", end="", file=sys.stderr)
        passage = PromptPassage("", "", f"{group[0]['source'].strip()}\n")
        prompt = model.segment(Prompt(INSTRUCTION, "Passage:\n", (passage,), TAIL))
        ids = [model.encode(row["summary"].strip()) for row in group]
        if len(prompt.token_ids) + max(map(len, ids)) > model.context_window:
            print(f"\nsource {number + 1} does not fit into the model's window: left out", file=sys.stderr)
            continue
        found = scorer.score(prompt, (0,), ids)
        for row, tokens, matrix in zip(group, ids, found.tokens, strict=True):
            pieces = _pieces(tokens, model)
            yield Scored(number, row["worst_label"], matrix[0], matrix[1], pieces, _marked(row, pieces, labels))
    print(file=sys.stderr)


def report(scored: Sequence[Scored]) -> Iterator[Row]:
    """Yield the rows of tokens, words and summaries."""
    judged = [one for one in scored if len(one.full)]
    scores = {
        "contrast": lambda one: one.full - one.without,
        "likelihood": lambda one: one.full,
    }
    for name, value in scores.items():
        parts = [(one.source, -value(one), one.marked) for one in judged]
        yield _row("token", name, parts)
        pairs = zip(parts, judged, strict=True)
        words = [(source, *_by_word(low, marked, one)) for (source, low, marked), one in pairs]
        yield _row("word", name, words)
    told = [one for one in judged if one.worst in ("Unwanted", "Consistent")]
    whole = {
        "E": lambda one: float((one.full - one.without).sum()),
        "E per token": lambda one: float((one.full - one.without).mean()),
        "least contrast": lambda one: float((one.full - one.without).min()),
        "likelihood": lambda one: float(one.full.mean()),
    }
    for name, value in whole.items():
        parts = [(one.source, np.array([-value(one)]), np.array([one.worst == "Unwanted"])) for one in told]
        yield _row("summary", name, parts)


def auc(values: np.ndarray, positive: np.ndarray) -> float:
    """Return the area under the ROC curve; ties count half."""
    positives, negatives = int(positive.sum()), int((~positive).sum())
    if not positives or not negatives:
        return float("nan")
    return float((rankdata(values)[positive].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def _row(level: str, name: str, parts: Sequence[tuple[int, np.ndarray, np.ndarray]]) -> Row:
    sources = sorted({source for source, _, _ in parts})
    by_source = {
        source: (
            np.concatenate([values for own, values, _ in parts if own == source]),
            np.concatenate([marked for own, _, marked in parts if own == source]),
        )
        for source in sources
    }
    rng = np.random.default_rng(0)
    draws = []
    for _ in range(1000):
        chosen = rng.choice(sources, len(sources))
        values, marked = (np.concatenate([by_source[one][side] for one in chosen]) for side in (0, 1))
        draws.append(auc(values, marked))
    values, marked = (np.concatenate([by_source[one][side] for one in sources]) for side in (0, 1))
    low, high = np.nanquantile(draws, [0.025, 0.975])
    return Row(level, name, len(values), int(marked.sum()), auc(values, marked), float(low), float(high))


def _by_word(values: np.ndarray, marked: np.ndarray, one: Scored) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest value and any mark per word; a word's first token begins with white space."""
    starts = [number for number, piece in enumerate(one.pieces) if number == 0 or re.match(r"\s", piece)]
    groups = np.split(np.arange(len(values)), starts[1:])
    return np.array([values[group].max() for group in groups]), np.array([marked[group].any() for group in groups])


def _pieces(ids: Sequence[int], model: LocalLanguageModel) -> tuple[str, ...]:
    reader = TokenText(model.decode)
    pieces = [reader.feed(token) for token in ids]
    if pieces:
        pieces[-1] += reader.finish()
    return tuple(pieces)


def _marked(row: Mapping[str, Any], pieces: Sequence[str], labels: Sequence[str]) -> np.ndarray:
    """Return which tokens touch a span with one of `labels`; offsets are those of the summary as it was given."""
    text = row["summary"]
    offset = len(text) - len(text.lstrip())
    spans = [
        (note["summary_start"] - offset, note["summary_end"] - offset)
        for note in row["annotations"] or []
        if any(label in labels for label in note["label"])
    ]
    marked = np.zeros(len(pieces), dtype=bool)
    position = 0
    for number, piece in enumerate(pieces):
        end = position + len(piece)
        marked[number] = any(start < end and position < stop for start, stop in spans)
        position = end
    return marked


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds the sets")
    parser.add_argument("--model", default="smollm2-135m-instruct")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--sources", type=int, help="only the first sources")
    parser.add_argument("--also-questionable", action="store_true")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
