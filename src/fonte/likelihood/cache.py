"""The key-value cache of the walk: one path that grows and is cut back, and batches that branch from its end.

transformers' own dynamic cache copies everything at each extension and cannot be cut back beyond a sliding window. Here
attention layers write into one buffer of the longest path; cutting is a number; a batch of answers sees the path
without each keeping a copy. Layers with a running state (convolution, state space, linear attention) cannot be cut
back, so their states are copied at the places to return to.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers.cache_utils import (
    DYNAMIC_LAYER_TYPE_MAPPING,
    Cache,
    DynamicLayer,
    LinearAttentionCacheLayerMixin,
    LinearAttentionLayer,
    get_layer_types_and_kwargs,
)

ATTENTION = frozenset({"full_attention", "sliding_attention", "chunked_attention"})
STATEFUL = frozenset({"linear_attention", "conv"})
BOTH = frozenset({"hybrid", "hybrid_sliding"})
State = list[tuple[dict[int, Any], dict[int, Any], dict[int, bool]]]


class PathLayer(DynamicLayer):  # type: ignore[misc]  # transformers has no types
    """Keys and values of one attention layer along the current path, in a buffer of `capacity` tokens.

    Sliding-window layers keep the whole path too: the attention mask applies the window, and the path can be cut back.
    """

    def __init__(self, capacity: int) -> None:
        DynamicLayer.__init__(self)
        self.capacity = capacity
        self.length = 0

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        """Allocate both buffers for one sequence."""
        self.keys = key_states.new_empty((1, key_states.shape[1], self.capacity, key_states.shape[3]))
        self.values = value_states.new_empty((1, value_states.shape[1], self.capacity, value_states.shape[3]))
        self.device, self.is_initialized = key_states.device, True

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Append one sequence to the path, or show the path to a batch that is not kept."""
        if not self.is_initialized:
            PathLayer.lazy_initialization(self, key_states, value_states)
        batch = key_states.shape[0]
        if batch > 1:
            past = self.keys[:, :, : self.length], self.values[:, :, : self.length]
            keys = torch.cat([past[0].expand(batch, -1, -1, -1), key_states], dim=2)
            return keys, torch.cat([past[1].expand(batch, -1, -1, -1), value_states], dim=2)
        end = self.length + key_states.shape[2]
        self.keys[:, :, self.length : end] = key_states
        self.values[:, :, self.length : end] = value_states
        self.length = end
        return self.keys[:, :, :end], self.values[:, :, :end]

    def get_seq_length(self) -> int:
        """Return the tokens on the path."""
        return self.length


class StatefulPathLayer(LinearAttentionLayer, PathLayer):  # type: ignore[misc]
    """A layer that holds a running state and attention side by side."""

    is_compileable = False

    def __init__(self, capacity: int, number_of_states: int = 1) -> None:
        PathLayer.__init__(self, capacity)
        LinearAttentionLayer.__init__(self, number_of_states=number_of_states)

    def lazy_initialization(self, *args: Any, **kwargs: Any) -> None:
        """Initialise what is asked for: attention comes with two positional arguments, a state with keywords."""
        if len(args) == 2:
            PathLayer.lazy_initialization(self, *args)
        else:
            LinearAttentionLayer.lazy_initialization(self, **kwargs)


class PathCache(Cache):  # type: ignore[misc]
    """A cache for one path of at most `capacity` tokens through a model of this `config`.

    `length` is the path's length in tokens; `stateful` are the layers with a running state, which can only return to
    saved places.
    """

    def __init__(self, config: Any, capacity: int) -> None:
        kinds, arguments = get_layer_types_and_kwargs(config.get_text_config(decoder=True))
        layers = [_layer(kind, given, capacity) for kind, given in zip(kinds, arguments, strict=True)]
        super().__init__(layers=layers)
        self.length = 0
        self.stateful = [layer for layer in layers if isinstance(layer, LinearAttentionCacheLayerMixin)]
        self._saved: dict[int, State] = {}

    def grow(self, tokens: int) -> None:
        """Note that one sequence of `tokens` tokens went through all layers."""
        self.length += tokens

    def save(self) -> None:
        """Make the current end of the path a place that `cut` can return to."""
        if self.stateful:
            self._saved[self.length] = [_state(layer) for layer in self.stateful]

    def cut(self, length: int) -> None:
        """Return to the first `length` tokens of the path; with running states, 0 or a saved place."""
        for layer in self.layers:
            if isinstance(layer, PathLayer):
                layer.length = min(layer.length, length)
        self._saved = {place: state for place, state in self._saved.items() if place <= length}
        for position, layer in enumerate(self.stateful):
            if length == 0:
                LinearAttentionLayer.__init__(layer, number_of_states=layer.number_of_states)
            else:
                _restore(layer, self._saved[length][position])
        self.length = length

    def widen(self, batch: int) -> None:
        """Repeat the running states for a batch that branches here; `cut` to the current length undoes it."""
        for layer in self.stateful:
            LinearAttentionLayer.reorder_cache(layer, torch.zeros(batch, dtype=torch.long))


def unknown_layers(config: Any) -> set[str]:
    """Return the kinds of layers of `config` that this cache does not know; empty means that it fits."""
    kinds, _ = get_layer_types_and_kwargs(config.get_text_config(decoder=True))
    return set(kinds) - ATTENTION - STATEFUL - BOTH - {"dummy"}


def has_state(config: Any) -> bool:
    """Return whether a model of `config` has layers with a running state."""
    kinds, _ = get_layer_types_and_kwargs(config.get_text_config(decoder=True))
    return bool(set(kinds) & (STATEFUL | BOTH))


def _layer(kind: str, arguments: dict[str, Any], capacity: int) -> Any:
    if kind in ATTENTION:
        return PathLayer(capacity)
    if kind in BOTH:
        return StatefulPathLayer(capacity, arguments.get("number_of_states", 1))
    return DYNAMIC_LAYER_TYPE_MAPPING[kind](**arguments)


def _state(layer: Any) -> tuple[dict[int, Any], dict[int, Any], dict[int, bool]]:
    return _copied(layer.conv_states), _copied(layer.recurrent_states), dict(layer.has_previous_state)


def _restore(layer: Any, state: tuple[dict[int, Any], dict[int, Any], dict[int, bool]]) -> None:
    layer.conv_states, layer.recurrent_states = _copied(state[0]), _copied(state[1])
    layer.has_previous_state = dict(state[2])


def _copied(states: dict[int, Any]) -> dict[int, Any]:
    return {number: None if state is None else state.clone() for number, state in states.items()}
