"""The grid of the benchmark: set-ups, chunkers, indices, and one row for each."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import chop_retrieval as retrieval
import numpy as np
from chop_cutting import Cut, common, cut_by
from chop_rows import Scored, interval, measured, paired
from chop_sets import Setup
from chop_signing import (
    RESERVE,
    Signed,
    bare,
    sign_alone,
    sign_at_true_boundaries,
    sign_cascade,
    sign_chop,
    sign_true,
    unsigned,
    with_topic_nouns,
)
from chop_streams import Text
from chop_vectors import KeptEmbedder, Vectors

from fonte.chunking.chop.names import contains
from fonte.measures.boundaries import boundary_f1, boundary_precision, boundary_recall, pk, window_diff
from fonte.models import Embedder, LanguageModel, LocalLanguageModel
from fonte.records import Records
from fonte.records.outputs import OutputCache

WINDOW = 512
OVERLAP = 96


@dataclass(frozen=True)
class Wish:
    """What is measured."""

    setups: tuple[str, ...]
    chunkers: tuple[str, ...]
    indices: tuple[str, ...]
    model: str
    seed: int
    dtype: str
    cache: Path | None
    calls: int | None
    ablations: bool = False


class Grid:
    """Measures the grid over the set-ups of a set."""

    def __init__(self, sets: Mapping[str, Setup], wish: Wish) -> None:
        self._sets, self._wish = sets, wish
        self._embedder = Embedder.from_pretrained("all-minilm-l6-v2", window=WINDOW, dtype=wish.dtype)
        self._vectors = Vectors(self._embedder, wish.dtype, wish.cache)
        self._scores: dict[tuple[str, str, str], dict[str, Scored]] = {}

    def report(self) -> dict[str, Any]:
        """Return the rows, and the paired comparisons of each set-up."""
        begun = time.perf_counter()
        rows = [row for setup in self._wish.setups for row in self._setup(setup)]
        return {
            "rows": rows,
            "ablations": [row for setup in self._wish.setups for row in self._ablations(setup)],
            "comparisons": list(self._comparisons()),
            "left_out": list(self._left_out()),
            "seed": self._wish.seed,
            "dtype": self._wish.dtype,
            "tokens_embedded": self._vectors.tokens,
            "seconds": round(time.perf_counter() - begun, 1),
        }

    def _setup(self, setup: str) -> Iterator[dict[str, Any]]:
        made = self._sets[setup].texts(self._wish.seed)
        shared = common(made, self._embedder, WINDOW - RESERVE - self._embedder.special_tokens)
        for name in self._wish.chunkers:
            for signed, overlap in self._signed(setup, name, made, shared):
                yield from self._rows(setup, name, overlap, signed)

    def _ablations(self, setup: str) -> Iterator[dict[str, Any]]:
        """Yield rows of parts of the cascade: what does each of them do alone?"""
        if not self._wish.ablations:
            return
        made = self._sets[setup].texts(self._wish.seed)
        shared = common(made, self._embedder, WINDOW - RESERVE - self._embedder.special_tokens)
        whole = sign_cascade(made, shared)
        parts = {
            "prefix_without_continuity": sign_alone(shared),
            "continuity_with_true_boundaries": sign_at_true_boundaries(shared),
            "prefix_only_in_lexical_index": replace(whole, plain_vectors=True),
            "prefix_only_in_dense_index": replace(whole, plain_keywords=True),
            "cascade_and_topic_nouns": with_topic_nouns(whole),
            "cascade_and_named_documents": replace(whole, asks_named=True),
            "cascade_and_both": replace(with_topic_nouns(whole), asks_named=True),
        }
        for name, signed in parts.items():
            yield from self._rows(setup, name, 0, signed)

    def _signed(self, setup: str, name: str, made: list[Text], shared: Cut) -> Iterator[tuple[Signed, int]]:
        names = self._sets[setup].names
        if name in ("fixed", "cosine", "heading"):
            kept = KeptEmbedder(self._embedder, self._vectors)
            yield unsigned(cut_by(name, made, kept, RESERVE, OVERLAP)), OVERLAP if name == "fixed" else 0
        if name == "fixed":
            yield unsigned(shared), 0
        elif name == "chop" and self._wish.model != "none":
            yield sign_chop(shared, self._model, self._wish.calls, self._outputs), 0
        elif name == "cascade":
            yield sign_cascade(made, shared), 0
        elif name == "true_identity" and names:
            yield sign_true(shared, names), 0
        elif name == "shuffled" and len(names) > 1:
            yield sign_true(shared, self._shuffled(names)), 0

    def _left_out(self) -> Iterator[dict[str, str]]:
        """Yield what cannot be measured: without names there is no true one, with a single name no other."""
        for setup in self._wish.setups:
            names = len(self._sets[setup].names)
            if not names and "true_identity" in self._wish.chunkers:
                reason = "the set calls its documents nothing"
                yield {"setup": setup, "chunker": "true_identity", "reason": reason}
            if names < 2 and "shuffled" in self._wish.chunkers:
                reason = "there are no two names to exchange"
                yield {"setup": setup, "chunker": "shuffled", "reason": reason}

    @cached_property
    def _model(self) -> LanguageModel:
        return LocalLanguageModel.from_pretrained(self._wish.model)

    @cached_property
    def _outputs(self) -> OutputCache:
        folder = self._wish.cache or Path(tempfile.mkdtemp())
        folder.mkdir(parents=True, exist_ok=True)
        return Records.open(folder / "outputs.db", create=True).outputs

    def _shuffled(self, names: Mapping[str, str]) -> dict[str, str]:
        """Return each owner with the name of another one."""
        owners = sorted(names)
        random.Random(self._wish.seed).shuffle(owners)
        return {owner: names[other] for owner, other in zip(owners, owners[1:] + owners[:1], strict=True)}

    def _rows(self, setup: str, name: str, overlap: int, signed: Signed) -> Iterator[dict[str, Any]]:
        questions = self._sets[setup].questions
        gold = signed.cut.gold(questions)
        asked = [question.text for question in questions]
        found: dict[str, list[list[int]]] = {}
        if set(self._wish.indices) & {"dense", "hybrid"}:
            vectors = self._vectors.of(signed.embedded, f"{setup} {name}")
            found["dense"] = retrieval.dense(vectors, self._vectors.of(asked))
        if set(self._wish.indices) & {"lexical", "hybrid"}:
            found["lexical"] = retrieval.lexical(signed.keywords, asked)
        if "hybrid" in self._wish.indices:
            named = self._of_named(signed, vectors, asked) if signed.asks_named else ()
            found["hybrid"] = retrieval.hybrid(found["dense"], found["lexical"], *named)
        said = {"identity_in_questions": self._named(setup), "hit@1_most": _most(asked, gold)}
        costs = self._costs(setup, signed)
        for index in self._wish.indices:
            scores = measured(found[index], gold)
            if (setup, name, index) not in self._scores or overlap == 0:
                self._scores[setup, name, index] = scores
            low, high = interval(scores["hit@1"].values, questions)
            print(f"{setup} {name} {index} hit@1 {scores['hit@1'].mean}", file=sys.stderr, flush=True)
            yield {
                "setup": setup,
                "chunker": name,
                "index": index,
                "model": signed.model,
                "chunk_tokens": WINDOW - RESERVE - self._embedder.special_tokens,
                "overlap": overlap,
                "n": len(questions),
                "hit@1_low": low,
                "hit@1_high": high,
                **{measure: score.mean for measure, score in scores.items()},
                **costs,
                **said,
                "tokens_top_10": self._tokens(found[index], signed),
            }

    def _named(self, setup: str) -> float | None:
        """Return the share of questions that say the name of a document that answers them; None without names."""
        own = self._sets[setup]
        if not own.names:
            return None
        said = [
            any(contains(bare(question.text), bare(own.names[owner])) for owner, _ in question.gold)
            for question in own.questions
        ]
        return round(sum(said) / len(said), 4)

    def _of_named(self, signed: Signed, vectors: np.ndarray, asked: list[str]) -> tuple[list[list[int]], ...]:
        """Return both rankings of the chunks of named documents alone, for the question without the name."""
        rest, masks = retrieval.namings([chunk.signature for chunk in signed.cut.chunks], asked)
        dense = retrieval.dense(vectors, self._vectors.of(rest), masks)
        return dense, retrieval.lexical(signed.keywords, rest, masks)

    def _costs(self, setup: str, signed: Signed) -> dict[str, Any]:
        chunks = len(signed.cut.chunks)
        costs: dict[str, Any] = {
            "chunks": chunks,
            "identity_accuracy": signed.accuracy(self._sets[setup].names),
            "calls_per_chunk": round(signed.calls / chunks, 4),
            "tokens_per_chunk": round(signed.tokens / chunks, 1),
            "boundary_f1": None,
            "seconds": round(signed.seconds, 2),
            "index_bytes": sum(len(text.encode()) for text in signed.keywords) + chunks * self._embedder.dimension * 4,
        }
        if signed.boundaries is not None and len(signed.cut.texts) == 1:
            truth, count = signed.cut.boundaries(), chunks
            measures = {
                "boundary_f1": boundary_f1(signed.boundaries, truth),
                "boundary_precision": boundary_precision(signed.boundaries, truth),
                "boundary_recall": boundary_recall(signed.boundaries, truth),
                "pk": pk(signed.boundaries, truth, count),
                "window_diff": window_diff(signed.boundaries, truth, count),
            }
            costs |= {name: score.value for name, score in measures.items()}
        return costs

    def _tokens(self, rankings: list[list[int]], signed: Signed) -> float:
        sizes = signed.cut.tokens
        return round(float(np.mean([sum(sizes[chunk] for chunk in ranking[:10]) for ranking in rankings])), 1)

    def _comparisons(self) -> Iterator[dict[str, Any]]:
        pairs = (
            ("cascade", "true_identity"),
            ("shuffled", "fixed"),
            ("cascade", "fixed"),
            ("chop", "cascade"),
            ("cascade_and_topic_nouns", "cascade"),
            ("cascade_and_named_documents", "cascade"),
            ("cascade_and_both", "cascade_and_named_documents"),
        )
        for setup in self._wish.setups:
            for index in self._wish.indices:
                for one, other in pairs:
                    keys = (setup, one, index), (setup, other, index)
                    if all(key in self._scores for key in keys):
                        result = paired(*(self._scores[key]["hit@1"] for key in keys))
                        yield {"setup": setup, "index": index, "chunker": one, "against": other, **result}


def _most(asked: Sequence[str], gold: Sequence[set[int]]) -> float:
    """Return the highest Hit@1 that any index could reach: equal questions get the same first chunk."""
    wanted: dict[str, Counter[int]] = {}
    for text, chunks in zip(asked, gold, strict=True):
        wanted.setdefault(text, Counter()).update(chunks)
    return round(sum(max(counts.values(), default=0) for counts in wanted.values()) / len(asked), 4)
