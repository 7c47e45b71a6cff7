"""What a re-ranker costs: 50 passages in float32 and in eight bits, beside an answer of the language model.

    python benchmarks/rerank_speed.py --data DIR --reranker NAME [--language-model NAME] [--questions 20] [--json]

Per question of `hotpotqa`, 50 passages (its own and those of the next questions, cut after 100 words) are ranked by
torch in float32 and by ONNX Runtime in int8, in turns, after one round that is not counted. `ratio` is the mean of the
pairs' quotients, `correlation` Spearman's of the two scores per question, both with 95 % bootstrap intervals. Then the
first ten are given to `--language-model` (`none`: no answer is timed) for an answer of 64 tokens at most, and `share`
is the re-ranker's part of all.

`share_7b` counts operations instead: two per weight and token outside of the embeddings and attention's own, for a
language model of 7 billion such weights (32 layers, 4,096 wide) that reads the ten passages and writes 64 tokens.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from attribution_many import widened
from attribution_questions import Case, cases
from scipy.stats import bootstrap, spearmanr

from fonte.models import LocalLanguageModel, Reranker
from fonte.values import Prompt, PromptPassage

CANDIDATES, SHOWN, WORDS, ANSWER_TOKENS = 50, 10, 100, 64
WEIGHTS_7B, LAYERS_7B, WIDTH_7B = 6.5e9, 32, 4096


def main() -> int:
    """Measure and print."""
    options = _options()
    plain = Reranker.from_pretrained(options.reranker, threads=options.threads)
    eight = Reranker.from_pretrained(options.reranker, dtype="int8", threads=options.threads)
    found = list(islice(cases(options.data, "hotpotqa", 10, WORDS), options.questions + 1 + CANDIDATES // 10))
    asked = [widened(case, found[at + 1 :], CANDIDATES) for at, case in enumerate(found[: options.questions])]
    timed = [_turn(plain, eight, case) for case in [asked[0], *asked]][1:]
    report: dict[str, Any] = {
        "reranker": options.reranker,
        "questions": len(asked),
        "passages": CANDIDATES,
        "tokens": round(float(np.mean([_tokens(plain, case) for case in asked]))),
        "seconds_float32": round(float(np.median([each[0] for each in timed])), 3),
        "seconds_int8": round(float(np.median([each[1] for each in timed])), 3),
        "ratio": _interval([each[0] / each[1] for each in timed]),
        "correlation": _interval([each[2] for each in timed]),
        "share_7b": round(_share_7b(plain, asked), 4),
    }
    if options.language_model != "none":
        report |= _answers(options, asked, timed)
    print(json.dumps(report, indent=None if options.json else 1))
    return 0


def _turn(plain: Reranker, eight: Reranker, case: Case) -> tuple[float, float, float]:
    """Return the seconds of both and the rank correlation of their scores."""
    pairs = [(case.question, text) for text in case.passages]
    begun = time.perf_counter()
    first = plain.predict(pairs)
    between = time.perf_counter()
    second = eight.predict(pairs)
    ended = time.perf_counter()
    return between - begun, ended - between, float(spearmanr(first, second).statistic)


def _answers(options: argparse.Namespace, asked: Sequence[Case], timed: Sequence[Sequence[float]]) -> dict[str, Any]:
    model = LocalLanguageModel.from_pretrained(options.language_model, threads=options.threads)
    prompts = [_prompt(case) for case in asked[: options.answers]]
    model.generate(prompts[0], max_tokens=ANSWER_TOKENS)
    seconds = []
    for prompt in prompts:
        begun = time.perf_counter()
        model.generate(prompt, max_tokens=ANSWER_TOKENS)
        seconds.append(time.perf_counter() - begun)
    shares = {
        name: [each[at] / (each[at] + spent) for each, spent in zip(timed, seconds, strict=False)]
        for at, name in enumerate(("share_float32", "share_int8"))
    }
    return {
        "language_model": options.language_model,
        "seconds_answer": round(float(np.median(seconds)), 2),
        **{name: _interval(values) for name, values in shares.items()},
    }


def _prompt(case: Case) -> Prompt:
    passages = tuple(PromptPassage("", "", f"{text}\n") for text in case.passages[:SHOWN])
    return Prompt("", "Context: ", passages, f"\nQuery: {case.question}")


def _tokens(reranker: Reranker, case: Case) -> int:
    encoded = reranker.model.tokenizer([[case.question, text] for text in case.passages])
    return sum(map(len, encoded["input_ids"]))


def _share_7b(reranker: Reranker, asked: Sequence[Case]) -> float:
    config = reranker.model[0].model.config
    embedded = sum(weights.numel() for name, weights in reranker.model.named_parameters() if "embeddings" in name)
    weights = sum(weights.numel() for weights in reranker.model.parameters()) - embedded
    read = np.mean([_tokens(reranker, case) for case in asked])
    ranking = read * (2 * weights + 4 * (read / CANDIDATES) * config.hidden_size * config.num_hidden_layers)
    # The language model's own words are longer or shorter than the re-ranker's: taken to be as many.
    prompt = read / CANDIDATES * SHOWN + ANSWER_TOKENS
    answering = prompt * (2 * WEIGHTS_7B + 2 * prompt * WIDTH_7B * LAYERS_7B)
    return float(ranking / (ranking + answering))


def _interval(values: Sequence[float]) -> list[float]:
    """Return mean, low and high of the mean (bootstrap over questions, 95 %)."""
    mean = round(float(np.mean(values)), 4)
    if len(values) < 2 or np.ptp(values) == 0:
        return [mean] * 3
    found = bootstrap((np.asarray(values),), np.mean, rng=np.random.default_rng(0)).confidence_interval
    return [mean, round(float(found.low), 4), round(float(found.high), 4)]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the data sets")
    parser.add_argument("--reranker", required=True, help="a trained cross-encoder: name, folder or hub id")
    parser.add_argument("--language-model", default="smollm2-135m-instruct", help="name or folder, or none")
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--answers", type=int, default=5, help="questions that are answered")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"developer data not found ({options.data}): nothing to measure", file=sys.stderr)
        raise SystemExit(3)
    return options


if __name__ == "__main__":
    sys.exit(main())
