"""Does a re-ranker that learnt what a model used put the right passages first? Beside retrieval, chance and relevance.

    python benchmarks/rerank.py --data DIR --set echr [--limit 60] [--cache DIR] [--json]
    python benchmarks/rerank.py --data DIR --set echr --targets-only --answer model --method pairs --spread top

Everything that takes long is kept in `--cache` and not done twice: embeddings, targets, trained models, scores,
answers. Before a long part its cost is said on stderr, and a run that was stopped goes on where it was.

Passages are read in pieces of at most 100 tokens; retriever, re-rankers and language models get the piece that is
nearest to the question. Candidates are the 50 nearest passages by the default embedder. Of each question ten candidates
are measured: the first five and five spread over the rest (`--spread top`: the first ten). Five folds of questions;
those that share a gold passage or a cited case stay together; a question is ranked by the model that has not seen it.
The weight of `fused` is chosen as in the product: for each re-ranker on the questions of the other folds, each ordered
by the re-ranker that has not seen it.

`rows` hold the measures, over questions with gold among the candidates (in `gold_added` all); `comparisons` the paired
differences of each measure with intervals (rank of the first gold passage: below 0 is better); `targets` what the
targets hold. `--answers N` also lets the language models answer N questions with each order (else null); `answers` are
the paired differences from retrieval's order. `--curve 30,60` also trains on fewer questions per fold (not for
aquaechr).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rerank_answers import Answers
from rerank_cache import FloatArray, Meter
from rerank_models import agreement, transfer
from rerank_orders import Choice, measured_first
from rerank_plan import plan
from rerank_retrieval import Candidates, Retriever
from rerank_rows import (
    MEASURES,
    POOLS,
    Ranker,
    Scores,
    answer_comparisons,
    comparison,
    curve_row,
    per_question,
    row,
    similarities_of,
)
from rerank_scores import CrossEncoders
from rerank_sets import SETS, QuestionSet, load_set, relevance_pairs
from rerank_targets import Targets, TargetWish, target_table
from rerank_training import pretrained, trained_folds, trained_without

from fonte.citations.support import load_support
from fonte.measures.token_encoder import TokenEncoder
from fonte.models import Embedder, LocalLanguageModel
from fonte.ranking import fuse
from fonte.training.reranker import RerankerTraining
from fonte.training.reranker_bias import Ordered, bias
from fonte.training.reranker_targets import QuestionTargets
from fonte.values import content_id

EMBEDDER = "all-minilm-l6-v2"
MODELS = {"smollm2": "smollm2-135m-instruct"}
FOLDS = 5
RELEVANCE = 3055  # questions of nq_oracle, train300 and official_train100


def main() -> int:
    """Measure, and print the report."""
    options = _options()
    if options.plan:
        return _plan(options)
    report = Run(options).report()
    print(json.dumps(report, indent=None if options.json else 1))
    return 0


def _plan(options: argparse.Namespace) -> int:
    """Say what the run will take."""
    embedder = Embedder.from_pretrained(EMBEDDER, threads=options.threads, dtype="auto")
    found = load_set(options.data, options.set, embedder.count_tokens)
    questions = min(options.train_questions or len(found.items), len(found.items))
    models = len(_language_models(options))
    relevance = options.relevance_questions or RELEVANCE
    parts = plan(embedder, [(found, questions)], relevance, options.epochs, models, options.method)
    for part in parts:
        print(f"{options.set}: {part.name}: {part.tokens:,} tokens, about {part.minutes:.0f} minutes", file=sys.stderr)
    hours = sum(part.minutes for part in parts) / 60
    print(f"{options.set}: {hours:.1f} hours in all, less what the cache holds", file=sys.stderr)
    return 0


class Run:
    """One set: its candidates, targets, re-rankers and rows."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.embedder = Embedder.from_pretrained(EMBEDDER, threads=options.threads, dtype="auto")
        self.cache = options.cache / options.set
        self.questions = load_set(options.data, options.set, self.embedder.count_tokens)
        self.all = self._candidates(self.questions, self.cache)
        self.encoders = CrossEncoders(self.cache)
        self.wish = TargetWish(options.answer, options.method, options.spread)
        self.choices: dict[Path, Choice] = {}  # by re-ranker, what chooses its weight
        self.learnt: list[QuestionTargets] | None = None  # for aquaechr
        self.weights: dict[str, list[float]] = {}  # by language model, those of its re-rankers against retrieval

    def report(self) -> dict[str, Any]:
        """Return everything; with `--targets-only` the targets alone."""
        measured = {name: self._targets(name, path) for name, path in _language_models(self.options)}
        table = [self._target_row(name, targets) for name, targets in measured.items()]
        if self.options.targets_only:
            return {"targets": table}
        base = self._pretrained()
        settings = self._training(base)
        models = {name: self._trained(name, targets, settings) for name, targets in measured.items()}
        evaluated = [one for one in self.all if all(one.item.id in known for known in models.values())]
        evaluated = evaluated[: self.options.limit]
        rankers = self._answered(list(self._rankers(base, models, measured, evaluated)), evaluated)
        return {
            "rows": list(self._rows(rankers, models, evaluated)),
            "comparisons": list(self._comparisons(rankers, evaluated)),
            "answers": list(answer_comparisons(rankers)),
            "curve": list(self._curve(measured, settings, evaluated)),
            "targets": table,
            "agreement": agreement(self.encoders, models, measured, evaluated),
            "transfer": transfer(self.encoders, models, measured, evaluated),
            "bias": [self._bias(ranker, evaluated) for ranker in rankers if ranker.name != "random"],
            "training": {**self._sizes(measured), "weights": self.weights},
        }

    def _candidates(self, questions: QuestionSet, cache: Path) -> list[Candidates]:
        items = list(questions.items)
        random.Random(0).shuffle(items)
        items = items[: self.options.train_questions or None]
        retriever = Retriever(self.embedder, questions, cache)
        return [retriever.candidates(item) for item in items]

    def _targets(self, name: str, path: str) -> dict[str, QuestionTargets]:
        model = LocalLanguageModel.from_pretrained(path, threads=self.options.threads)
        targets = Targets(model, name, self.cache, self.options.set, self.wish)
        missing = sum(not targets.known(one) for one in self.all)
        meter = Meter(f"targets of {name} for {self.options.set}", missing)
        if missing:
            print(f"{missing} questions to measure with {name}; the time is told as it is known", file=sys.stderr)
        found = {}
        for one in self.all:
            new = not targets.known(one)
            found[one.item.id] = targets.of(one)
            if new:
                meter.step()
        return found

    def _target_row(self, name: str, targets: Mapping[str, QuestionTargets]) -> dict[str, Any]:
        wish = self.wish
        head = {"set": self.options.set, "language_model": name, "answer": wish.answer, "method": wish.method}
        return {**head, "measured": wish.spread, **target_table(list(targets.values()))}

    def _pretrained(self) -> Path:
        if self.options.base:
            return Path(self.options.base)
        folder = self.options.cache / "relevance"
        pairs = relevance_pairs(self.options.data, self.embedder.count_tokens)
        retriever = Retriever(self.embedder, pairs, folder)
        return pretrained(folder, EMBEDDER, pairs, retriever, self.options.relevance_questions)

    def _training(self, base: Path) -> RerankerTraining:
        chosen = self.options
        return RerankerTraining(
            chosen.start or str(base),
            chosen.loss,
            chosen.scale,
            epochs=chosen.epochs,
            batch_size=20,
            learning_rate=chosen.learning_rate,
            window=192,
        )

    def _trained(
        self, name: str, targets: Mapping[str, QuestionTargets], settings: RerankerTraining
    ) -> Mapping[str, Path]:
        """Return the re-ranker of each question: that of its fold; for aquaechr one of echr, without its cases."""
        if self.options.set != "aquaechr":
            models = trained_folds(self.cache, self.options.set, name, list(targets.values()), settings)
            for model in set(models.values()):
                rest = [one for one in self.all if one.found and models.get(one.item.id, model) != model]
                self.choices[model] = Choice(self.encoders, models, rest)
            return models
        other = Run(_with_set(self.options, "echr"))
        cases = {group for one in self.all for group in one.item.groups}
        path = dict(_language_models(self.options))[name]
        known = other._targets(name, path)
        learnt = [one for one in known.values() if not cases & set(one.groups)]
        self.learnt = learnt
        model = trained_without(self.cache, "echr", name, learnt, settings)
        folds = trained_folds(other.cache, "echr", name, list(known.values()), settings)
        names = {one.id for one in learnt}
        rest = [one for one in other.all if one.item.id in names and one.found]
        self.choices[model] = Choice(other.encoders, folds, rest)
        return dict.fromkeys(targets, model)

    def _rankers(
        self,
        base: Path,
        models: Mapping[str, Mapping[str, Path]],
        measured: Mapping[str, Mapping[str, QuestionTargets]],
        evaluated: Sequence[Candidates],
    ) -> Iterator[Ranker]:
        timed = list(evaluated)
        yield Ranker("retrieval", None, similarities_of, 0.0)
        yield Ranker("random", None, similarities_of, 0.0)
        meter = Meter("scoring candidates", len(evaluated) * (1 + len(models)))
        for one in evaluated:
            self.encoders.scores(base, one, "gold_added")
            meter.step()
        seconds = self.encoders.seconds(base, timed)
        yield Ranker("pretrained", None, lambda one, pool: self.encoders.scores(base, one, pool), seconds)
        for name, model_of in models.items():
            for one in sorted(evaluated, key=lambda one: str(model_of[one.item.id])):
                self.encoders.scores(model_of[one.item.id], one, "gold_added")
                meter.step()
            trained = self._scores_of(model_of)
            chosen = sorted({*model_of.values()})
            weights = {model: self.choices[model].weight() for model in chosen}
            self.weights[name] = list(weights.values())

            def fused(
                one: Candidates,
                pool: str,
                trained: Any = trained,
                weights: Mapping[Path, float] = weights,
                model_of: Mapping[str, Path] = model_of,
            ) -> FloatArray:
                return fuse(similarities_of(one, pool), trained(one, pool), weights[model_of[one.item.id]])

            known = measured[name]

            def attribution(one: Candidates, pool: str, known: Mapping[str, QuestionTargets] = known) -> FloatArray:
                return measured_first(one, pool, known[one.item.id])

            took = self.encoders.seconds(next(iter(model_of.values())), timed)
            yield Ranker("attribution-trained", name, trained, took)
            yield Ranker("fused", name, fused, took)
            yield Ranker("attribution", name, attribution, _seconds(known))

    def _rows(
        self, rankers: Sequence[Ranker], models: Mapping[str, Mapping[str, Path]], evaluated: Sequence[Candidates]
    ) -> Iterator[dict[str, Any]]:
        recall_at = float(np.mean([one.found for one in evaluated])) if evaluated else 0.0
        for pool in POOLS:
            for gold in ("all", "unseen"):
                chosen = [one for one in evaluated if pool == "gold_added" or one.found]
                if gold == "unseen":
                    chosen = [one for one in chosen if self._unseen(one, models)]
                for ranker in rankers:
                    found = {one.item.id: per_question(ranker, one, pool) for one in chosen}
                    yield row(self.options.set, pool, gold, ranker, found, recall_at)

    def _unseen(self, one: Candidates, models: Mapping[str, Mapping[str, Path]]) -> bool:
        """Return whether no gold passage of the question was gold for a question that its model learnt from."""
        seen: set[str] = set()
        for model_of in models.values():
            note = json.loads((model_of[one.item.id] / "reranker.json").read_text(encoding="utf-8"))
            learnt = set(note["questions"])
            # caches that were filled before ids were hashed have them plain
            known = [other for other in self.all if learnt & {other.item.id, content_id(other.item.id)}]
            seen |= {key for other in known for key in other.item.gold}
        return not one.item.gold & seen

    def _curve(
        self,
        measured: Mapping[str, Mapping[str, QuestionTargets]],
        settings: RerankerTraining,
        evaluated: Sequence[Candidates],
    ) -> Iterator[dict[str, Any]]:
        """Yield how the re-rankers do that learnt from fewer questions, over the same questions as the others."""
        chosen = [one for one in evaluated if one.found]
        for size in [int(size) for size in self.options.curve.split(",") if size]:
            for name, targets in measured.items():
                models = trained_folds(self.cache, self.options.set, name, list(targets.values()), settings, size)
                ranker = Ranker("attribution-trained", name, self._scores_of(models))
                found = {one.item.id: per_question(ranker, one, "retrieved") for one in chosen}
                yield {"learnt": size, **curve_row(name, found)}

    def _scores_of(self, model_of: Mapping[str, Path]) -> Scores:
        return lambda one, pool: self.encoders.scores(model_of[one.item.id], one, pool)

    def _answered(self, rankers: Sequence[Ranker], evaluated: Sequence[Candidates]) -> list[Ranker]:
        """Return the rankers with the measures of the answers that their orders give, for the first `--answers`."""
        chosen = [one for one in evaluated if one.found][: self.options.answers]
        if not chosen:
            return list(rankers)
        support = load_support(self.options.support)
        encode = TokenEncoder.from_pretrained(EMBEDDER)
        writers = {
            name: Answers(
                LocalLanguageModel.from_pretrained(path, threads=self.options.threads),
                name,
                self.cache,
                support,
                encode,
            )
            for name, path in _language_models(self.options)
        }
        first = next(iter(writers))
        meter = Meter("answers", len(rankers) * len(chosen))
        found = []
        for ranker in rankers:
            writer = writers[ranker.language_model or first]
            values, plain = {}, {}
            for one in chosen:
                scores = ranker.scores(one, "retrieved")
                order = [one.keys[number] for number in np.argsort(-scores, kind="stable")]
                values[one.item.id] = writer.measures(one, order)
                plain[one.item.id] = writer.measures(one, one.keys)
                meter.step()
            found.append(replace(ranker, answers=values, plain=plain) if ranker.name != "random" else ranker)
        return found

    def _comparisons(self, rankers: Sequence[Ranker], evaluated: Sequence[Candidates]) -> Iterator[dict[str, Any]]:
        for pool in POOLS:
            chosen = [one for one in evaluated if pool == "gold_added" or one.found]
            found = [(ranker, {one.item.id: per_question(ranker, one, pool) for one in chosen}) for ranker in rankers]
            plain = {ranker.name: values for ranker, values in found if ranker.language_model is None}
            for ranker, values in found:
                for other in ("retrieval", "pretrained") if ranker.name != "random" else ():
                    if ranker.name == other or ranker.name == "retrieval":
                        continue
                    head = {"set": self.options.set, "pool": pool, "ranker": ranker.name, "against": other}
                    closed = _closed(values, plain["retrieval"]) if other == "retrieval" else None
                    for measure in MEASURES:
                        compared = comparison(values, plain[other], measure)
                        row = {**head, "language_model": ranker.language_model, "measure": measure, **compared}
                        yield {**row, "distance_closed": closed} if measure == "gold_rank" else row

    def _bias(self, ranker: Ranker, evaluated: Sequence[Candidates]) -> dict[str, Any]:
        ordered = [
            Ordered(
                ranker.scores(one, "retrieved"),
                tuple(one.texts[key] for key in one.keys),
                tuple(key.partition("#")[0] for key in one.keys),
            )
            for one in evaluated
        ]
        found = bias(ordered)
        head = {"ranker": ranker.name, "language_model": ranker.language_model}
        return {**head, "position": found.position, "length": found.length, "source": found.source}

    def _sizes(self, measured: Mapping[str, Mapping[str, QuestionTargets]]) -> dict[str, Any]:
        elsewhere = self.learnt is not None  # in echr, whole
        learnt = self.learnt if self.learnt is not None else list(next(iter(measured.values())).values())
        pairs = sum(len(question.passages) for question in learnt)
        folds = 1 if elsewhere else FOLDS
        return {"questions": len(learnt), "pairs": pairs, "folds": folds, "epochs": self.options.epochs}


