"""Token vectors from any encoder, for BERTScore."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fonte.errors import MissingExtraError, ModelError
from fonte.measures.bert_score import TokenVectors
from fonte.models.folder import resolve
from fonte.models.loading import quiet
from fonte.models.plain_text import without_surrogates
from fonte.models.weights import require_safe

try:
    import torch
    from transformers import AutoConfig, AutoModel, AutoTokenizer
except ImportError as missing:
    raise MissingExtraError(str(missing.name or "transformers"), "local") from None

POSITIONS = 512  # tokens, where an encoder does not say how many it reads


class TokenEncoder:
    """An encoder whose layer `layer` (None: the last) gives the vectors.

    A text over the encoder's window is read in consecutive windows, so nothing is cut (the bert-score package cuts
    silently). Encoder-decoder models are used through their encoder.
    """

    def __init__(self, model: Any, tokenizer: Any, layer: int | None, batch_tokens: int = 4096) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.layer = layer
        self.batch_tokens = batch_tokens
        self.marks = int(tokenizer.num_special_tokens_to_add(pair=False))
        positions = getattr(model.config, "max_position_embeddings", None) or POSITIONS
        self.window = max(self.marks + 1, min(int(positions), int(tokenizer.model_max_length or positions), 10**6))

    @classmethod
    def from_pretrained(cls, model: str, layer: int | None = None, batch_tokens: int = 4096) -> TokenEncoder:
        """Load a downloaded model's name, a folder, or a hub id. Errors: `ModelError`, `MissingExtraError`."""
        path = require_safe(resolve(model))
        try:
            with quiet():
                config = AutoConfig.from_pretrained(path, trust_remote_code=False)
                tokenizer = AutoTokenizer.from_pretrained(path, trust_remote_code=False)
                loaded = AutoModel.from_pretrained(
                    path, config=config, trust_remote_code=False, use_safetensors=True, dtype="float32"
                ).eval()
        except (OSError, ValueError, RuntimeError, KeyError, ImportError) as error:
            raise ModelError(f"{model} ({path}) cannot be loaded as an encoder: {error}") from None
        layers = int(getattr(config, "num_hidden_layers", 0) or 0)
        if layer is not None and not 0 <= layer <= layers:
            raise ModelError(f"{model} has layers 0 (embeddings) to {layers}; there is no layer {layer}.")
        return cls(loaded.get_encoder() if config.is_encoder_decoder else loaded, tokenizer, layer, batch_tokens)

    def __call__(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return the token vectors of each text; a text without tokens has only the encoder's marks."""
        pieces = [(index, ids) for index, text in enumerate(texts) for ids in self._windows(text)]
        found: list[list[TokenVectors]] = [[] for _ in texts]
        for batch in self._batches(pieces):
            for (index, _), vectors in zip(batch, self._encode([ids for _, ids in batch]), strict=True):
                found[index].append(vectors)
        return [_joined(parts) for parts in found]

    def _windows(self, text: str) -> list[list[int]]:
        whole = self.tokenizer(without_surrogates(text), return_special_tokens_mask=True, verbose=False)
        ids, marks = list(whole["input_ids"]), list(whole["special_tokens_mask"])
        if len(ids) <= self.window:
            return [ids]
        first, last = marks.index(0), len(marks) - marks[::-1].index(0)
        before, inner, after = ids[:first], ids[first:last], ids[last:]
        room = self.window - len(before) - len(after)
        return [[*before, *inner[at : at + room], *after] for at in range(0, len(inner), room)]

    def _batches(self, pieces: list[tuple[int, list[int]]]) -> list[list[tuple[int, list[int]]]]:
        """Put pieces of like length together; the windows of one text keep their order (sorting is stable)."""
        batches: list[list[tuple[int, list[int]]]] = []
        for piece in sorted(pieces, key=lambda piece: -len(piece[1])):
            if not batches or (len(batches[-1]) + 1) * len(batches[-1][0][1]) > self.batch_tokens:
                batches.append([])
            batches[-1].append(piece)
        return batches

    def _encode(self, batch: list[list[int]]) -> list[TokenVectors]:
        longest = max(map(len, batch))
        pad = int(self.tokenizer.pad_token_id or 0)
        ids = torch.tensor([row + [pad] * (longest - len(row)) for row in batch])
        mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in batch])
        with torch.inference_mode():
            output = self.model(input_ids=ids, attention_mask=mask, output_hidden_states=self.layer is not None)
        states = output.last_hidden_state if self.layer is None else output.hidden_states[self.layer]
        unit = torch.nn.functional.normalize(states.float(), dim=-1).numpy()
        special = set(self.tokenizer.all_special_ids)
        return [
            TokenVectors(unit[row, : len(one)], np.array([token not in special for token in one], dtype=bool))
            for row, one in enumerate(batch)
        ]


def _joined(parts: list[TokenVectors]) -> TokenVectors:
    if len(parts) == 1:
        return parts[0]
    return TokenVectors(
        np.concatenate([part.vectors for part in parts]), np.concatenate([part.counts for part in parts])
    )
