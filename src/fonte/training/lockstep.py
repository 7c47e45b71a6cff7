"""Equal numbers of forward passes on every process, so that sharded weights can be gathered for each of them.

With weights sharded over processes (FSDP) a forward pass is a collective: all must run it together. Rewards need
different numbers of passes on each process, since questions have different numbers of supporting passages and gated
completions are not scored. So each pass is announced, and a process that has finished runs empty ones along.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from fonte.likelihood.forward import is_sharded, scoring


@contextmanager
def lockstep(model: Any, wanted: bool | None = None) -> Iterator[None]:
    """Run the body; then run one-token passes until every process is through its own.

    Every process must enter, as often as the others. `wanted` None means: where `model` is sharded. Without several
    processes nothing happens. An error in the body is raised after the others are through.
    """
    if not _several() or not (is_sharded(model) if wanted is None else wanted):
        yield
        return
    hook = model.register_forward_pre_hook(_announce)
    try:
        yield
    finally:
        hook.remove()
        _keep_up(model)


def _announce(model: Any, _: Any) -> None:
    _working(model, mine=True)


def _keep_up(model: Any) -> None:
    device = model.get_input_embeddings().weight.device
    with scoring(model):
        while _working(model, mine=False):
            model(input_ids=torch.zeros((1, 1), dtype=torch.long, device=device), use_cache=False)


def _several() -> bool:
    distributed = torch.distributed
    return distributed.is_available() and distributed.is_initialized() and distributed.get_world_size() > 1


def _working(model: Any, *, mine: bool) -> bool:
    """Say whether this process runs a pass now; return whether any does."""
    count = torch.tensor(int(mine), device=model.get_input_embeddings().weight.device)
    torch.distributed.all_reduce(count)
    return bool(count.item())
