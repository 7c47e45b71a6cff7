"""Measure the search: latency with and without embedding the question, memory, recall of the vector index.

    python benchmarks/search.py [--sizes 1000,10000,100000] [--data DIR] [--cache DIR] [--json]

Texts are real passages from the `.jsonl` and `.jsonl.gz` files below `--data` (fields `text`, `passages`, `title`; cut
into pieces of at most `--characters`, duplicates left out), else generated from sentences of many kinds. Every text
is embedded by the default embedder; nothing is interpolated or repeated. With `--cache` vectors are kept between runs:
100,000 short texts take ten minutes and more on two cores. Questions are the fields `question` and `claim` of the
data, else generated ones: 220, of which the first 20 warm up; 120 of them are also embedded inside the clock. Each
size and mode is measured in a process of its own: resident memory is that of this process, before and after it has
loaded the embedder. Run it on an idle machine; the load before the run is part of the report.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from fonte.chunking import embedded_text, keyword_text
from fonte.models import load_embedder
from fonte.retrieval import LanceStore, Row, retrieve
from fonte.settings import RetrievalSettings, Settings
from fonte.values import Chunk, content_id

CHUNKS_PER_DOCUMENT = 20
ROWS_PER_WRITE = 1000
GOAL_MILLISECONDS = 60.0
GOAL_MEGABYTES = 1500.0
MODES = ("hybrid", "dense", "lexical")
PIECE = 600
QUESTIONS = 220
WARM_UP = 20
EMBEDDED_QUESTIONS = 120


def main() -> None:
    """Build a store per size, measure each in a fresh process, print the report."""
    arguments = _arguments()
    if arguments.measure:
        print(json.dumps(_measure(arguments.measure, arguments.mode)))
        return
    sizes = sorted(map(int, arguments.sizes.split(",")))
    texts, questions = _texts(arguments.data, max(sizes), arguments.characters)
    embedder = load_embedder(Settings(embedder={"dtype": arguments.dtype}))
    room = embedder.window - embedder.special_tokens
    texts = [text for text, tokens in zip(texts, embedder.count_tokens(texts), strict=True) if tokens <= room]
    if len(texts) < max(sizes):
        raise SystemExit(f"{len(texts)} distinct texts are too few for {max(sizes)}: give --data or smaller --sizes")
    vectors = _embedded(texts[: max(sizes)], embedder, arguments.dtype, arguments.cache)
    asked = Questions(questions, np.stack([embedder.embed_query(question) for question in questions]))
    load = round(os.getloadavg()[0], 1)
    with tempfile.TemporaryDirectory() as folder:
        reports = [_report(Path(folder), size, texts, vectors, asked) for size in sizes]
    result = {
        "texts": f"{'real' if arguments.data else 'generated'}, distinct, at most {arguments.characters} characters, "
        f"each embedded by {embedder.name} in {arguments.dtype}",
        "cores": os.cpu_count(),
        "load_before": load,
        "sizes": reports,
    }
    print(json.dumps(result, indent=2) if arguments.json else _table(result))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--characters", type=int, default=PIECE, help="longest text")
    parser.add_argument("--dtype", default="float32", help="format in which the embedder computes")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--mode", default="hybrid", choices=MODES)
    return parser.parse_args()


@dataclass(frozen=True, eq=False)
class Questions:
    """What is asked, with float32 [question, dimension] vectors."""

    texts: list[str]
    vectors: np.ndarray


def _report(folder: Path, size: int, texts: list[str], vectors: np.ndarray, questions: Questions) -> dict[str, Any]:
    _progress(f"{size} chunks: writing")
    start = time.perf_counter()
    store = LanceStore.create(folder / str(size), vectors.shape[1], "benchmark")
    for first in range(0, size, ROWS_PER_WRITE):
        store.replace_documents(_documents(texts, vectors, first, min(first + ROWS_PER_WRITE, size)))
    written = time.perf_counter()
    store.maintain()
    stats = store.stats()
    seconds = {"write": round(written - start, 2), "maintain": round(time.perf_counter() - written, 2)}
    (store.path / "questions.json").write_text(json.dumps(questions.texts))
    np.save(store.path / "question_vectors.npy", questions.vectors)
    np.save(store.path / "vectors.npy", vectors[:size])
    del store
    _progress(f"{size} chunks: searching")
    report: dict[str, Any] = {"chunks": size, "seconds": seconds, "store_megabytes": round(stats.bytes / 1e6, 1)}
    report |= {"vector_index": stats.vector_index, "unindexed_rows": stats.unindexed_rows}
    for mode in MODES:
        command = [sys.executable, __file__, "--measure", str(folder / str(size)), "--mode", mode]
        report[mode] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    report["recall_at_10"] = report["dense"].pop("recall_at_10")
    report["goal_met"] = (
        report["hybrid"]["median_ms"] <= GOAL_MILLISECONDS
        and report["hybrid"]["rss_mb_with_embedder"] <= GOAL_MEGABYTES
    )
    return report


def _documents(texts: list[str], vectors: np.ndarray, first: int, last: int) -> dict[str, list[Row]]:
    documents: dict[str, list[Row]] = {}
    for position in range(first, last):
        name = f"document {position // CHUNKS_PER_DOCUMENT}"
        ordinal, text = position % CHUNKS_PER_DOCUMENT, texts[position]
        chunk = Chunk(content_id(name), "1", "benchmark", ordinal, ordinal * PIECE, ordinal * PIECE + len(text), text)
        row = Row(chunk, name, vectors[position], embedded_text(chunk), keyword_text(chunk))
        documents.setdefault(chunk.document_id, []).append(row)
    return documents


class _KnownVectors:
    """Questions that were embedded before the clock starts."""

    def __init__(self, vectors: dict[str, np.ndarray]) -> None:
        self._vectors = vectors

    def embed_query(self, text: str) -> np.ndarray:
        """Return the vector of a known question."""
        return self._vectors[text]


def _measure(path: Path, mode: str) -> dict[str, float]:
    questions: list[str] = json.loads((path / "questions.json").read_text())
    vectors = np.load(path / "question_vectors.npy")
    store = LanceStore.open(path)
    settings = RetrievalSettings(mode=mode)
    report = _latencies(store, _KnownVectors(dict(zip(questions, vectors, strict=True))), questions, settings)
    report["rss_mb"] = round(psutil.Process().memory_info().rss / 1e6)
    if mode == "hybrid":
        embedder = load_embedder(Settings())
        both = _latencies(store, embedder, questions[:EMBEDDED_QUESTIONS], settings)
        report |= {f"{name}_with_embedding": value for name, value in both.items()}
        report["rss_mb_with_embedder"] = round(psutil.Process().memory_info().rss / 1e6)
    if mode == "dense":
        report["recall_at_10"] = round(_recall(store, np.load(path / "vectors.npy"), vectors), 4)
    return report


def _latencies(store: LanceStore, embedder: Any, questions: list[str], settings: RetrievalSettings) -> dict[str, float]:
    milliseconds = []
    for question in questions:
        start = time.perf_counter()
        retrieve(store, embedder, question, settings)
        milliseconds.append(1000 * (time.perf_counter() - start))
    counted = milliseconds[WARM_UP:]
    return {"median_ms": round(np.median(counted), 1), "p99_ms": round(np.percentile(counted, 99), 1)}


def _recall(store: LanceStore, vectors: np.ndarray, questions: np.ndarray) -> float:
    """Return the share of each question's first ten that are among the ten highest cosines, or tie with the tenth."""
    kept = 0
    for question in questions:
        tenth = np.partition(vectors @ question, -10)[-10]
        kept += sum(hit.score >= tenth - 1e-5 for hit in store.search_dense(question, 10))
    return kept / (10 * len(questions))


