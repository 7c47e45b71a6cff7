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
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sample_answers import EXAMPLES, covers, gold_spans
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

import fonte.generation
from fonte import Corpus
from fonte.generation.quote_candidates import candidates
from fonte.generation.quote_identity import Identity, identities
from fonte.generation.quote_judgment import READ_BY_MODEL, cheap_table, decide, gain_columns
from fonte.generation.quote_weights import FEATURES, WITHOUT_MODEL, Linear, QuoteWeights, load_weights
from fonte.settings import Settings
from fonte.values import Passage

CHOICE = ("cosine_in_context", "coverage", "codes", "own_codes", "number", "question_gain")
ANSWERABLE = ("cosine_in_context", "coverage", "codes", "names", "own_codes", "question_gain", "question_gain_low")
STRENGTH = 1.0
"""Inverse strength of the L2 penalty on standardised weights."""
RATIO, MOST = 0.4, 4


@dataclass(frozen=True)
class Table:
    """The candidates of one question in one variant. `gold[i]` is the gold quote that candidate i holds, else -1."""

    id: str
    family: str
    variant: str
    answerable: bool
    golds: int
    gold: list[int]
    features: list[list[float]]
    named: list[list[str]]
    places: list[list[Any]]

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The features as an array [candidate, feature]."""
        return np.array(self.features, dtype=np.float64).reshape(len(self.gold), -1)


def main() -> int:
    """Make or read the tables, fit, report, and write when asked to."""
    options = _options()
    if options.tables and options.tables.is_file():
        rows = json.loads(options.tables.read_text(encoding="utf-8"))
        tables = [Table(**row) for row in rows]
    else:
        tables = make_tables(options)
        if options.tables:
            options.tables.write_text(json.dumps([asdict(table) for table in tables]), encoding="utf-8")
    weights = {}
    for name, names in (("without_model", WITHOUT_MODEL), ("with_model", FEATURES)):
        narrowed = [_narrow(table, len(names)) for table in tables]
        print(f"\n{name}: {len(narrowed)} tables of {len({table.id for table in narrowed})} questions")
        report("held out by family", held_out(narrowed, names))
        weights[name] = fit(narrowed, names)
        fitted = as_weights(weights[name])
        report("fitted on all     ", [(table, fitted) for table in narrowed])
    if options.write:
        place = Path(fonte.generation.__file__).parent / "quote_weights.json"
        place.write_text(json.dumps(weights, indent=2) + "\n", encoding="utf-8")
        print(f"\nWritten to {place}")
    return 0


def make_tables(options: argparse.Namespace) -> list[Table]:
    """Ask every question in every variant of the corpus; one table each."""
    questions = [json.loads(line) for line in options.questions.read_text(encoding="utf-8").splitlines() if line]
    flags = {"retrieval": {"passages": 60}, "language_model": {"model": options.model}}
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.corpus or Path(scratch) / "corpus"
        with Corpus.open(folder, Settings.load(flags=flags), create=True) as corpus:
            corpus.add([EXAMPLES / "documents"])
            texts = {entry.name: corpus.records.documents.load(entry.document_id).text for entry in corpus.documents()}
            family = _families(questions, texts)
            tables = []
            for count, question in enumerate(questions):
                tables += _variants(corpus, question, gold_spans(question, texts), family[question["id"]])
                print(f"\rfeatures {count + 1}/{len(questions)}", end="", file=sys.stderr)
            print(file=sys.stderr)
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
    """Fit the log-odds that the best candidate answers; both classes weigh the same."""
    columns = [FEATURES.index(name) for name in names]
    matrix = np.array([row[columns] for _, row in rows])
    scale = matrix.std(axis=0) + 1e-9
    model = LogisticRegression(C=STRENGTH, class_weight="balanced", max_iter=1000)
    model.fit(matrix / scale, [table.answerable for table, _ in rows])
    weights = {name: round(float(w), 4) for name, w in zip(names, model.coef_[0] / scale, strict=True)}
    return {"intercept": round(float(model.intercept_[0]), 4), **weights}


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
        named = [Identity(1, 1, 1, 0, frozenset(words)) for words in table.named]
        _count(counts, table, named, weights)
    asked, gaps = counts["asked"], counts["gaps"]
    print(
        f"{title} any gold {counts['any'] / asked:.3f}  all gold {counts['all'] / asked:.3f}  "
        f"best is gold {counts['best'] / asked:.3f}  refused {counts['refused'] / asked:.3f}  "
        f"recognised {counts['recognised'] / gaps:.3f}  without document {_part(counts, 'document')}  "
        f"without sentence {_part(counts, 'sentence')}  sentences {counts['shown'] / max(counts['answered'], 1):.2f}"
    )


def _count(counts: Counter[str], table: Table, named: Sequence[Identity], weights: QuoteWeights) -> None:
    from fonte.generation.quote_candidates import Candidate

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


def _variants(corpus: Corpus, question: Mapping[str, Any], gold: Sequence[Any], family: str) -> list[Table]:
    """Return the tables of one question: as asked, without its documents, without its sentences."""
    everything = corpus.search(question["question"])
    documents = {name for name, _, _ in gold}
    cut: list[tuple[str, Callable[[Passage], bool], bool]] = [("asked", lambda _: True, False)]
    if gold:
        cut.append(("document", lambda passage: passage.document not in documents, False))
        cut.append(("sentence", lambda _: True, True))
    tables = []
    for variant, keep, without in cut:
        passages = [passage for passage in everything if keep(passage)][:10]
        tables.append(_table(corpus, question, passages, gold, (family, variant, without)))
    return tables


def _table(
    corpus: Corpus,
    question: Mapping[str, Any],
    passages: Sequence[Passage],
    gold: Sequence[Any],
    kind: tuple[str, str, bool],
) -> Table:
    family, variant, without_gold = kind
    found = candidates(passages)
    marks = [_gold_of((passages[one.passage].document, one.start, one.end), gold) for one in found]
    if without_gold:
        found = [one for one, mark in zip(found, marks, strict=True) if mark < 0]
        marks = [-1] * len(found)
    named = identities(question["question"], passages, found)
    table = cheap_table(question["question"], passages, found, named, corpus.index.embedder)
    keep = np.argsort(-load_weights(False).choice(table), kind="stable")[:READ_BY_MODEL]
    found, named, marks = [found[row] for row in keep], [named[row] for row in keep], [marks[row] for row in keep]
    if found:
        table = np.column_stack([table[keep], gain_columns(question["question"], found, corpus.language_model)])
    return Table(
        id=question["id"],
        family=family,
        variant=variant,
        answerable=question["answerable"] and variant == "asked",
        golds=len(gold),
        gold=marks,
        features=[[round(float(value), 5) for value in row] for row in table],
        named=[sorted(identity.named) for identity in named],
        places=[[one.passage, one.start, one.end, one.text] for one in found],
    )


def _gold_of(span: tuple[str, int, int], gold: Sequence[tuple[str, int, int]]) -> int:
    return next((index for index, wanted in enumerate(gold) if covers(wanted, [span])), -1)


def _narrow(table: Table, columns: int) -> Table:
    return Table(**{**asdict(table), "features": [row[:columns] for row in table.features]})


def _families(questions: Sequence[Mapping[str, Any]], texts: Mapping[str, str]) -> dict[str, str]:
    """Return the family of each question.

    It is the first word that its gold document's name shares with others, else the document's folder. An unanswerable
    question belongs to the family that it names, else to "other".
    """
    stems = {name: Path(name).stem.split("-")[0] for name in texts}
    common = {stem for stem, count in Counter(stems.values()).items() if count > 1}
    families = {}
    for question in questions:
        if question["gold"]:
            name = question["gold"][0]["document"]
            families[question["id"]] = stems[name] if stems[name] in common else str(Path(name).parent)
        else:
            asked = question["question"].casefold()
            families[question["id"]] = next((stem for stem in sorted(common) if stem in asked), "other")
    return families


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="folder of the corpus (default: a temporary one)")
    parser.add_argument("--questions", type=Path, default=EXAMPLES / "questions.jsonl")
    parser.add_argument("--model", help="language model: name, folder or hub id (default: the bundled one)")
    parser.add_argument("--tables", type=Path, help="file that keeps the feature tables between runs")
    parser.add_argument("--write", action="store_true", help="put the weights fitted on all questions into the package")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
