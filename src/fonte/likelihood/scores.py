"""What scoring gives back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fonte.likelihood.cost import Cost
from fonte.likelihood.masks import BoolArray
from fonte.likelihood.noise import Noise
from fonte.likelihood.plan import FloatArray


@dataclass(frozen=True, eq=False)
class Scores:
    """Log-likelihoods in nats.

    `sums` is float64 [row, answer], `tokens[answer]` float32 [row, token of that answer]; a sum is that of its tokens,
    0 for an answer without tokens. `rows` int64 [row] says which ablation a row is for: all of them in order where
    `status` is `complete`, those that were ready where it is `cancelled`. `engine` is how it was computed, `reason` why
    not the fastest way or why not all ("" otherwise). `keep` bool [row, segment] is the mask as it was used: a
    signature goes with its text.
    """

    sums: NDArray[np.float64]
    tokens: tuple[FloatArray, ...]
    rows: NDArray[np.int64]
    keep: BoolArray
    cost: Cost
    noise: Noise
    engine: str
    status: str = "complete"
    reason: str = ""