def _embedded(texts: list[str], embedder: Any, dtype: str, cache: Path | None) -> np.ndarray:
    blocks = []
    for first in range(0, len(texts), ROWS_PER_WRITE):
        block = texts[first : first + ROWS_PER_WRITE]
        content = "\x00".join([embedder.fingerprint, dtype, *block]).encode("utf-8", "surrogatepass")
        key = hashlib.sha256(content).hexdigest()
        file = cache / f"{key[:32]}.npy" if cache else None
        if file and file.exists():
            blocks.append(np.load(file))
            continue
        _progress(f"embedding {first + len(block)} of {len(texts)}")
        blocks.append(embedder.embed_documents(block))
        if file:
            file.parent.mkdir(parents=True, exist_ok=True)
            np.save(file, blocks[-1])
    return np.concatenate(blocks)


def _texts(data: Path | None, wanted: int, characters: int) -> tuple[list[str], list[str]]:
    chance = random.Random(7)
    if data is None:
        texts = list(islice(_distinct(_generated_texts(chance)), wanted + wanted // 10))
        return texts, list(islice(_distinct(_generated_questions(chance)), QUESTIONS))
    rows = [row for file in sorted(data.rglob("*.jsonl*")) if file.suffix in (".gz", ".jsonl") for row in _rows(file)]
    texts = list(_distinct(piece for row in rows for text in _row_texts(row) for piece in _pieces(text, characters)))
    questions = list(_distinct(str(row[key]) for row in rows for key in ("question", "claim") if row.get(key)))
    chance.shuffle(texts)
    chance.shuffle(questions)
    return texts[: wanted + wanted // 10], questions[:QUESTIONS]


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
        yield from (row for row in map(json.loads, lines) if isinstance(row, dict))


def _row_texts(row: dict[str, Any]) -> Iterator[str]:
    for part in [row, *(part for part in row.get("passages") or [] if isinstance(part, dict))]:
        if isinstance(part.get("text"), str):
            yield " ".join(filter(None, (part.get("case_name"), part.get("doc"), part.get("title"), part["text"])))
    yield from (text for text in row.get("evidence") or [] if isinstance(text, str))


def _pieces(text: str, size: int) -> Iterator[str]:
    words = " ".join(text.split())
    return (words[start : start + size] for start in range(0, len(words), size) if len(words) - start > 60)


def _distinct(texts: Iterator[str]) -> Iterator[str]:
    seen: set[str] = set()
    for text in texts:
        if text not in seen:
            seen.add(text)
            yield text


_THINGS = """boiler ventilator dishwasher tenancy licence appeal vaccine enzyme harbour ferry violin parliament mortgage
compressor filter inverter glacier orchard satellite archive ledger warranty employee patent bridge kidney market
railway theatre vineyard battery thermostat witness contract reservoir novel election museum turbine insulin"""
_PLACES = "Trieste Bergen Lyon Osaka Quito Galway Tartu Izmir Nairobi Valdivia Halifax Utrecht Porto Graz Perth"
_PEOPLE = "Marchetti Okafor Lindqvist Haddad Novak Tanaka Oyelaran Ferreira Kowalska Brandt Iyer Castellano"
_VERBS = "inspect mend measure record adjourn reject describe restore repaint deliver suspend vet"
_SENTENCES = (
    "Press and hold the {code} key of the {thing} for {number} seconds until the lamp goes out.",
    "Error {code} means that the {thing} has reached {number} degrees and must be {verb}ed.",
    "The court in {place} held that the {thing} of Mr {person} had been {verb}ed without notice in {year}.",
    "In {year} {person} and others had to {verb} {number} samples of the {thing} in a study at {place}.",
    "The {thing} shall be {verb}ed within {number} days after the {other} has been delivered to {place}.",
    "{person} was born in {place} in {year} and became known for a book about the {thing} and the {other}.",
    "Between {year} and today the price of a {thing} in {place} fell by {number} per cent.",
    "Before you {verb} the {thing}, switch off the {other} and note model {code}.",
    "Article {number} allows the owner of a {thing} to {verb} the {other} at any time.",
    "Patients with a damaged {thing} were given {number} milligrams; see table {code} for the {other}.",
)
_QUESTIONS = (
    "How long do I hold the {code} key of the {thing}?",
    "What did the court in {place} say about the {thing} of {person}?",
    "What does error {code} mean for my {thing}?",
    "When was {person} born?",
    "How far did the price of a {thing} fall in {place} after {year}?",
    "May the owner of a {thing} {verb} the {other}?",
)


def _words(chance: random.Random) -> dict[str, Any]:
    return {
        "thing": chance.choice(_THINGS.split()),
        "other": chance.choice(_THINGS.split()),
        "place": chance.choice(_PLACES.split()),
        "person": chance.choice(_PEOPLE.split()),
        "verb": chance.choice(_VERBS.split()),
        "number": chance.randint(2, 997),
        "year": chance.randint(1890, 2024),
        "code": f"{chance.choice('ABCDEFGHKLMNP')}{chance.randint(1, 99):02d}{chance.choice(['', '-X', 'B', '/2'])}",
    }


def _generated_texts(chance: random.Random) -> Iterator[str]:
    while True:
        yield " ".join(chance.choice(_SENTENCES).format(**_words(chance)) for _ in range(chance.randint(2, 6)))


def _generated_questions(chance: random.Random) -> Iterator[str]:
    while True:
        yield chance.choice(_QUESTIONS).format(**_words(chance))


def _table(result: dict[str, Any]) -> str:
    lines = [f"texts: {result['texts']}; {result['cores']} cores, load before {result['load_before']}", ""]
    lines.append("| chunks | mode | median ms | p99 ms | with embedding: median | p99 | RSS MB | with embedder |")
    lines.append("|---|---|---|---|---|---|---|---|")
    columns = (
        "median_ms",
        "p99_ms",
        "median_ms_with_embedding",
        "p99_ms_with_embedding",
        "rss_mb",
        "rss_mb_with_embedder",
    )
    for report in result["sizes"]:
        for mode in MODES:
            cells = [str(report[mode].get(name, "")) for name in columns]
            lines.append(f"| {report['chunks']} | {mode} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *map(_summary, result["sizes"])])


def _summary(report: dict[str, Any]) -> str:
    return (
        f"{report['chunks']} chunks: vector index {report['vector_index']}, recall@10 {report['recall_at_10']}, store "
        f"{report['store_megabytes']} MB, seconds {report['seconds']}, "
        f"goals {'met' if report['goal_met'] else 'MISSED'}"
    )


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
