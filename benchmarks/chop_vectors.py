"""Vectors of the benchmark's texts, kept on disk by the hash of the text and shared by all set-ups and chunkers."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fonte.models import Embedder

BLOCK = 256  # texts that are kept together


class Vectors:
    """Unit vectors of texts, float32 [text, dimension].

    `dtype` bfloat16 embeds one and a half to twice as fast as float32 on processors that multiply it; cosines move by
    less than .003.
    """

    def __init__(self, embedder: Embedder, dtype: str, folder: Path | None) -> None:
        self._embedder = embedder
        self._folder = folder / f"{embedder.fingerprint}-{dtype}" if folder else None
        self._known: dict[str, np.ndarray] = {}
        self.tokens = 0
        self.seconds = 0.0
        for file in sorted(self._folder.glob("*.npz")) if self._folder and self._folder.is_dir() else ():
            with np.load(file) as block:
                self._known.update(zip(block["keys"].tolist(), block["vectors"], strict=True))

    def of(self, texts: Sequence[str], what: str = "") -> np.ndarray:
        """Return the vectors of `texts`; what is not known is embedded, longest first, and kept."""
        keys = [hashlib.sha256(text.encode()).hexdigest()[:32] for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        counts = dict(zip(missing, self._embedder.count_tokens(list(missing.values())), strict=True))
        order = sorted(missing, key=lambda key: -counts[key])
        total, done, begun = sum(counts.values()), 0, time.perf_counter()
        for first in range(0, len(order), BLOCK):
            block = order[first : first + BLOCK]
            self._keep(block, self._embedder.embed_documents([missing[key] for key in block]))
            done += sum(counts[key] for key in block)
            rate = done / (time.perf_counter() - begun)
            print(f"{what}: {done:,} of {total:,} tokens embedded, {rate:,.0f}/s", file=sys.stderr, flush=True)
        self.tokens += total
        self.seconds += time.perf_counter() - begun
        return np.stack([self._known[key] for key in keys])

    def _keep(self, keys: list[str], vectors: np.ndarray) -> None:
        self._known.update(zip(keys, vectors, strict=True))
        if self._folder:
            self._folder.mkdir(parents=True, exist_ok=True)
            draft = self._folder / f".{keys[0]}.npz"
            np.savez(draft, keys=np.array(keys), vectors=vectors)
            draft.replace(self._folder / f"{keys[0]}.npz")


class KeptEmbedder:
    """An embedder whose vectors are kept, for chunkers that embed sentences to find their cuts."""

    def __init__(self, embedder: Embedder, vectors: Vectors) -> None:
        self._embedder, self._vectors = embedder, vectors

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        """Return the vectors of `texts`, from what is kept where it is."""
        return self._vectors.of(texts, "sentences")
