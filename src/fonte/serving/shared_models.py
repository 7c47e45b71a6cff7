"""Embedder and re-ranker as every thread of a server may use them: through the one thread that touches the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from fonte.serving.model_worker import ModelWorker
from fonte.serving.turns import Turns

if TYPE_CHECKING:
    import numpy.typing as npt

    from fonte.models import Embedder, Reranker


class SharedEmbedder:
    """Behaves as `embedder`; questions that wait together are embedded in one call, before any documents.

    Questions have a thread of their own, `questions`: short texts are embedded fastest by one processor core, and on a
    busy machine several cores that wait for one another take many times as long. It and the thread of the `documents`
    take turns with the model.
    """

    def __init__(self, embedder: Embedder, questions: ModelWorker, documents: ModelWorker) -> None:
        self._embedder = embedder
        self._questions = questions
        self._documents = documents
        self._turns = Turns()

    def __getattr__(self, name: str) -> Any:
        """Everything that runs no model: names, sizes, the tokenizer that only measures."""
        return getattr(self._embedder, name)

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """See `Embedder.embed_query`."""
        return cast("npt.NDArray[np.float32]", self._questions.ask(self._embed_queries, [text])[0])

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """See `Embedder.embed_documents`."""
        if not texts:
            return self._embedder.embed_documents([])
        return np.stack(self._documents.ask(self._embed_documents, texts))

    def _embed_queries(self, texts: list[str]) -> npt.NDArray[np.float32]:
        with self._turns.urgent():
            return self._embedder.embed_queries(texts)

    def _embed_documents(self, texts: list[str]) -> npt.NDArray[np.float32]:
        with self._turns.patient():
            return self._embedder.embed_documents(texts)


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
