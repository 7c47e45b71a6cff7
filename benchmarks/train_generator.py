"""Train a small model to use its sources, with one reward after the other from the same start, and compare.

    python benchmarks/train_generator.py --data DIR --work WORK --results FILE --arms start,sft,hybrid,accuracy
    python benchmarks/train_generator.py --data DIR --work WORK --results FILE --arms clr,citation --seeds 0,1,2
    python benchmarks/train_generator.py --data DIR --work WORK --results FILE --arms hybrid+length=none,weighted
    python benchmarks/train_generator.py --results FILE --report

`start` is the untrained model, `sft` supervised training on gold answers with markers; every other arm is GRPO from the
end of `sft` with that reward (`hybrid`, `accuracy`, `clr`, `citation`, `weighted`), with changed settings of the reward
after `+`. All have the same steps, questions and seed; at most `--minutes` per arm, one arm at a time. Questions are
those of `nq_oracle` that no development row is of or shares a gold passage with, with distractors pooled from other
questions, cut to few words, and chosen by trying them (`--select`, once for all arms). An interrupted run goes on where
it stopped; models stay in `--work`, results are appended to `--results` (JSONL) as each arm ends.

A results row has an arm's curve values at its start and end and, per development set and `pooled`, what
`benchmarks/generator.py` measures, with every question's accuracy in `items` so that arms can be compared in pairs.
`--report` prints the pooled differences with 95 % intervals, p-values corrected for their number, and the smallest
difference that so many questions would have shown in four of five cases. Differences of perplexities are those of their
logarithms.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from generator import row_of
from generator_questions import development, training

from fonte.evaluation.questions import Question
from fonte.measures import compare
from fonte.measures.score import Summary, scored, summarise
from fonte.models.local import LocalLanguageModel
from fonte.training.examples import ExampleSettings, build_examples
from fonte.training.generator import train_generator
from fonte.training.generator_evaluation import EvaluationSettings, GeneratorEvaluation, GeneratorEvaluator
from fonte.training.generator_settings import GeneratorTraining, with_values
from fonte.training.reward_settings import RewardSettings
from fonte.training.trying import chosen_examples

SETS = ("nq_oracle", "hotpotqa", "musique", "2wiki")
REWARDS = ("hybrid", "accuracy", "clr", "citation", "weighted")
WATCHED = 24
"""Questions kept out of training that the guard watches."""


def main() -> int:
    """Train, evaluate and write what is not there yet; then print the comparison."""
    options = _options()
    if options.report:
        _report(_rows(options.results))
        return 0
    if not (options.data and options.work and options.data.is_dir()):
        print(f"developer data not found ({options.data}): nothing to train on", file=sys.stderr)
        return 2
    for seed in map(int, options.seeds.split(",")):
        for arm in options.arms.split(","):
            if not any((row["arm"], row["seed"]) == (arm, seed) for row in _rows(options.results)):
                _append(options.results, run(arm, seed, options))
    _report(_rows(options.results))
    return 0


def run(arm: str, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """Train and evaluate one arm; return its row."""
    started = time.perf_counter()
    trained: dict[str, Any] = {"status": "untrained", "steps": 0}
    folder = options.base
    if arm != "start":
        place = options.work / f"{arm}-{seed}"
        folder = str(place)
        note = options.work / f"{arm}-{seed}.json"
        if not place.exists():
            trained = train(arm, seed, place, options)
            note.write_text(json.dumps(trained), encoding="utf-8")
        elif note.is_file():
            trained = json.loads(note.read_text(encoding="utf-8"))
        else:
            raise SystemExit(f"{place} has no {note.name} beside it: it was killed between the two. Remove it.")
    if trained["status"] == "stopped":
        return {"arm": arm, "seed": seed, "training": trained, "sets": {}, "minutes": _minutes(started)}
    _say(f"{arm}, seed {seed}: evaluating")
    return {
        "arm": arm,
        "seed": seed,
        "training": trained,
        "sets": evaluate(folder, options),
        "minutes": _minutes(started),
    }


def train(arm: str, seed: int, place: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Train one arm into `place`; return the report."""
    settings = settings_of(arm, seed, options)
    questions, shared = training(options.data, "nq_oracle", SETS)
    _say(f"left out: {shared} training rows that share a gold passage with a development question")
    watched = [replace(one) for one in questions[:WATCHED]]
    learned = questions[WATCHED : WATCHED + options.questions_used]
    if settings.method == "grpo":
        start = options.work / f"sft-{seed}"
        if not start.exists():
            raise SystemExit(f"{start} is missing: run the arm sft with seed {seed} first.")
        settings = replace(settings, base=str(start))
        learned = selected(learned, settings, seed, options)
        settings = replace(settings, select="")
    begun = time.perf_counter()
    report = train_generator(learned, place, settings, watched, _say)
    return {**asdict(report), "seconds": round(time.perf_counter() - begun), "settings": settings.to_json()}