def _closed(values: Mapping[str, Mapping[str, float]], plain: Mapping[str, Mapping[str, float]]) -> float | None:
    """Return the share of the distance from retrieval's mean rank of gold to one that an order closes."""
    if not values:
        return None
    own, other = (float(np.mean([row["gold_rank"] for row in rows.values()])) for rows in (values, plain))
    return round((other - own) / (other - 1), 4) if other > 1 else None


def _seconds(known: Mapping[str, QuestionTargets]) -> float | None:
    return float(np.mean([question.seconds for question in known.values()])) if known else None


def _language_models(options: argparse.Namespace) -> list[tuple[str, str]]:
    """Return name and place of each language model: `smollm2`, or `NAME=PATH`."""
    given = [entry.partition("=") for entry in options.language_models.split(",")]
    return [(name, path or MODELS.get(name, name)) for name, _, path in given]


def _with_set(options: argparse.Namespace, name: str) -> argparse.Namespace:
    return argparse.Namespace(**{**vars(options), "set": name})


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds the sets")
    parser.add_argument("--set", choices=SETS, required=True)
    parser.add_argument("--limit", type=int, help="at most so many questions are evaluated; training is the same")
    parser.add_argument("--cache", type=Path, default=Path(".cache/rerank"))
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    parser.add_argument("--train-questions", type=int, default=0, help="questions measured and trained on (0: all)")
    parser.add_argument("--relevance-questions", type=int, default=0, help="of the pre-trained baseline (0: all)")
    parser.add_argument("--language-models", default="smollm2", help="NAME or NAME=PATH, separated by commas")
    parser.add_argument("--answer", choices=("gold", "model"), default="gold")
    parser.add_argument("--method", default="alone", help="alone, leave_one_out, first_and_last, pairs or clime")
    parser.add_argument("--spread", choices=("spread", "top"), default="spread", help="which candidates are measured")
    parser.add_argument("--loss", default="mse")
    parser.add_argument("--scale", choices=("raw", "standardised", "ranks"), default="standardised")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--learning-rate", type=float, default=3e-5)
    parser.add_argument("--base", help="a cross-encoder to use as the pre-trained one")
    parser.add_argument("--start", help="what the trained ones start from (default: the pre-trained one)")
    parser.add_argument("--answers", type=int, default=0, help="questions answered with every order")
    parser.add_argument("--curve", default="", help="learning curve: numbers of questions, separated by commas")
    parser.add_argument("--support", help="support scorer (name, folder, hub id); default: quote overlap")
    parser.add_argument("--plan", action="store_true", help="only say what the run will take")
    parser.add_argument("--targets-only", action="store_true", help="only measure targets and say what they hold")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"developer data not found ({options.data}): nothing to measure", file=sys.stderr)
        raise SystemExit(3)
    return options


if __name__ == "__main__":
    sys.exit(main())
