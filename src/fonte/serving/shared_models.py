"""Embedder and re-ranker as every thread of a server may use them: through the one thread that touches the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from fonte.serving.model_worker import PATIENT, ModelWorker

if TYPE_CHECKING:
    import numpy.typing as npt

    from fonte.models import Embedder, Reranker


class SharedEmbedder:
    """Behaves as `embedder`; questions that wait together are embedded in one call, before any documents."""

    def __init__(self, embedder: Embedder, worker: ModelWorker) -> None:
        self._embedder = embedder
        self._worker = worker

    def __getattr__(self, name: str) -> Any:
        """Everything that runs no model: names, sizes, the tokenizer that only measures."""
        return getattr(self._embedder, name)

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """See `Embedder.embed_query`."""
        return cast("npt.NDArray[np.float32]", self._worker.ask(self._embedder.embed_queries, [text])[0])

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """See `Embedder.embed_documents`."""
        if not texts:
            return self._embedder.embed_documents([])
        return np.stack(self._worker.ask(self._embedder.embed_documents, texts, PATIENT))


class SharedReranker:
    """Behaves as `reranker`; pairs of several requests are scored in one call."""

    def __init__(self, reranker: Reranker, worker: ModelWorker) -> None:
        self._reranker = reranker
        self._worker = worker

    def __getattr__(self, name: str) -> Any:
        """Everything that runs no model."""
        return getattr(self._reranker, name)

    def predict(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float32]:
        """See `Reranker.predict`."""
        return np.asarray(self._worker.ask(self._reranker.predict, pairs), dtype=np.float32)
