"""Sentence embeddings: unit vectors for documents and questions, and the token counts that chunking needs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fonte.errors import MissingExtraError, ModelError
from fonte.models.folder import resolve
from fonte.models.hardware import choose_device, choose_dtype, use_threads
from fonte.models.loading import loading
from fonte.models.measuring import measuring_tokenizer
from fonte.models.plain_text import without_surrogates
from fonte.models.weights import model_fingerprint, require_safe

try:
    from sentence_transformers import SentenceTransformer
except ImportError as missing:
    raise MissingExtraError(str(missing.name or "sentence-transformers"), "local") from None

FloatArray = npt.NDArray[np.float32]
WANTED = "a sentence-transformers or transformers encoder without code of its own"
# Names under which models keep their prompts, in the order that sentence-transformers tries them.
QUERY_PROMPTS = ("query",)
DOCUMENT_PROMPTS = ("document", "passage", "corpus")
# Architectures whose first position is the padding id plus one.
OFFSET_POSITIONS = {"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "mpnet", "longformer", "data2vec-text"}


class Embedder:
    """A sentence-transformers model. All vectors are float32 of length one.

    `window` is what the model reads at once, in tokens; `special_tokens` of it go to the model's own marks and to the
    prompt it puts before documents, so a document may have `window - special_tokens` tokens. `fingerprint` changes
    with weights, tokenizer, pooling, prompts and window: vectors of different fingerprints must not meet in an index.
    """

    def __init__(self, model: SentenceTransformer, name: str, fingerprint: str, window: int, batch_size: int) -> None:
        self.name = name
        self.fingerprint = fingerprint
        self.window = window
        self.batch_size = batch_size
        self._model = model
        self._tokenizer = measuring_tokenizer(model.tokenizer, f"The embedder {name}")
        self._query_prompt = _prompt(model, QUERY_PROMPTS)
        self._document_prompt = _prompt(model, DOCUMENT_PROMPTS)
        self._marks = int(self._tokenizer.num_special_tokens_to_add(False))
        self.special_tokens = self._marks + self.count_tokens([self._document_prompt])[0]
        self.dimension = int(model.get_embedding_dimension() or self._embed([""], "").shape[1])

    @classmethod
    def from_pretrained(
        cls,
        model: str,
        window: int | None = None,
        batch_size: int = 32,
        threads: int | None = None,
        *,
        revision: str | None = None,
        device: str | None = None,
        dtype: str = "float32",
    ) -> Embedder:
        """Load a downloaded model's name, a folder, or a hub id (at `revision`).

        `window` (tokens) replaces the model's own setting, up to what its architecture reads; `threads` sets torch's
        threads for the whole process. `dtype` is the format it computes in (`auto`: what is fast here); vectors are
        float32 whatever it is, and the fingerprint does not depend on it. Errors: `ModelError`.
        """
        path = require_safe(resolve(model, revision))
        use_threads(threads)
        loaded = _load(path, model, device, dtype)
        size = _window(loaded, model, window)
        loaded.max_seq_length = size
        return cls(loaded, model, model_fingerprint(path, f"window={size}"), size, batch_size)

    def embed_documents(self, texts: Sequence[str]) -> FloatArray:
        """Embed `texts`: float32 [text, dimension] of length one; no texts give shape (0, dimension).

        A text over the window is never cut. Errors: `ModelError` with the index of the text, its tokens and the limit.
        """
        room = self.window - self.special_tokens
        for index, count in enumerate(self.count_tokens(texts)):
            if count > room:
                raise ModelError(
                    f"Text {index} has {count} tokens, but the embedder {self.name} reads {room} (of {self.window}, "
                    f"{self.special_tokens} are its own). Use smaller chunks or raise the window."
                )
        return self._embed(texts, self._document_prompt)

    def embed_query(self, text: str) -> FloatArray:
        """Embed a question: float32 [dimension] of length one.

        A question over the window is embedded in consecutive windows whose mean, brought to length one, is returned.
        A question without any token (empty, or control characters only) gets the vector of the empty text, which is
        valid and means nothing.
        """
        return np.asarray(self.embed_queries([text])[0])

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Embed questions together, each as `embed_query` does: float32 [text, dimension]; none give (0, dimension)."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        room = self.window - self._marks - self.count_tokens([self._query_prompt])[0]
        windows = [self.windows(text, room) for text in texts]
        vectors = self._embed([window for parts in windows for window in parts], self._query_prompt)
        ends = np.cumsum([len(parts) for parts in windows])[:-1]
        return _unit(np.stack([part.mean(axis=0) for part in np.split(vectors, ends)]))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return each text's number of tokens, without special tokens and prompts."""
        clean = [without_surrogates(text) for text in texts]
        return [len(encoding) for encoding in self._tokenizer.encode_batch_fast(clean, add_special_tokens=False)]

    def token_offsets(self, text: str) -> npt.NDArray[np.int64]:
        """Return where each token lies in `text`: int64 [token, 2], code points, end exclusive; (0, 2) if empty."""
        encoding = self._tokenizer.encode(without_surrogates(text), add_special_tokens=False)
        return np.asarray(encoding.offsets, dtype=np.int64).reshape(-1, 2)

    def windows(self, text: str, tokens: int) -> list[str]:
        """Cut `text` into consecutive pieces of at most `tokens` tokens each; a text that fits is one piece."""
        offsets = self.token_offsets(text)
        if len(offsets) <= tokens or len(text) < 2:
            return [text]
        # Cutting inside a word can add tokens, so each piece is measured again.
        starts = offsets[::tokens, 0]
        cuts = sorted({0, *starts.tolist(), len(text)})
        pieces = [text[start:end] for start, end in itertools.pairwise(cuts)]
        if len(pieces) == 1:
            pieces = [text[: len(text) // 2], text[len(text) // 2 :]]
        return [part for piece in pieces for part in self.windows(piece, tokens)]

    def _embed(self, texts: Sequence[str], prompt: str) -> FloatArray:
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        clean = [without_surrogates(text) for text in texts]
        vectors = self._model.encode(
            clean, prompt=prompt, batch_size=self.batch_size, show_progress_bar=False, convert_to_numpy=True
        )
        return _unit(np.asarray(vectors, dtype=np.float32))


def _load(path: Path, name: str, device: str | None, dtype: str) -> SentenceTransformer:
    format_ = choose_dtype(dtype, choose_device(device or "auto"))
    options: dict[str, Any] = {"use_safetensors": True, "dtype": format_}
    with loading(f"{name} ({path})", WANTED):
        return SentenceTransformer(
            str(path), device=device, trust_remote_code=False, local_files_only=True, model_kwargs=options
        ).eval()


def _window(model: SentenceTransformer, name: str, asked: int | None) -> int:
    limit = _positions(model)
    own = model.max_seq_length or limit or 512
    if asked is None:
        return int(min(own, limit) if limit else own)
    if limit and asked > limit:
        raise ModelError(f"A window of {asked} tokens was asked for, but {name} can read {limit} at most.")
    return asked


def _positions(model: SentenceTransformer) -> int | None:
    """Return how many tokens the architecture has positions for; None where it has no limit of its own."""
    config = getattr(model.transformers_model, "config", None)
    positions = getattr(config, "max_position_embeddings", None)
    if config is None or not positions or positions <= 0:
        return None
    offset = (config.pad_token_id or 0) + 1 if config.model_type in OFFSET_POSITIONS else 0
    return int(positions) - offset


def _prompt(model: SentenceTransformer, names: tuple[str, ...]) -> str:
    """Return the prompt that the model's configuration has for this use, else its default one, else nothing."""
    found = next((model.prompts[name] for name in names if model.prompts.get(name)), "")
    return str(found or (model.prompts.get(model.default_prompt_name or "") or ""))


def _unit(vectors: FloatArray) -> FloatArray:
    """Bring each row to length one; a row without direction (the model made nothing of the text) is spread evenly."""
    vectors = np.nan_to_num(vectors.astype(np.float64))
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    even = np.full_like(vectors, vectors.shape[1] ** -0.5)
    scaled = vectors / np.where(lengths > 0, lengths, 1.0)
    return np.where(lengths > 0, scaled, even).astype(np.float32)
