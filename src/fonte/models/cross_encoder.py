"""The re-ranker: a cross-encoder that reads question and passage together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fonte.errors import MissingExtraError, ModelError, UsageError
from fonte.models.folder import resolve
from fonte.models.hardware import use_threads
from fonte.models.loading import loading, quiet
from fonte.models.measuring import measuring_tokenizer
from fonte.models.plain_text import without_surrogates
from fonte.models.weights import model_fingerprint, require_safe

try:
    import torch
    from sentence_transformers import CrossEncoder
except ImportError as missing:
    raise MissingExtraError(str(missing.name or "sentence-transformers"), "local") from None

FloatArray = npt.NDArray[np.float32]
WANTED = "a cross-encoder without code of its own"
FORMATS = ("float32", "int8")
OVERLAP = 4  # neighbouring windows of a long passage share one part in four


class Reranker:
    """A sentence-transformers cross-encoder with one relevance score.

    `window` is what it reads at once, in tokens, question, passage and its own marks together. `fingerprint` changes
    with weights, tokenizer and configuration. `model` is open for training.
    """

    def __init__(self, model: CrossEncoder, name: str, fingerprint: str, batch_size: int) -> None:
        self.model = model
        self.name = name
        self.fingerprint = fingerprint
        self.batch_size = batch_size
        self.window = int(model.max_seq_length or 512)
        self._tokenizer = measuring_tokenizer(model.tokenizer, f"The re-ranker {name}")
        self._marks = int(self._tokenizer.num_special_tokens_to_add(True))

    @classmethod
    def from_pretrained(
        cls,
        model: str,
        batch_size: int = 16,
        *,
        dtype: str = "float32",
        threads: int | None = None,
        revision: str | None = None,
        device: str | None = None,
    ) -> Reranker:
        """Load a downloaded model's name, a folder, or a hub id (at `revision`).

        `dtype` `int8` computes on the CPU in eight bits through ONNX Runtime, see `int8.to_int8`: faster, not for
        training. Errors: `ModelError`; `UsageError` for another dtype; `MissingExtraError` where `int8` lacks the
        extra `onnx`.
        """
        if dtype not in FORMATS:
            raise UsageError(f"A re-ranker is computed in {' or '.join(FORMATS)}, not in {dtype!r}.")
        if dtype == "int8" and device not in (None, "cpu"):
            raise UsageError(f"int8 is for the CPU. On {device!r} use float32.")
        path = require_safe(resolve(model, revision))
        use_threads(threads)
        loaded = _load(path, model, "cpu" if dtype == "int8" else device)
        if loaded.num_labels != 1:
            raise ModelError(f"{model} gives {loaded.num_labels} scores per pair; a re-ranker gives one.")
        if dtype == "float32":
            return cls(loaded, model, model_fingerprint(path), batch_size)
        from fonte.models.int8 import VERSION, to_int8

        with loading(f"{model} ({path})", "a cross-encoder that can be computed in int8"):
            to_int8(loaded, model_fingerprint(path))
        return cls(loaded, model, model_fingerprint(path, dtype, str(VERSION)), batch_size)

    def save_pretrained(self, folder: Path) -> None:
        """Write model, tokenizer and configuration as a folder that `from_pretrained` reads.

        Errors: `UsageError` in int8, which is made from such a folder.
        """
        if not hasattr(self.model[0].model, "save_pretrained"):
            raise UsageError(f"{self.name} is loaded in int8; save it from float32.")
        with quiet():
            self.model.save_pretrained(str(folder), create_model_card=False)

    def predict(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Score (question, passage) pairs: float32 [pair], higher is more relevant; no pairs give shape (0,).

        The model's own activation is applied (a sigmoid, so 0 to 1, unless its configuration says otherwise). A passage
        over the window is read in overlapping windows and has the score of its best one; a question that takes more
        than half of the window is read in parts whose scores are averaged. A pair's score does not depend on the order
        of the pairs.
        """
        scores = torch.from_numpy(self._scores(pairs))
        return np.asarray(self.model.activation_fn(scores).numpy(), dtype=np.float32)

    def rank(self, query: str, texts: Sequence[str]) -> list[tuple[int, float]]:
        """Return (index of text, score) from best to worst; equal scores in the order given.

        The order is that before the activation, which makes ties of very good ones.
        """
        raw = self._scores([(query, text) for text in texts])
        shown = self.model.activation_fn(torch.from_numpy(raw)).numpy()
        return [(int(index), float(shown[index])) for index in np.argsort(-raw, kind="stable")]

    def _scores(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        parts = [self._parts(query, text) for query, text in pairs]
        # Each distinct pair once, in an order of its own: the same pairs give the same batches, however they came.
        distinct = sorted({pair for grid in parts for row in grid for pair in row})
        known = dict(zip(distinct, self._raw(distinct), strict=True))
        best = [[max(known[pair] for pair in row) for row in grid] for grid in parts]
        return np.asarray([np.mean(row) for row in best], dtype=np.float32)

    def _raw(self, pairs: list[tuple[str, str]]) -> list[float]:
        if not pairs:
            return []
        scores = self.model.predict(
            pairs, batch_size=self.batch_size, show_progress_bar=False, activation_fn=torch.nn.Identity()
        )
        values = np.asarray(scores, dtype=np.float64).reshape(-1)
        if not np.isfinite(values).all():
            raise ModelError(f"The re-ranker {self.name} gave scores that are not numbers; its weights are damaged.")
        return [float(value) for value in values]

    def _parts(self, query: str, text: str) -> list[list[tuple[str, str]]]:
        """Return pairs that fit the window: a row per part of the question, a column per window of the passage."""
        query, text = without_surrogates(query), without_surrogates(text)
        room = self.window - self._marks
        queries = self._windows(query, max(room // 2, 1), 0)
        longest = max(len(self._offsets(part)) for part in queries)
        texts = self._windows(text, max(room - longest, 1), max(room - longest, 1) // OVERLAP)
        return [[(part, window) for window in texts] for part in queries]

    def _windows(self, text: str, tokens: int, overlap: int) -> list[str]:
        """Cut `text` into windows of at most `tokens` tokens of which neighbours share `overlap`."""
        offsets = self._offsets(text)
        if len(offsets) <= tokens or len(text) < 2:
            return [text]
        step = max(tokens - overlap, 1)
        starts = range(0, max(len(offsets) - overlap, 1), step)
        spans = [(offsets[first][0], offsets[min(first + tokens, len(offsets)) - 1][1]) for first in starts]
        pieces = [text[start:end] for start, end in spans]
        if any(len(piece) >= len(text) for piece in pieces):
            pieces = [text[: len(text) // 2], text[len(text) // 2 :]]
        # A piece that begins inside a word can have more tokens than it had there, so each is measured again.
        return [part for piece in pieces for part in self._windows(piece, tokens, overlap)]

    def _offsets(self, text: str) -> list[tuple[int, int]]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).offsets)


def _load(path: Path, name: str, device: str | None) -> CrossEncoder:
    options: dict[str, Any] = {"use_safetensors": True, "dtype": "float32"}
    with loading(f"{name} ({path})", WANTED):
        return CrossEncoder(
            str(path), device=device, trust_remote_code=False, local_files_only=True, model_kwargs=options
        ).eval()
