"""The batched walk for an accelerator: many nodes of the prefix trie at once, level by level.

Prefixes of different lengths meet in a batch with their padding on the left, so that neighbours stay neighbours
(sliding windows count positions in the buffer), and new tokens have theirs on the right, where a causal model never
looks. Each node keeps its own keys and values only; a batch puts the prefixes together one layer at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from transformers.cache_utils import Cache, DynamicLayer

from fonte.likelihood.cache import PathCache, PathLayer
from fonte.likelihood.depth import Bounds
from fonte.likelihood.forward import Forward, log_probabilities
from fonte.likelihood.nodes import Node, Pair, plan_tree
from fonte.likelihood.plan import Cancelled, Evaluation, FloatArray, Plan, Stop


class BranchLayer(DynamicLayer):  # type: ignore[misc]  # transformers has no types
    """One layer's view of a batch: prefixes put together on demand, new keys and values handed to the nodes."""

    def __init__(self, nodes: Sequence[Node], number: int, past: int) -> None:
        super().__init__()
        self.nodes, self.number, self.past = nodes, number, past

    def update(self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any) -> Pair:
        """Keep each node's own part, and return prefix and new part together."""
        for row, node in enumerate(self.nodes):
            if node.children:
                part = slice(0, len(node.tokens))
                node.layers[self.number] = key_states[row, :, part].clone(), value_states[row, :, part].clone()
        return self._joined(0, key_states), self._joined(1, value_states)

    def get_seq_length(self) -> int:
        """Return the length of the padded prefixes."""
        return self.past

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Return the length of keys and the offset of the first one."""
        return self.past + query_length, 0

    def _joined(self, which: int, new: torch.Tensor) -> torch.Tensor:
        joined = new.new_zeros((new.shape[0], new.shape[1], self.past + new.shape[2], new.shape[3]))
        joined[:, :, self.past :] = new
        for row, node in enumerate(self.nodes):
            start = self.past - node.offset
            for earlier in node.path:
                if earlier.tokens:
                    part = earlier.layers[self.number][which]
                    joined[row, :, start : start + part.shape[1]] = part
                    start += part.shape[1]
        return joined


class BreadthFirst:
    """One walk over `plan` in batches of nodes; keys and values held are those of one batch per level.

    The plan's model must have attention layers only. Batches are bounded by `bounds.tokens` (padding included), by
    `CONTEXT` times as many tokens with their prefixes, by `bounds.logits` and by the share of padding.
    """

    CONTEXT = 16

    def __init__(self, forward: Forward, plan: Plan, bounds: Bounds, stop: Stop) -> None:
        self.forward, self.plan, self.bounds, self.stop = forward, plan, bounds, stop
        self.room = max(1, bounds.logits // forward.vocabulary)
        self.parts: dict[int, dict[int, dict[int, FloatArray]]] = {}

    def __iter__(self) -> Iterator[Evaluation]:
        """Score the visits, in the order in which their answers are complete."""
        tokens, calls = self.forward.tokens, self.forward.calls
        pending: list[tuple[list[Node], bool]] = []
        root = plan_tree(self.plan, min(self.bounds.tokens, self.room))
        pending += [(batch, False) for batch in reversed(list(self._batches(root.children)))]
        while pending:
            batch, done = pending.pop()
            if done:
                for node in batch:
                    node.layers.clear()
                continue
            for prompt in self._run(batch):
                scored = {number: _joined_parts(parts) for number, parts in self.parts.pop(prompt).items()}
                yield Evaluation(prompt, scored, self.forward.tokens - tokens, self.forward.calls - calls)
                tokens, calls = self.forward.tokens, self.forward.calls
            pending.append((batch, True))
            children = [child for node in batch for child in node.children]
            pending += [(group, False) for group in reversed(list(self._batches(children)))]

    def _run(self, batch: list[Node]) -> list[int]:
        """Run one batch; return the prompts whose answers are now complete."""
        if self.stop():
            raise Cancelled
        longest = max(len(node.tokens) for node in batch)
        past = max(node.offset for node in batch)
        device = self.forward.device
        ids = torch.tensor([[*node.tokens, *[0] * (longest - len(node.tokens))] for node in batch], device=device)
        offsets = torch.tensor([node.offset for node in batch], device=device)[:, None]
        lengths = torch.tensor([len(node.tokens) for node in batch], device=device)[:, None]
        columns = torch.arange(past + longest, device=device)[None]
        mask = (columns >= past - offsets) & (columns < past + lengths)
        positions = offsets + torch.arange(longest, device=device)[None]
        wanted = sorted(_wanted(batch))
        cache = self._cache(batch, past)
        logits = self.forward.logits(
            ids, wanted, cache=cache, use_cache=True, attention_mask=mask.long(), position_ids=positions
        )
        return [prompt for row, node in enumerate(batch) for prompt in self._read(node, logits[row], wanted)]

    def _cache(self, batch: list[Node], past: int) -> Cache:
        cache = PathCache(self.forward.model.config, 0)
        cache.layers = [
            BranchLayer(batch, number, past) if isinstance(layer, PathLayer) else layer
            for number, layer in enumerate(cache.layers)
        ]
        return cache

    def _read(self, node: Node, logits: torch.Tensor, wanted: list[int]) -> Iterator[int]:
        for target in node.targets:
            first = wanted.index(len(node.tokens) - target.count)
            answer = self.plan.answers[target.answer]
            expected = torch.tensor(answer[target.first : target.first + target.count], dtype=torch.long)
            parts = self.parts.setdefault(target.prompt, {})
            values = log_probabilities(logits[first : first + target.count], expected)
            parts.setdefault(target.answer, {})[target.first] = values
            if self._complete(target.prompt):
                yield target.prompt

    def _complete(self, prompt: int) -> bool:
        scored = {number: sum(map(len, parts.values())) for number, parts in self.parts[prompt].items()}
        return all(scored.get(number) == len(self.plan.answers[number]) for number in self.plan.wanted[prompt])

    def _batches(self, nodes: list[Node]) -> Iterator[list[Node]]:
        """Group nodes of like length so that a batch fits the bounds."""
        batch: list[Node] = []
        for node in sorted(nodes, key=lambda node: -len(node.tokens)):
            if batch and not self._fits([*batch, node]):
                yield batch
                batch = []
            batch.append(node)
        if batch:
            yield batch

    def _fits(self, batch: list[Node]) -> bool:
        longest, past = len(batch[0].tokens), max(node.offset for node in batch)
        padded, real = len(batch) * longest, sum(len(node.tokens) for node in batch)
        return (
            padded <= self.bounds.tokens
            and len(batch) * (past + longest) <= self.CONTEXT * self.bounds.tokens
            and len(batch) * len(_wanted(batch)) <= self.room
            and padded - real <= self.bounds.padding * padded
        )


def _wanted(batch: list[Node]) -> set[int]:
    """Return the positions at which any node of the batch needs logits."""
    return {
        position
        for node in batch
        for target in node.targets
        for position in range(len(node.tokens) - target.count, len(node.tokens))
    }


def _joined_parts(parts: dict[int, FloatArray]) -> FloatArray:
    return np.concatenate([parts[first] for first in sorted(parts)])
