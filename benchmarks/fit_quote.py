"""Fit the weights of the quote mode on the sample questions, and say how well they do on questions they never saw.

    python benchmarks/fit_quote.py --tables tables.json           # held-out and fitted figures
    python benchmarks/fit_quote.py --tables tables.json --write   # also put the weights into the package
    python benchmarks/fit_quote.py --tables tables.json --data DIR --set clapnq   # the shipped weights on other data

Every answerable question is asked three times: as it is, with its gold documents left out of the corpus, and with
its gold sentences left out; the last two have no answer, though everything near it is still there. Folds leave out a
whole family of documents. Feature tables take minutes, fitting a second: `--tables` keeps them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from quote_tables import Table, data_tables, sample_tables
from sample_answers import EXAMPLES
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

import fonte.generation
from fonte.generation.quote_candidates import Candidate
from fonte.generation.quote_identity import Identity
from fonte.generation.quote_judgment import decide
from fonte.generation.quote_weights import FEATURES, WITHOUT_MODEL, Linear, QuoteWeights, load_weights
from fonte.models import load_embedder, load_language_model
from fonte.settings import Settings

CHOICE = ("cosine_in_context", "coverage", "codes", "kind", "question_gain")
ANSWERABLE = ("cosine", "document_coverage", "codes", "own_codes", "kind")
STRENGTH = 0.3
"""Inverse strength of the L2 penalty on standardised weights."""
_WEIGHT = {("asked", True): 1.0, ("asked", False): 3.0, ("document", False): 0.5, ("sentence", False): 0.3}
"""Real gaps count most; a document without its gold sentence may still answer elsewhere, so it counts least."""
ODDS = 1.5
"""How many questions have an answer for each that has none: a wrong refusal costs more than a poor quote."""
RATIO, MOST = 0.25, 4


def main() -> int:
    """Make or read the tables, fit, report, and write when asked to."""
    options = _options()
    if options.data and not options.data.is_dir():
        print(f"developer data not found ({options.data}): skipping the check on {options.set}")
        return 0
    tables = _tables(options)
    fitted: dict[str, Any] = {}
    for name, names in (("without_model", WITHOUT_MODEL), ("with_model", FEATURES)):
        narrowed = [replace(table, features=[row[: len(names)] for row in table.features]) for table in tables]
        print(f"\n{name}: {len(narrowed)} tables of {len({table.id for table in narrowed})} questions")
        if options.data:
            report("shipped weights   ", [(table, load_weights(name == "with_model")) for table in narrowed])
            continue
        report("held out by family", held_out(narrowed, names))
        fitted[name] = fit(narrowed, names)
        report("fitted on all     ", [(table, as_weights(fitted[name])) for table in narrowed])
    if options.write and fitted:
        place = Path(fonte.generation.__file__).parent / "quote_weights.json"
        place.write_text(json.dumps(fitted, indent=2) + "\n", encoding="utf-8")
        print(f"\nWritten to {place}")
    return 0


def _tables(options: argparse.Namespace) -> list[Table]:
    if options.tables and options.tables.is_file():
        return [Table(**row) for row in json.loads(options.tables.read_text(encoding="utf-8"))]
    if options.data:
        settings = Settings.load(flags={"language_model": {"model": options.model}})
        models = load_embedder(settings), load_language_model(settings)
        tables = data_tables(options.data, options.set, options.limit, *models)
    else:
        questions = [json.loads(line) for line in options.questions.read_text(encoding="utf-8").splitlines() if line]
        tables = sample_tables(options.corpus, questions, options.model)
    if options.tables:
        options.tables.write_text(json.dumps([asdict(table) for table in tables]), encoding="utf-8")
    return tables


def fit(tables: Sequence[Table], names: Sequence[str]) -> dict[str, Any]:
    """Return weights as the package keeps them, for feature tables with columns `names`."""
    choice = fit_choice(tables, [name for name in CHOICE if name in names])
    order = Linear.of(choice)
    best = [(table, table.matrix[int(np.argmax(order(table.matrix)))]) for table in tables if table.gold]
    right = [table.gold[int(np.argmax(order(table.matrix)))] >= 0 for table in tables if table.gold]
    kept = [(table, row) for (table, row), good in zip(best, right, strict=True) if good or not table.answerable]
    return {
        "choice": choice,
        "answerable": fit_answerable(kept, [name for name in ANSWERABLE if name in names]),
        "ratio": RATIO,
        "most": MOST,
    }


def fit_choice(tables: Sequence[Table], names: Sequence[str]) -> dict[str, float]:
    """Fit a conditional logit: the gold sentences' share of the softmax over a question's candidates, with L2."""
    columns = [FEATURES.index(name) for name in names]
    asked = [
        (table.matrix[:, columns], np.array(table.gold) >= 0) for table in tables if max(table.gold, default=-1) >= 0
    ]
    scale = np.concatenate([matrix for matrix, _ in asked]).std(axis=0) + 1e-9
    asked = [(matrix / scale, gold) for matrix, gold in asked]

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        value, slope = weights @ weights / (2 * STRENGTH), weights / STRENGTH
        for matrix, gold in asked:
            scores = matrix @ weights
            share = np.exp(scores - scores.max())
            share /= share.sum()
            right = share * gold
            value -= np.log(right.sum() + 1e-300)
            slope = slope + (share - right / right.sum()) @ matrix
        return value, slope

    fitted = minimize(loss, np.zeros(len(columns)), jac=True, method="L-BFGS-B").x / scale
    return {name: round(float(weight), 4) for name, weight in zip(names, fitted, strict=True)}


def fit_answerable(rows: Sequence[tuple[Table, NDArray[np.float64]]], names: Sequence[str]) -> dict[str, float]:
    """Fit the log-odds that the best candidate answers; the classes weigh `ODDS` to one in sum."""
    columns = [FEATURES.index(name) for name in names]
    matrix = np.array([row[columns] for _, row in rows])
    scale = matrix.std(axis=0) + 1e-9
    answerable = np.array([table.answerable for table, _ in rows])
    weights = np.array([_WEIGHT[table.variant, table.answerable] for table, _ in rows])
    weights[answerable] *= ODDS * weights[~answerable].sum() / weights[answerable].sum()
    model = LogisticRegression(C=STRENGTH, max_iter=1000).fit(matrix / scale, answerable, weights)
    fitted = {name: round(float(w), 4) for name, w in zip(names, model.coef_[0] / scale, strict=True)}
    return {"intercept": round(float(model.intercept_[0]), 4), **fitted}


def as_weights(values: Mapping[str, Any]) -> QuoteWeights:
    """Return the weights as the package reads them."""
    answerable = {name: weight for name, weight in values["answerable"].items() if name != "intercept"}
    odds = Linear.of(answerable, values["answerable"]["intercept"])
    return QuoteWeights(Linear.of(values["choice"]), odds, values["ratio"], values["most"])


def held_out(tables: Sequence[Table], names: Sequence[str]) -> list[tuple[Table, QuoteWeights]]:
    """Return each table with weights that were fitted on the other families."""
    pairs = []
    for family in sorted({table.family for table in tables}):
        weights = as_weights(fit([table for table in tables if table.family != family], names))
        pairs += [(table, weights) for table in tables if table.family == family]
    return pairs


def report(title: str, pairs: Iterable[tuple[Table, QuoteWeights]]) -> None:
    """Print the figures of tables, each judged by its weights."""
    counts: Counter[str] = Counter()
    for table, weights in pairs:
        named = [Identity(1, 1, frozenset(words)) for words in table.named]
        _count(counts, table, named, weights)
    asked, gaps = counts["asked"], max(counts["gaps"], 1)
    print(
        f"{title} any gold {counts['any'] / asked:.3f}  all gold {counts['all'] / asked:.3f}  "
        f"best is gold {counts['best'] / asked:.3f}  refused {counts['refused'] / asked:.3f}  "
        f"recognised {counts['recognised'] / gaps:.3f}  without document {_part(counts, 'document')}  "
        f"without sentence {_part(counts, 'sentence')}  sentences {counts['shown'] / max(counts['answered'], 1):.2f}"
    )


def _count(counts: Counter[str], table: Table, named: Sequence[Identity], weights: QuoteWeights) -> None:
    found = [Candidate(place[0], place[1], place[2], place[3], "") for place in table.places]
    place = {(one.passage, one.start): index for index, one in enumerate(found)}
    judgment = decide(found, named, table.matrix, weights, len(table.features[0]) == len(FEATURES) if found else False)
    chosen = [
        table.gold[place[judgment.candidates[row].passage, judgment.candidates[row].start]] for row in judgment.chosen
    ]
    right = {gold for gold in chosen if gold >= 0} if judgment.answerable else set()
    if table.variant != "asked":
        counts[f"{table.variant} of"] += 1
        counts[f"{table.variant} recognised"] += not judgment.answerable
    elif table.answerable:
        counts.update({"asked": 1, "any": bool(right), "all": len(right) == table.golds})
        first = judgment.candidates[0]
        counts["best"] += table.gold[place[first.passage, first.start]] >= 0
        counts["refused"] += not judgment.answerable
        counts["answered"] += judgment.answerable
        counts["shown"] += len(chosen) * judgment.answerable
    else:
        counts.update({"gaps": 1, "recognised": not judgment.answerable})


def _part(counts: Counter[str], variant: str) -> str:
    of = counts[f"{variant} of"]
    return f"{counts[f'{variant} recognised'] / of:.3f}" if of else "-"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="folder of the corpus (default: a temporary one)")
    parser.add_argument("--questions", type=Path, default=EXAMPLES / "questions.jsonl")
    parser.add_argument("--model", help="language model: name, folder or hub id (default: the bundled one)")
    parser.add_argument("--tables", type=Path, help="file that keeps the feature tables between runs")
    parser.add_argument(
        "--data", type=Path, help="folder of real data sets: measure the shipped weights on one of them"
    )
    parser.add_argument("--set", choices=["clapnq", "hotpotqa"], default="clapnq")
    parser.add_argument("--limit", type=int, default=100, help="questions of the data set")
    parser.add_argument("--write", action="store_true", help="put the weights fitted on all questions into the package")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