def settings_of(arm: str, seed: int, options: argparse.Namespace) -> GeneratorTraining:
    """Return the settings of an arm: its name, then `+name=value` for each changed setting of the reward."""
    name, *changes = arm.split("+")
    shared = GeneratorTraining(
        base=options.base,
        examples=examples_of(options),
        minutes=options.minutes,
        max_tokens=options.max_tokens,
        lora_rank=options.lora_rank,
        held_back=WATCHED,
        check_every=options.check_every,
        seed=seed,
    )
    if name == "sft":
        return replace(
            shared, method="sft", steps=options.sft_steps, questions=8, batch=4, learning_rate=options.sft_rate
        )
    reward = RewardSettings(reward=name)  # type: ignore[arg-type]  # it refuses what is no reward
    values = {
        key: json.loads(value) if value[0].isdigit() else value for key, _, value in (c.partition("=") for c in changes)
    }
    return with_values(
        replace(
            shared,
            reward=reward,
            steps=options.steps,
            group=options.group,
            questions=options.questions,
            batch=options.batch,
            learning_rate=options.rate,
            select=options.select,
            options={"bf16": True} if options.mixed_precision else {},
        ),
        {"reward": values},
        arm,
    )


def selected(
    questions: Sequence[Question], settings: GeneratorTraining, seed: int, options: argparse.Namespace
) -> list[Question]:
    """Return the questions that the start gets right sometimes; tried once per seed, for all arms."""
    if not settings.select:
        return list(questions)
    model = LocalLanguageModel.from_pretrained(settings.base, dtype="float32")
    examples = build_examples(questions, model, settings.examples).examples
    log = options.work / f"selection-{seed}.jsonl"
    chosen = {one.id for one in chosen_examples(examples, model, settings, log, _say)}
    _say(f"{len(chosen)} of {len(examples)} questions are right sometimes")
    return [one for one in questions if one.id in chosen]


