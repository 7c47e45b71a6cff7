"""How much likelier a language model on this machine finds the question after it has read a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray

_BATCH_TOKENS = 2048
_LONGEST = 192


class ScoringModel(Protocol):
    """What is needed of a local language model: its network and its tokens."""

    @property
    def model(self) -> torch.nn.Module: ...  # noqa: D102

    def encode(self, text: str) -> tuple[int, ...]: ...  # noqa: D102


def question_gain(model: ScoringModel, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """Return log p(token of the question | text) - log p(token of the question), shape [text, token], in nats.

    After "query likelihood" re-ranking (Sachan et al. 2022, eq. 2), less the question's own likelihood, so that rare
    words of the question count by how much the text explains them. Texts are read up to 192 tokens.
    """
    asked = model.encode(f"\nQuestion: {question}")[:_LONGEST]
    opening = len(model.encode("\nQuestion:"))
    prefixes = [model.encode(text)[:_LONGEST] for text in texts]
    start = model.encode("Text")
    scored = _conditional(model, [start, *prefixes], [asked] * (len(prefixes) + 1))
    table = np.stack([row[opening:] for row in scored])
    return np.asarray(table[1:] - table[0])


def _conditional(
    model: ScoringModel, prefixes: Sequence[tuple[int, ...]], endings: Sequence[tuple[int, ...]]
) -> list[NDArray[np.float64]]:
    """Return log p of each token of `endings[i]` after `prefixes[i]`, float64, in the order given."""
    result: list[NDArray[np.float64]] = [np.empty(0)] * len(prefixes)
    for group in _batches([len(prefix) + len(ending) for prefix, ending in zip(prefixes, endings, strict=True)]):
        scores = _score_batch(model, [prefixes[row] for row in group], [endings[row] for row in group])
        for row, values in zip(group, scores, strict=True):
            result[row] = values
    return result


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield row numbers by length, in groups whose padded size stays below the token budget."""
    group: list[int] = []
    for row in sorted(range(len(lengths)), key=lambda row: lengths[row]):
        if group and (len(group) + 1) * lengths[row] > _BATCH_TOKENS:
            yield group
            group = []
        group.append(row)
    if group:
        yield group


@torch.inference_mode()
def _score_batch(
    model: ScoringModel, prefixes: Sequence[tuple[int, ...]], endings: Sequence[tuple[int, ...]]
) -> list[NDArray[np.float64]]:
    network = model.model
    device = next(network.parameters()).device
    rows = [(*prefix, *ending) for prefix, ending in zip(prefixes, endings, strict=True)]
    width, tail = max(map(len, rows)), max(map(len, endings))
    # Padded on the left, so that all endings are at the end and only their positions meet the vocabulary.
    tokens = torch.zeros(len(rows), width, dtype=torch.long)
    mask = torch.zeros(len(rows), width, dtype=torch.long)
    for index, row in enumerate(rows):
        tokens[index, width - len(row) :] = torch.tensor(row)
        mask[index, width - len(row) :] = 1
    positions = (mask.cumsum(1) - 1).clamp(min=0)
    logits = network(
        input_ids=tokens.to(device),
        attention_mask=mask.to(device),
        position_ids=positions.to(device),
        logits_to_keep=tail + 1,
        use_cache=False,
    ).logits[:, :-1]
    chosen = tokens[:, width - tail :].to(device)
    picked = logits.gather(2, chosen[:, :, None])[:, :, 0].float() - logits.float().logsumexp(2)
    table = picked.cpu().double().numpy()
    return [table[index, tail - len(ending) :] for index, ending in enumerate(endings)]
