"""Scores of cross-encoders for the re-ranking benchmark, computed once and kept."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import torch
from rerank_cache import FloatArray, Kept
from rerank_retrieval import Candidates
from rerank_rows import keys_of

from fonte.models import Reranker
from fonte.models.hardware import choose_device, choose_dtype

TIMED = 3  # questions over which a query is timed, in float32


class CrossEncoders:
    """Scores of any number of cross-encoders; a model loads when a score of its own is missing."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._kept: dict[Path, Kept] = {}
        self._loaded: tuple[Path, Reranker] | None = None

    def scores(self, model: Path, candidates: Candidates, pool: str) -> FloatArray:
        """Return the scores of `keys_of(candidates, pool)`; they are computed in bfloat16 where that is fast."""
        name = candidates.item.id
        known = dict(self._store(model).get(name, lambda: self._score(model, candidates)))
        return np.array([known[key] for key in keys_of(candidates, pool)], dtype=np.float64)

    def seconds(self, model: Path, some: list[Candidates]) -> float | None:
        """Return the seconds that re-ranking takes per question, as the product does it: `predict`, float32."""

        def timed() -> float:
            reranker = self._model(model)
            started = time.perf_counter()
            for candidates in some[:TIMED]:
                reranker.predict([(candidates.item.question, candidates.texts[key]) for key in candidates.keys])
            return (time.perf_counter() - started) / len(some[:TIMED])

        return float(self._store(model).get("seconds", timed)) if some else None

    def _store(self, model: Path) -> Kept:
        if model not in self._kept:
            place = self._cache / "scores" / f"{model.parent.name}-{model.name}-{self._cache.name}.jsonl"
            self._kept[model] = Kept(place)
        return self._kept[model]

    def _score(self, model: Path, candidates: Candidates) -> dict[str, float]:
        keys = keys_of(candidates, "gold_added")
        low = choose_dtype("auto", choose_device("auto")) == torch.bfloat16
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=low):
            scores = self._model(model).predict([(candidates.item.question, candidates.texts[key]) for key in keys])
        return {key: round(float(score), 5) for key, score in zip(keys, scores, strict=True)}

    def _model(self, model: Path) -> Reranker:
        if self._loaded is None or self._loaded[0] != model:
            self._loaded = (model, Reranker.from_pretrained(str(model), batch_size=32))
        return self._loaded[1]