def evaluate(model: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return, per development set and `pooled`, what `benchmarks/generator.py` measures."""
    loaded = LocalLanguageModel.from_pretrained(model, dtype="float32")
    found: dict[str, GeneratorEvaluation] = {}
    for name in SETS:
        examples = replace(examples_of(options), pooled=2 if name == "nq_oracle" else 0, passages=options.dev_passages)
        settings = EvaluationSettings(examples, max_tokens=options.max_tokens, noise=0, variants=options.variants)
        evaluator = GeneratorEvaluator(loaded, settings, lambda text, name=name: _say(f"{name}: {text}"))
        found[name] = evaluator(development(options.data, name)[: options.limit])
    rows = {name: {**row_of(one), "items": items_of(one)} for name, one in found.items()}
    rows["pooled"] = {"items": {key: dict(_pooled(rows, key)) for key in items_of(next(iter(found.values())))}}
    for key, values in rows["pooled"]["items"].items():
        summary = _summary(values, key)
        rows["pooled"][key] = [
            *(_shown(key, one) for one in (summary.mean, summary.low, summary.high)),
            summary.n_scored,
        ]
    return rows


def items_of(found: GeneratorEvaluation) -> dict[str, dict[str, float]]:
    """Return every question's value, by measure: what arms are compared by."""
    return {
        "acc_q": found.reliance.closed_book.values,
        "acc_qd": found.reliance.with_documents.values,
        "rr": found.reliance.reference_reliance.values,
        "counterfactual": found.following.values,
        "abstention": found.silence.values,
        "E": found.contribution.values,
        "length": found.length.values,
        "citation": found.citation.values,
        "ppl_with": found.perplexity.values,
        "ppl_without": found.perplexity_without.values,
    }


def examples_of(options: argparse.Namespace) -> ExampleSettings:
    """Return how training questions become prompts: few passages, cut short."""
    return ExampleSettings(
        style="brief",
        passages=1 + options.pooled,
        words=options.words,
        pooled=options.pooled,
        prompt_tokens=options.prompt_tokens,
    )


def _pooled(rows: Mapping[str, Any], key: str) -> Iterator[tuple[str, float]]:
    for name in SETS:
        yield from ((f"{name}:{item}", value) for item, value in rows[name]["items"][key].items())


def _summary(values: Mapping[str, float], key: str) -> Summary:
    """Summarise a measure; perplexities by logarithm, as everywhere: else a few huge ones would be all that counts."""
    if key.startswith("ppl"):
        return summarise({name: scored(math.log(value)) for name, value in values.items()}, bounds=None)
    unbounded = key in ("E", "length")
    bounds = None if unbounded else (-1.0, 1.0) if key == "rr" else (0.0, 1.0)
    return summarise({name: scored(value) for name, value in values.items()}, bounds=bounds)


def _shown(key: str, mean: float | None) -> float | None:
    """Return a mean of `_summary` as it is shown: perplexities are summarised by logarithm."""
    return math.exp(mean) if mean is not None and key.startswith("ppl") else mean


def _report(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the pooled values of every arm, and its differences from `sft` and from `accuracy`."""
    keys = ("acc_q", "acc_qd", "rr", "counterfactual", "abstention", "citation", "E", "length")
    keys += ("ppl_with", "ppl_without")
    for row in rows:
        items = row["sets"].get("pooled", {}).get("items", {})
        means = {key: _shown(key, _summary(items[key], key).mean) for key in keys if items.get(key)}
        shown = "  ".join(f"{key} {mean:.3f}" for key, mean in means.items() if mean is not None)
        print(f"{row['arm']:<24} seed {row['seed']}  {shown or row['training'].get('reason', '')}")
    for before in ("sft", "accuracy"):
        for row in rows:
            other = next((one for one in rows if (one["arm"], one["seed"]) == (before, row["seed"])), None)
            if other and other is not row and row["sets"] and other["sets"]:
                _print_comparison(row, other, keys)


def _print_comparison(row: Mapping[str, Any], other: Mapping[str, Any], keys: Sequence[str]) -> None:
    sides = [{key: _summary(one["sets"]["pooled"]["items"][key], key) for key in keys} for one in (other, row)]
    for key, found in compare(*sides).items():
        if found.difference is not None:
            print(
                f"{row['arm']} - {other['arm']}, seed {row['seed']}: {key:<14} {found.difference:+.3f} "
                f"[{found.low:+.3f}, {found.high:+.3f}]  p {found.p_holm:.3f}  n {found.n}  "
                f"detectable {found.smallest_detectable or 0:.3f}"
            )


def _rows(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _append(path: Path, row: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(row, allow_nan=False) + "\n")


def _minutes(started: float) -> float:
    return round((time.perf_counter() - started) / 60, 1)


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder that holds the sets")
    parser.add_argument("--work", type=Path, help="folder for models and unfinished trainings")
    parser.add_argument("--results", type=Path, required=True, help="JSONL file that rows are appended to")
    parser.add_argument("--report", action="store_true", help="only compare what is in --results")
    parser.add_argument("--arms", default="start,sft,hybrid,accuracy,clr,citation,weighted")
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--base", default="smollm2-135m-instruct")
    parser.add_argument("--minutes", type=float, default=40.0, help="longest training of an arm")
    parser.add_argument("--steps", type=int, default=45, help="GRPO steps")
    parser.add_argument("--sft-steps", type=int, default=80)
    parser.add_argument("--rate", type=float, default=5e-5, help="learning rate of GRPO")
    parser.add_argument("--sft-rate", type=float, default=2e-4)
    parser.add_argument("--lora-rank", type=int, default=16)
    parser.add_argument("--group", type=int, default=8)
    parser.add_argument("--questions", type=int, default=2, help="questions per GRPO step")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument(
        "--mixed-precision", action="store_true", help="sample and learn in bfloat16 (weights and scores stay float32)"
    )
    parser.add_argument("--select", default="pass@8", help="'' takes all questions")
    parser.add_argument("--questions-used", type=int, default=200, help="training questions that are tried")
    parser.add_argument("--pooled", type=int, default=2, help="distractors per prompt")
    parser.add_argument("--words", type=int, default=40, help="words per passage")
    parser.add_argument("--prompt-tokens", type=int, default=1024)
    parser.add_argument("--max-tokens", type=int, default=24)
    parser.add_argument("--check-every", type=int, default=20)
    parser.add_argument("--limit", type=int, default=75, help="development questions per set")
    parser.add_argument("--dev-passages", type=int, default=5)
    parser.add_argument("--variants", type=int, default=0, help="invented values per question (0: no placeholder test)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
