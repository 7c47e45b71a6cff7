"""A hand-made language model whose probabilities are known in closed form: tokens vote, and votes add up.

The logits of the next token are `bias + sum of votes[token]` over all tokens so far, whatever their order. With
votes on one answer token only, log p and its change when a passage goes are pencil-and-paper numbers. Votes
travel through the key-value cache, so that the engine is really tested.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import CausalLMOutputWithPast


class BagConfig(PretrainedConfig):
    model_type = "fonte_bag"

    def __init__(self, vocab_size: int = 8, max_position_embeddings: int = 512, **options: Any) -> None:
        self.vocab_size = vocab_size
        self.max_position_embeddings = max_position_embeddings
        self.num_hidden_layers = 1
        super().__init__(**options)


class BagLanguageModel(PreTrainedModel):
    """`votes` float [token, next token], `bias` float [next token]."""

    config_class = BagConfig

    def __init__(self, config: BagConfig) -> None:
        super().__init__(config)
        self.embed = torch.nn.Embedding(config.vocab_size, config.vocab_size)
        self.bias = torch.nn.Parameter(torch.zeros(config.vocab_size))

    def get_input_embeddings(self) -> torch.nn.Module:
        return self.embed

    def forward(
        self, input_ids: torch.Tensor, cache: Any = None, attention_mask: Any = None, logits_to_keep: Any = 0, **_: Any
    ) -> CausalLMOutputWithPast:
        votes = self.embed(input_ids)[:, None]
        everything = votes if cache is None else cache.update(votes, votes, 0)[0]
        past = everything.shape[2] - input_ids.shape[1]
        if attention_mask is not None:
            everything = everything * attention_mask[:, None, :, None]
        logits = everything[:, 0].cumsum(1)[:, past:] + self.bias
        kept = slice(-logits_to_keep, None) if isinstance(logits_to_keep, int) else logits_to_keep
        return CausalLMOutputWithPast(logits=logits[:, kept])


def bag_language_model(votes: Any, bias: Any, **options: Any) -> BagLanguageModel:
    """Make the model from `votes` [vocabulary, vocabulary] and `bias` [vocabulary] (float64 is kept)."""
    votes = torch.as_tensor(np.asarray(votes, dtype=np.float64))
    model = BagLanguageModel(BagConfig(vocab_size=votes.shape[0], **options)).double().eval()
    with torch.no_grad():
        model.embed.weight.copy_(votes)
        model.bias.copy_(torch.as_tensor(np.asarray(bias, dtype=np.float64)))
    return model


def bag_log_probability(votes: Any, bias: Any, prompt: tuple[int, ...], answer: tuple[int, ...]) -> np.ndarray:
    """Return log p per answer token by the formula: log softmax(bias + sum of votes)."""
    votes, logits = np.asarray(votes, dtype=np.float64), np.asarray(bias, dtype=np.float64).copy()
    for token in prompt:
        logits = logits + votes[token]
    found = []
    for token in answer:
        found.append(logits[token] - np.logaddexp.reduce(logits))
        logits = logits + votes[token]
    return np.array(found)
