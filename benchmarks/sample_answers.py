"""Measure answers to the sample questions: is the gold sentence quoted, is every answer cited, are gaps recognised?

    python benchmarks/sample_answers.py                          # the bundled model, mode quote
    python benchmarks/sample_answers.py --mode most_similar      # the sentence nearest to the question, nothing else
    python benchmarks/sample_answers.py --mode write --model DIR # free text, another model
    python benchmarks/sample_answers.py --mode quote --mode write --json

The corpus is built in `--corpus` when it is not there yet. Brackets are 95 % Wilson intervals.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

from fonte import Corpus
from fonte.chunking import sentences
from fonte.settings import Settings

EXAMPLES = Path(__file__).parent.parent / "examples"
COVERED = 0.8
"""Share of a gold quote that a citation must cover to count as having quoted it."""

Span = tuple[str, int, int]


@dataclass(frozen=True)
class Outcome:
    """One question as it was answered; `gold_found` of `gold` quotes were cited."""

    id: str
    kind: str
    answerable: bool
    status: str
    gold: int
    gold_found: int
    sentences: int
    cited: bool
    seconds: float
    answer: str


def main() -> int:
    """Build the corpus, ask everything, print the table."""
    options = _options()
    questions = [json.loads(line) for line in options.questions.read_text(encoding="utf-8").splitlines() if line]
    modes = options.mode or ["quote"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.corpus or Path(scratch) / "corpus"
        results = {mode: _run(mode, folder, questions[:: options.every][: options.limit], options) for mode in modes}
    if options.json:
        print(json.dumps({mode: report(outcomes) for mode, outcomes in results.items()}, ensure_ascii=False, indent=2))
        return 0
    for mode, outcomes in results.items():
        print_table(mode, options.model or "bundled model", report(outcomes))
    return 0


def gold_spans(question: Mapping[str, Any], texts: Mapping[str, str]) -> list[Span]:
    """Return document, start and end of each gold quote; `texts` maps document names to their texts.

    Errors: `ValueError` for a quote that does not stand exactly once in its document, white space aside.
    """
    return [(gold["document"], *locate(gold["quote"], texts[gold["document"]])) for gold in question["gold"]]


def locate(quote: str, text: str) -> tuple[int, int]:
    """Return the only place of `quote` in `text`, any white space standing for any other, in code points."""
    places = [place for place, letter in enumerate(text) if not letter.isspace()]
    plain, wanted = "".join(text[place] for place in places), "".join(quote.split())
    first = plain.find(wanted)
    if first < 0 or plain.find(wanted, first + 1) >= 0:
        raise ValueError(f"Not exactly once in its document: {quote!r}")
    return places[first], places[first + len(wanted) - 1] + 1


def covers(span: Span, cited: Sequence[Span]) -> bool:
    """Return whether one of the cited spans covers at least `COVERED` of `span`."""
    document, start, end = span
    return any(
        name == document and min(end, last) - max(start, first) >= COVERED * (end - start)
        for name, first, last in cited
    )


def report(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the measures of `outcomes`; shares as `[successes, of, low, high]` with 95 % Wilson bounds."""
    asked = [outcome for outcome in outcomes if outcome.answerable]
    gaps = [outcome for outcome in outcomes if not outcome.answerable]
    answered = [outcome for outcome in outcomes if outcome.status == "answered"]
    kinds = sorted({outcome.kind for outcome in asked})
    return {
        "gold_quoted": _share([outcome.gold_found > 0 for outcome in asked]),
        "all_gold_quoted": _share([outcome.gold_found == outcome.gold for outcome in asked]),
        "by_kind": {kind: _share([one.gold_found == one.gold for one in asked if one.kind == kind]) for kind in kinds},
        "answers_cited": _share([outcome.cited for outcome in answered]),
        "unanswerable_recognised": _share([outcome.status == "not_in_sources" for outcome in gaps]),
        "answerable_refused": _share([outcome.status == "not_in_sources" for outcome in asked]),
        "sentences_per_answer": float(np.mean([outcome.sentences for outcome in answered])) if answered else None,
        "seconds_per_question": float(np.median([outcome.seconds for outcome in outcomes])) if outcomes else None,
        "questions": [asdict(outcome) for outcome in outcomes],
    }


