"""Are support and BERTScore as fast as the packages that do the same? In turn, in one process, on the same pairs.

    python benchmarks/support_speed.py --data DIR --model FOLDER [--pairs 120] [--rounds 5] [--json]

`--model` is a support model that `fonte train support` made; its reference is sentence-transformers' own
`CrossEncoder.predict`, at its default batch size. BERTScore's is the bert-score package, with the default embedder as
encoder. Only pairs that the reference reads whole are taken (it cuts the others silently). `ratio` is the reference's
time by ours, the median of the rounds, with the least and the largest; above 1 ours is faster.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fonte.citations.support import load_support
from fonte.measures import bert_scores
from fonte.measures.token_encoder import TokenEncoder
from fonte.models.folder import resolve
from fonte.training.support_pairs import read_pairs, split_pairs

LETTERS = 1500  # code points of a premise: what any of the models reads whole
ENCODER, LAYERS = "all-minilm-l6-v2", 6


def main() -> None:
    """Measure, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds attribution_human/")
    parser.add_argument("--model", required=True, help="a trained support model")
    parser.add_argument("--pairs", type=int, default=120)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sides = split_pairs(read_pairs(options.data / "attribution_human" / "pairs.jsonl.gz"))
    told = [(pair.premise, pair.claim) for pair in sides["test"] if 0 < len(pair.premise) < LETTERS]
    pairs = told[: options.pairs]
    rows = [
        _row("support", len(pairs), options.rounds, _support(options.model, pairs), _predict(options.model, pairs)),
        _row("bert_score", len(pairs), options.rounds, _bert_score(pairs), _bert_score_package(pairs)),
    ]
    lines = [f"{row['what']}: {row['ratio']} [{row['least']}, {row['largest']}] times as fast" for row in rows]
    print(json.dumps({"rows": rows}, indent=2) if options.json else "\n".join(lines))


def _row(
    what: str, pairs: int, rounds: int, ours: Callable[[], object], reference: Callable[[], object]
) -> dict[str, Any]:
    ours(), reference()  # what is loaded or compiled at first use
    ratios = []
    for number in range(rounds):
        order = (ours, reference) if number % 2 else (reference, ours)
        spent = {work: _seconds(work) for work in order}
        ratios.append(spent[reference] / spent[ours])
    median = statistics.median(ratios)
    return {
        "what": what,
        "pairs": pairs,
        "ratio": round(median, 2),
        "least": round(min(ratios), 2),
        "largest": round(max(ratios), 2),
    }


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _support(model: str, pairs: list[tuple[str, str]]) -> Callable[[], object]:
    scorer = load_support(model)
    return lambda: scorer(pairs)


def _predict(model: str, pairs: list[tuple[str, str]]) -> Callable[[], object]:
    from sentence_transformers import CrossEncoder

    encoder = CrossEncoder(model, local_files_only=True)
    return lambda: encoder.predict(pairs, show_progress_bar=False)


def _bert_score(pairs: list[tuple[str, str]]) -> Callable[[], object]:
    encode = TokenEncoder.from_pretrained(ENCODER, LAYERS)
    return lambda: bert_scores(pairs, encode)


def _bert_score_package(pairs: list[tuple[str, str]]) -> Callable[[], object]:
    from bert_score import BERTScorer

    scorer = BERTScorer(model_type=str(resolve(ENCODER)), num_layers=LAYERS, batch_size=64)
    candidates, references = [one for one, _ in pairs], [other for _, other in pairs]
    return lambda: scorer.score(candidates, references)


if __name__ == "__main__":
    main()
