"""Whether a model really goes on from a running state when several tokens follow it at once.

Some implementations (Mamba's reference scan in transformers 5.24, for one) start the scan from zero whenever more than
one token comes: no error, only numbers that are a little wrong. So the states are disturbed, and the output has to
notice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from fonte.likelihood.cache import PathCache
from fonte.likelihood.forward import Forward

PREFIX = 6
PIECES = (1, 2, 5)  # one token, fewer than a convolution's width, more than that


def continues_from_state(forward: Forward) -> bool:
    """Return whether pieces of every length depend on each kind of state (of a model that has one).

    Takes some forward passes of a few tokens. Kinds of states that a model does not have are not asked for.
    """
    kinds: tuple[Callable[[Any], dict[int, Any]], ...] = (lambda layer: layer.recurrent_states, _convolutions)
    return all(_notices(forward, kind, length) for kind in kinds for length in PIECES)


def _convolutions(layer: Any) -> dict[int, Any]:
    states: dict[int, Any] = layer.conv_states
    return states


def _notices(forward: Forward, kind: Callable[[Any], dict[int, Any]], length: int) -> bool:
    cache = PathCache(forward.model.config, PREFIX + length)
    ids = torch.arange(PREFIX + length, device=forward.device)[None] % forward.vocabulary
    forward.logits(ids[:, :PREFIX], [], cache=cache, use_cache=True)
    cache.grow(PREFIX)
    cache.save()
    piece = ids[:, PREFIX:]
    before = forward.logits(piece, list(range(length)), cache=cache, use_cache=True)
    cache.cut(PREFIX)
    states = [state for layer in cache.stateful for state in kind(layer).values() if state is not None]
    for state in states:
        state.add_(1.0)
    after = forward.logits(piece, list(range(length)), cache=cache, use_cache=True)
    return not states or not torch.equal(before, after)
