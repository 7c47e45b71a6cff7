"""The approximate vector index: built when comparing every vector takes too long, kept only while it is right.

Chosen by measurement on 100,000 × 384 clustered unit vectors (2 busy cores; recall@10 against exact, best 50 read):

| index | build | recall | median |
|---|---|---|---|
| none (flat) | - | 1 | 170–250 ms |
| IVF_RQ, 1 partition, refined | 2 s | 1.00 | 9–12 ms |
| IVF_SQ, 256 partitions, 20 probed, refined | 27 s | .999 | 14 ms |
| IVF_PQ, 64 partitions, 40 probed, refined | 159 s | .978 | 23 ms |
| HNSW_SQ, refined | 114 s | 1.00 | 11 ms |

RaBitQ codes (one bit per dimension) are a scan of 1/32 of the bytes, re-scored with the real vectors. Every partition
is probed: no cluster can hide a neighbour, which suits filters and questions that look unlike the passages. It is also
necessary. Lance splits partitions on its own when it adds rows: one that was verified with a single probe then found
38 % of the nearest ten.
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from lancedb.index import IvfRq

from fonte.retrieval.files import read_text, write_atomically
from fonte.retrieval.store import Vector

FLAT_SECONDS = 0.030
"""A flat scan that takes longer gets an index."""

RECALL = 0.99
"""Least recall@10 on the sample, for at least .98 beyond it; an index that stays below is dropped."""

INDEX_NAME = "vector_idx"
KIND = "IVF_RQ"
_EVERY_PARTITION = 1 << 16
_MAX_SEGMENTS = 8
_CANDIDATES = (100, 200, 400, 800)
_MIN_ROWS = 256
_SAMPLE = 48
_DEPTH = 10
_GROWTH = 1.25


@dataclass(frozen=True)
class Tuning:
    """How a verified index is searched: at least `candidates` rows are re-scored with their real vectors.

    `recall` is the recall@10 that was measured at `rows` rows. `candidates` 0 remembers that no index was good enough
    there, so that it is not built in vain each time.
    """

    candidates: int
    recall: float
    rows: int

    def fits(self, rows: int, segments: int) -> bool:
        """Return whether this still holds for a table of `rows` rows whose index is in so many pieces (0: none)."""
        alike = rows <= self.rows * _GROWTH and self.rows <= rows * _GROWTH
        return alike and segments <= _MAX_SEGMENTS and bool(segments) == bool(self.candidates)


def read_tuning(file: Path) -> Tuning | None:
    """Return the tuning of the verified index, None where there is none: then every vector is compared."""
    last = _last_attempt(file)
    return last if last is not None and last.candidates else None


def _last_attempt(file: Path) -> Tuning | None:
    text = read_text(file)
    try:
        return Tuning(**json.loads(text)) if text else None
    except (ValueError, TypeError):
        return None  # a torn or foreign file: the index is verified again by the next maintenance


def nearest(table: Any, vector: Vector, k: int, tuning: Tuning | None) -> Any:
    """Return the query for the `k` rows nearest to `vector` (unit length); `_distance` is 1 - cosine."""
    query = table.search(vector, vector_column_name="vector").distance_type("dot").limit(k)
    if tuning is None:
        return query.bypass_vector_index()
    return query.nprobes(_EVERY_PARTITION).refine_factor(max(2, math.ceil(tuning.candidates / k)))


def update_vector_index(table: Any, file: Path, flat_seconds: float = FLAT_SECONDS) -> None:
    """Build, verify again or drop the vector index, whichever the table needs; `file` holds the tuning.

    An index that was verified at 4/5 to 5/4 of the present rows, and is not in many pieces, is left alone.
    """
    rows = table.count_rows()
    last = _last_attempt(file)
    segments = sum(index.num_segments or 1 for index in table.list_indices() if index.name == INDEX_NAME)
    if last is not None and last.fits(rows, segments):
        return
    if rows < _MIN_ROWS or (not segments and flat_latency(table) <= flat_seconds):
        drop_vector_index(table, file)
        return
    tuned = _tune(table, rows) if 0 < segments <= _MAX_SEGMENTS else Tuning(0, 0.0, rows)
    if not tuned.candidates:
        build_vector_index(table)
        tuned = _tune(table, rows)
    if not tuned.candidates:
        drop_vector_index(table, file)
    write_atomically(file, json.dumps(asdict(tuned)))


def build_vector_index(table: Any) -> None:
    """Build the index anew, in place of the one that is there."""
    table.create_index("vector", config=IvfRq(distance_type="dot", num_partitions=1), replace=True)


def drop_vector_index(table: Any, file: Path) -> None:
    """Go back to comparing every vector."""
    file.unlink(missing_ok=True)
    if any(index.name == INDEX_NAME for index in table.list_indices()):
        table.drop_index(INDEX_NAME)


def flat_latency(table: Any, repeats: int = 5) -> float:
    """Return the median seconds of a search that compares every vector, after one to warm up."""
    questions = _questions(table, table.count_rows())[: repeats + 1]
    seconds = []
    for question in questions:
        start = time.perf_counter()
        nearest(table, question, 50, None).select(["id", "_distance"]).to_arrow()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds[1:])) if len(seconds) > 1 else 0.0


def recall_at_10(table: Any, questions: list[Vector], exact: list[float], tuning: Tuning) -> float:
    """Return the share of the index's first ten that are at least as near as the exact tenth, which lies at `exact`."""
    found = sum(
        int((_distances(table, question, tuning) <= limit + 1e-6).sum())
        for question, limit in zip(questions, exact, strict=True)
    )
    return found / (_DEPTH * len(questions))


def _tune(table: Any, rows: int) -> Tuning:
    questions = _questions(table, rows)
    exact = [float(_distances(table, question, None).max()) for question in questions]
    recall = 0.0
    for candidates in _CANDIDATES:
        recall = recall_at_10(table, questions, exact, Tuning(candidates, 0.0, rows))
        if recall >= RECALL:
            return Tuning(candidates, recall, rows)
    return Tuning(0, recall, rows)


def _distances(table: Any, question: Vector, tuning: Tuning | None) -> Vector:
    found = nearest(table, question, _DEPTH, tuning).select(["_distance"]).to_arrow()
    return np.asarray(found["_distance"].to_numpy(), np.float32)


def _questions(table: Any, rows: int) -> list[Vector]:
    """Return unit vectors half-way between rows that lie apart: like questions, they equal no passage."""
    count = min(2 * _SAMPLE, rows)
    offsets = sorted({position * rows // count for position in range(count)}) if count else []
    if not offsets:
        return []
    column = table.take_offsets(offsets).select(["vector"]).to_arrow()["vector"].combine_chunks()
    vectors = column.flatten().to_numpy().reshape(len(offsets), -1).astype(np.float32)
    half = (len(vectors) + 1) // 2
    between = vectors[:half] + vectors[-half:]
    lengths = np.linalg.norm(between, axis=1, keepdims=True)
    return list(np.where(lengths > 1e-3, between / np.maximum(lengths, 1e-3), vectors[:half]))