def print_table(mode: str, model: str, measures: Mapping[str, Any]) -> None:
    """Print one mode's measures for people."""
    print(f"\n{mode}, {model}")
    for name, value in measures.items():
        if name == "by_kind":
            for kind, share in value.items():
                print(f"  all gold, {kind:<15} {_shown(share)}")
        elif name != "questions":
            print(f"  {name:<25} {_shown(value)}")


def _run(mode: str, folder: Path, questions: Sequence[Mapping[str, Any]], options: argparse.Namespace) -> list[Outcome]:
    flags: dict[str, Any] = {"generation": {"mode": "write" if mode == "write" else "quote"}}
    flags["language_model"] = {"model": options.model}
    with Corpus.open(folder, Settings.load(flags=flags), create=True) as corpus:
        corpus.add([options.documents])
        texts = {entry.document: corpus.records.documents.load(entry.document_id).text for entry in corpus.documents()}
        outcomes = []
        for count, question in enumerate(questions):
            outcomes.append(_ask(mode, corpus, question, texts))
            print(f"\r{mode} {count + 1}/{len(questions)}", end="", file=sys.stderr)
        print(file=sys.stderr)
        return outcomes


def _ask(mode: str, corpus: Corpus, question: Mapping[str, Any], texts: Mapping[str, str]) -> Outcome:
    begun = time.perf_counter()
    if mode == "most_similar":
        status, text, spans = "answered", *_most_similar(corpus, question["question"])
        cited = bool(spans)
    else:
        answer = corpus.ask(question["question"])
        status, text = answer.status, answer.text
        spans = [(one.document, one.source_start, one.source_end) for one in answer.citations if one.quote]
        cited = bool(spans)
    found = sum(covers(span, spans) for span in gold_spans(question, texts))
    return Outcome(
        id=question["id"],
        kind=question["kind"],
        answerable=question["answerable"],
        status=status,
        gold=len(question["gold"]),
        gold_found=found,
        sentences=len(set(spans)),
        cited=cited,
        seconds=round(time.perf_counter() - begun, 3),
        answer=text,
    )


def _most_similar(corpus: Corpus, question: str) -> tuple[str, list[Span]]:
    """Return the retrieved sentence whose vector is nearest to the question's, and its place."""
    places = list(_sentences(corpus, question))
    if not places:
        return "", []
    texts = [text for text, _ in places]
    scores = corpus.index.embedder.embed_documents(texts) @ corpus.index.embedder.embed_query(question)
    text, span = places[int(np.argmax(scores))]
    return text, [span]


def _sentences(corpus: Corpus, question: str) -> Iterator[tuple[str, Span]]:
    for passage in corpus.search(question):
        for start, end in sentences(passage.chunk.text):
            first = passage.chunk.start
            yield passage.chunk.text[start:end], (passage.document, first + start, first + end)


def _share(found: Sequence[bool]) -> list[float] | None:
    if not found:
        return None
    bounds = binomtest(sum(found), len(found)).proportion_ci(method="wilson")
    return [sum(found), len(found), round(bounds.low, 3), round(bounds.high, 3)]


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"{value[0]:.0f}/{value[1]:.0f} = {value[0] / value[1]:.1%}  [{value[2]:.1%}, {value[3]:.1%}]"
    return "-" if value is None else f"{value:.2f}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="folder of the corpus (default: a temporary one)")
    parser.add_argument("--documents", type=Path, default=EXAMPLES / "documents")
    parser.add_argument("--questions", type=Path, default=EXAMPLES / "questions.jsonl")
    parser.add_argument("--mode", action="append", choices=["quote", "write", "most_similar"], help="may be repeated")
    parser.add_argument("--model", help="language model: name, folder or hub id (default: the bundled one)")
    parser.add_argument("--every", type=int, default=1, help="only every so many questions, which keeps the mixture")
    parser.add_argument("--limit", type=int, help="only the first questions")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
