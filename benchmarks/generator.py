"""Does a generator use its sources? Accuracy with and without them, changed, missing and noisy sources.

    python benchmarks/generator.py --data DIR --models smollm2-135m-instruct,MODEL_FOLDER --json
    python benchmarks/generator.py --data DIR --models A --sets nq_oracle,rgb --limit 20 --prompt brief

`--data` is the folder that holds the sets. Rows appear as they come; with `--results FILE` (JSONL) rows that are there
already are not measured again. `acc_q` is without documents, `acc_qd` with them, `rr` their difference, with the table
of questions right both ways, gained, lost, and neither way. `counterfactual` is the share of answers that follow
changed documents (of `rgb` its own, else another question's answer put into the passages). `abstention` is the share of
unanswerable questions on which the model abstains (the set's own, else questions without their gold passages),
`wrong_silence` that of answerable ones. `acc_noise` is with four more distractors. `placeholder` is accuracy on
invented values, three variants each: a test in the manner of PRGB, but not PRGB; `placeholder_substring` counts it as
PRGB's code does. `acc_qd_substring` is RAGQALeaderboard's accuracy with its known quirk ("no" is found in "not").
`E` in nats, `length` in tokens, perplexities over the model's own greedy answers. Right means containment with word
borders; `clapnq`, whose answers are long, is by token F1.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from generator_questions import FILES, LONG_ANSWERS, development

from fonte.models.local import LocalLanguageModel
from fonte.training.examples import ExampleSettings
from fonte.training.generator_evaluation import EvaluationSettings, GeneratorEvaluation, GeneratorEvaluator

SETS = ("hotpotqa", "2wiki", "musique", "popqa", "pubmedqa", "rgb", "clapnq", "nq_oracle")


def main() -> int:
    """Evaluate every model on every set, print rows."""
    options = _options()
    if not options.data.is_dir():
        print(f"developer data not found ({options.data}): nothing to measure", file=sys.stderr)
        return 2
    names = [name for name in options.sets.split(",") if (options.data / FILES[name]).is_file()]
    rows = _known(options.results)
    for model in options.models.split(","):
        missing = [name for name in names if not any(_same(row, model, name, options) for row in rows)]
        if not missing:
            continue
        loaded = LocalLanguageModel.from_pretrained(model, dtype=options.dtype)
        for name in missing:
            rows.append(measure(loaded, model, name, options))
            if options.results:
                with options.results.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(rows[-1]) + "\n")
            print(_line(rows[-1]), file=sys.stderr)
    if options.json:
        print(json.dumps({"rows": rows}))
    return 0


def measure(model: LocalLanguageModel, label: str, name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return the row of one model on one set."""
    started = time.perf_counter()
    questions = development(options.data, name)[: options.limit]
    pooled = options.pooled if name == "nq_oracle" else 0
    examples = ExampleSettings(options.prompt, options.passages, options.words, pooled, options.prompt_tokens)
    kind = "token_f1" if name in LONG_ANSWERS else "containment"
    settings = EvaluationSettings(examples, kind, options.max_tokens, options.batch, variants=options.variants)
    evaluator = GeneratorEvaluator(model, settings, lambda text: print(f"{name}: {text}", file=sys.stderr))
    found = evaluator(questions)
    row = {"model": label, "set": name, **row_of(found), **_settings(options)}
    return {**row, "seconds": round(time.perf_counter() - started, 1)}


def row_of(found: GeneratorEvaluation) -> dict[str, Any]:
    """Return the public shape of an evaluation: means, null where there is none, with the reasons beside."""
    with_documents, closed, rr = (
        found.reliance.with_documents,
        found.reliance.closed_book,
        found.reliance.reference_reliance,
    )
    parts = {
        "counterfactual": found.following,
        "memorisation": found.memorisation,
        "abstention": found.silence,
        "wrong_silence": found.wrong_silence,
        "acc_noise": found.noise,
        "placeholder": found.placeholder,
        "placeholder_substring": found.placeholder_substring,
        "acc_qd_substring": found.substring,
        "citation": found.citation,
        "E": found.contribution,
        "length": found.length,
        "ppl_with": found.perplexity,
        "ppl_without": found.perplexity_without,
    }
    table = {name: getattr(found.reliance, name) for name in ("both", "gained", "lost", "neither")}
    return {
        "n": with_documents.n_scored,
        "acc_q": closed.mean,
        "acc_qd": with_documents.mean,
        "acc_qd_low": with_documents.low,
        "acc_qd_high": with_documents.high,
        "rr": rr.mean,
        "rr_low": rr.low,
        "rr_high": rr.high,
        **{name: part.mean for name, part in parts.items()},
        "intervals": {name: [part.low, part.high, part.n_scored] for name, part in parts.items()},
        "reasons": {name: part.reason for name, part in parts.items() if part.reason},
        "table": table,
        "left_out": dict(found.left_out),
    }


def _known(path: Path | None) -> list[dict[str, Any]]:
    if path is None or not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _same(row: dict[str, Any], model: str, name: str, options: argparse.Namespace) -> bool:
    """Return whether a kept row is of this model, set and all settings that change what is measured."""
    return (row["model"], row["set"]) == (model, name) and all(
        row.get(key) == value for key, value in _settings(options).items()
    )


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    names = ("limit", "prompt", "passages", "pooled", "words", "prompt_tokens", "max_tokens", "variants", "dtype")
    return {name: getattr(options, name) for name in names}


def _line(row: dict[str, Any]) -> str:
    shown = " ".join(
        f"{name} {row[name]:.3f}" if isinstance(row[name], float) else f"{name} {row[name]}"
        for name in ("n", "acc_q", "acc_qd", "rr", "counterfactual", "abstention", "placeholder", "E", "length")
    )
    return f"{row['model']} {row['set']:9} {shown}  ({row['seconds']} s)"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds the sets")
    parser.add_argument("--models", required=True, help="names, folders or hub ids, separated by commas")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--limit", type=int, help="only the first questions of each set")
    parser.add_argument("--prompt", choices=["ask", "brief"], default="brief")
    parser.add_argument("--passages", type=int, default=10, help="passages per prompt")
    parser.add_argument("--pooled", type=int, default=2, help="distractors per question of nq_oracle")
    parser.add_argument("--words", type=int, help="cut passages to so many words")
    parser.add_argument("--prompt-tokens", type=int, default=4096)
    parser.add_argument("--max-tokens", type=int, default=48)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--variants", type=int, default=3, help="invented values per question")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--results", type=Path, help="keep rows here (JSONL) and go on from them")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
