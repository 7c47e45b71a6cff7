"""What a model's configuration says about sharing prefixes: allowed, allowed with copied states, or not."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from fonte.errors import ModelError
from fonte.likelihood.cache import has_state, unknown_layers


@dataclass(frozen=True, slots=True)
class Architecture:
    """How prefixes may be shared by a model.

    `reason` says why they may not, "" where they may. `stateful` layers hold a running state (state space, short
    convolution, linear attention): it is copied at branches, and rows of different prefixes cannot be batched.
    `rotary_limit`: from that many tokens on the rotary factors depend on the length of the whole input, so a shared
    prefix would differ; None where they never do. `growing`: they also depend on what ran before.
    `context_window` is what the configuration promises, in tokens, or None.
    """

    reason: str
    stateful: bool
    rotary_limit: int | None
    growing: bool
    context_window: int | None


def architecture(model: Any) -> Architecture:
    """Read the configuration of `model`. Errors: `ModelError` for anything but a decoder-only language model."""
    config = model.config
    if getattr(config, "is_encoder_decoder", False):
        raise ModelError(
            f"{type(model).__name__} is an encoder-decoder: its answer is not a continuation of the prompt, so ablated "
            "prompts cannot be scored by this engine. Use a decoder-only (causal) language model."
        )
    text = config.get_text_config(decoder=True)
    kinds = _rotary(text)
    growing = any("dynamic" in kind for kind, _ in kinds)
    limits = [limit for kind, limit in kinds if kind == "longrope" or "dynamic" in kind]
    window = getattr(text, "max_position_embeddings", None)
    factor = max((_factor(text) for _ in range(growing)), default=1.0)
    promised = int(window * factor) if isinstance(window, int) and window > 0 else None
    return Architecture(_obstacle(model), has_state(config), min(limits, default=None), growing, promised)


def _obstacle(model: Any) -> str:
    plain = model.get_base_model() if hasattr(model, "get_base_model") else model
    if unknown := unknown_layers(model.config):
        return f"layers of kind {', '.join(sorted(unknown))} cannot be cut back to a prefix"
    own_cache = not getattr(plain, "_supports_default_dynamic_cache", lambda: True)()
    hidden_state = getattr(plain, "_is_stateful", False) and not has_state(model.config)
    if own_cache or hidden_state or "cache" not in inspect.signature(type(plain).forward).parameters:
        return f"{type(plain).__name__} keeps its state in a form of its own, which cannot be cut back to a prefix"
    return ""


def _rotary(config: Any) -> list[tuple[str, int]]:
    """Return (kind, original length) of the rotary embeddings, one entry per kind of layer that has its own."""
    parameters = getattr(config, "rope_parameters", None) or {}
    own = [value for value in parameters.values() if isinstance(value, dict)] or [parameters]
    found = []
    for entry in own:
        kind = str(entry.get("rope_type") or "default")
        usual = getattr(config, "max_position_embeddings", 0)
        original = entry.get("original_max_position_embeddings") if kind == "longrope" else usual
        found.append((kind, int(original or getattr(config, "original_max_position_embeddings", None) or usual)))
    return found


def _factor(config: Any) -> float:
    parameters = getattr(config, "rope_parameters", None) or {}
    return float(parameters.get("factor") or 1.0)
