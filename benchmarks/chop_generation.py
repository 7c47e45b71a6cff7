"""Does a chunk that knows its document give better answers? Fixed chunks against cascade CHOP at 1, 3, 5, 10 passages.

    python benchmarks/chop_generation.py --data DIR --results FILE.jsonl --cache DIR [--limit N] [--model NAME]
    python benchmarks/chop_generation.py --results FILE.jsonl --report [--json]

The counterpart of CHOP's second table. Questions of the quick ten `galaxy` manuals, a file each; `--limit` of them,
drawn by `--seed` (a higher limit keeps those of a lower one). `fixed` is the paper's baseline at the window of the
default embedder (478 tokens, 96 of them shared), `cascade` paragraphs signed by the cascade, `unsigned` (not by
default) the same paragraphs without a signature. A generator sees a passage as `fonte ask` shows it: the signature,
then the text.

`token_f1`, `rouge_l` and `bertscore` (the default embedder's token vectors) are against the gold answer; an answer that
is withheld scores 0, and `answered` is the share that is not. `unsupported` is the share of an answer's sentences that
no shown passage supports, by `--support` (a model's name or folder; default the quote overlap, no model); answers
without a sentence have none. Mode `write` is the paper's; in mode `quote` every sentence is a passage's own.
`gold_shown`: the share of questions whose gold section is among the passages.

One line per question, K and chunker in `--results`; what stands there is not made again, and with another `--support`
only judged anew. `--report` reads that file and nothing else. Brackets are 95 % intervals by bootstrap over devices and
questions; `comparisons` are cascade minus fixed on the same questions, with a paired permutation test.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import chop_retrieval as retrieval
from chop_cutting import common, cut_by
from chop_generation_rows import printed, report
from chop_grid import OVERLAP, RESERVE, WINDOW
from chop_sets import load_set
from chop_signing import Signed, sign_cascade, unsigned
from chop_streams import Question
from chop_vectors import Vectors

from fonte.chunking import prompt_signature, sentences
from fonte.citations.support import UNSUPPORTED, SupportScorer, load_support
from fonte.generation.answering import write_answer
from fonte.generation.events import Event, Finished, TextShown
from fonte.generation.quote import quote_answer
from fonte.measures import bert_score, rouge_l, token_f1
from fonte.measures.token_encoder import TokenEncoder
from fonte.models import Embedder, LocalLanguageModel
from fonte.settings import DEFAULT_EMBEDDER, DEFAULT_LANGUAGE_MODEL, GenerationSettings
from fonte.values import Passage, Place

CHUNKERS = ("fixed", "cascade", "unsigned")
SAME_ANSWER = ("question", "k", "chunker", "index", "model", "mode", "max_tokens", "passages")


def main() -> int:
    """Answer and measure what the results do not hold yet, and print the report."""
    options = _options()
    rows = _known(options.results)
    if not options.report:
        if not options.data or not (options.data / "galaxy").is_dir():
            raise SystemExit(f"developer data not found ({options.data}/galaxy): skipping")
        for row in Answers(options).missing(rows):
            rows.append(row)
            _keep(options.results, row)
    if not rows:
        raise SystemExit("There is nothing to report: no results yet.")
    found = report(rows)
    print(json.dumps(found) if options.json else printed(found))
    return 0


@dataclass(frozen=True)
class Shown:
    """One chunker's index: the chunks in the order found for each question, and which of them are gold."""

    signed: Signed
    rankings: list[list[int]]
    gold: list[set[int]]

    def passages(self, question: int, k: int) -> list[Passage]:
        """Return the first `k` chunks for a question, as passages."""
        cut, found = self.signed.cut, self.rankings[question][:k]
        return [
            Passage(cut.chunks[chunk], cut.texts[cut.where[chunk]].document.name, 1.0 / rank)
            for rank, chunk in enumerate(found, start=1)
        ]

    def shows_gold(self, question: int, k: int) -> bool:
        """Return whether a gold chunk is among the first `k`."""
        return bool(self.gold[question] & set(self.rankings[question][:k]))


class Answers:
    """Answers the drawn questions at each K from each chunker's passages."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        setup = load_set("galaxy", options.data, quick=True)["files"]
        drawn = list(setup.questions)
        random.Random(options.seed).shuffle(drawn)
        self._questions: Sequence[Question] = drawn[: options.limit]
        self._texts = setup.texts(options.seed)
        self._embedder = Embedder.from_pretrained(DEFAULT_EMBEDDER, window=WINDOW, dtype=options.dtype)
        self._vectors = Vectors(self._embedder, options.dtype, options.cache)
        self._settings = GenerationSettings(mode=options.mode, max_tokens=options.max_tokens)

    def missing(self, known: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield the rows that `known` lacks, question by question, so that what is there is always balanced."""
        support = self._support.name
        answered = {_key(row): row for row in known}
        judged = {(_key(row), row["support"]) for row in known}
        shown = {name: self._shown(name) for name in self._options.chunkers.split(",")}
        wanted = [
            (number, k, name)
            for number in range(len(self._questions))
            for k in map(int, self._options.k.split(","))
            for name in shown
        ]
        begun, made = time.perf_counter(), 0
        for position, (number, k, name) in enumerate(wanted, start=1):
            passages = shown[name].passages(number, k)
            row = self._row(number, k, name, passages) | {"gold_shown": shown[name].shows_gold(number, k)}
            if (_key(row), support) in judged:
                continue
            old = answered.get(_key(row))
            said = {key: old[key] for key in ("status", "answer", "seconds")} if old else self._answer(number, passages)
            made += 1
            left = (time.perf_counter() - begun) / made * (len(wanted) - position) / 60
            print(f"{position} of {len(wanted)}, at most {left:.1f} minutes left", file=sys.stderr, flush=True)
            yield row | said | self._measures(number, said["answer"], passages)

    def _shown(self, name: str) -> Shown:
        if name == "fixed":
            signed = unsigned(cut_by("fixed", self._texts, self._embedder, RESERVE, OVERLAP))
        else:
            cut = common(self._texts, self._embedder, WINDOW - RESERVE - self._embedder.special_tokens)
            signed = sign_cascade(self._texts, cut) if name == "cascade" else unsigned(cut)
        asked, index = [question.text for question in self._questions], self._options.index
        rankings: list[list[list[int]]] = []
        if index in ("dense", "hybrid"):
            rankings.append(retrieval.dense(self._vectors.of(signed.embedded, name), self._vectors.of(asked)))
        if index in ("lexical", "hybrid"):
            rankings.append(retrieval.lexical(signed.keywords, asked))
        found = retrieval.hybrid(*rankings) if index == "hybrid" else rankings[0]
        return Shown(signed, found, signed.cut.gold(self._questions))

    def _row(self, number: int, k: int, name: str, passages: Sequence[Passage]) -> dict[str, Any]:
        question, options = self._questions[number], self._options
        return {
            "question": question.id,
            "topic": question.topic,
            "device": question.device,
            "k": k,
            "chunker": name,
            "index": options.index,
            "model": options.model.rstrip("/").rpartition("/")[2],
            "mode": options.mode,
            "max_tokens": options.max_tokens,
            "passages": [passage.id for passage in passages],
        }

    def _answer(self, number: int, passages: Sequence[Passage]) -> dict[str, Any]:
        """Return status and text of an answer without its markers, and the seconds that it took."""
        begun = time.perf_counter()
        events = list(self._events(self._questions[number].text, passages))
        text = "".join(event.text for event in events if isinstance(event, TextShown))
        status = next(event.status for event in reversed(events) if isinstance(event, Finished))
        return {"status": status, "answer": text.strip(), "seconds": round(time.perf_counter() - begun, 2)}

    def _events(self, question: str, passages: Sequence[Passage]) -> Iterator[Event]:
        def place(passage: Passage, start: int, end: int) -> Place:
            return Place()

        if self._options.mode == "quote":
            return quote_answer(question, passages, self._model, self._embedder, self._settings, place)
        return write_answer(question, passages, self._model, self._settings, place)

    def _measures(self, number: int, answer: str, passages: Sequence[Passage]) -> dict[str, Any]:
        gold = [self._questions[number].answer]
        pieces = [line[start:end] for line in answer.splitlines() for start, end in sentences(line)]
        said = [piece for piece in pieces if any(map(str.isalpha, piece))]  # not the number of a step that was cut off
        read = [prompt_signature(passage.chunk) + passage.chunk.text for passage in passages]
        best = [max(self._support([(text, sentence) for text in read]), default=0.0) for sentence in said]
        return {
            "token_f1": token_f1(answer, gold).value,
            "rouge_l": rouge_l(answer, gold).value,
            "bertscore": bert_score(answer, gold, self._encode).value,
            "support": self._support.name,
            "sentences": len(said),
            "unsupported": sum(value <= UNSUPPORTED for value in best) / len(said) if said else None,
        }

    @cached_property
    def _model(self) -> LocalLanguageModel:
        return LocalLanguageModel.from_pretrained(self._options.model)

    @cached_property
    def _support(self) -> SupportScorer:
        return load_support(self._options.support)

    @cached_property
    def _encode(self) -> TokenEncoder:
        return TokenEncoder.from_pretrained(DEFAULT_EMBEDDER)


def _key(row: dict[str, Any]) -> str:
    return json.dumps([row[name] for name in SAME_ANSWER])


def _known(path: Path | None) -> list[dict[str, Any]]:
    """Return the rows of a results file; a line that a kill cut short is left out."""
    if path is None or not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.endswith("}")]


def _keep(path: Path | None, row: dict[str, Any]) -> None:
    if path is None:
        return
    torn = path.is_file() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" * torn + json.dumps(row, ensure_ascii=False) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--limit", type=int, help="so many questions, drawn by the seed (default: all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--k", default="1,3,5,10", help="numbers of passages, separated by commas")
    parser.add_argument("--chunkers", default="fixed,cascade", help=f"of {', '.join(CHUNKERS)}")
    parser.add_argument("--index", default="hybrid", choices=["dense", "lexical", "hybrid"])
    parser.add_argument("--model", default=DEFAULT_LANGUAGE_MODEL, help="a downloaded model's name, or a folder")
    parser.add_argument("--mode", default="write", choices=["quote", "write"])
    parser.add_argument("--max-tokens", type=int, default=128, help="of an answer in mode write")
    parser.add_argument("--support", help="a support model's name or folder (default: the quote overlap)")
    parser.add_argument("--dtype", default="bfloat16", choices=["float32", "bfloat16"], help="of the embedder")
    parser.add_argument("--cache", type=Path, help="keeps vectors; the same folder as that of chop.py")
    parser.add_argument("--results", type=Path, help="keep rows here (JSONL) and go on from them")
    parser.add_argument("--report", action="store_true", help="only read --results")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
