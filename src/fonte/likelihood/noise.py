"""How far the same log-likelihood moves when only the shape of the computation changes.

Reduced precision makes the order of additions matter: another batch, another split of the prompt, and the sum differs.
An effect below that is no effect, so the noise is measured and stored beside the scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Noise:
    """Differences between evaluations of the same thing, in nats.

    `token` is the root mean square over answer tokens, `total` the largest absolute difference of a sum over `tokens`
    answer tokens. `comparisons` counts how many pairs were compared; 0 means not measured (then the rest is 0).
    """

    dtype: str
    token: float = 0.0
    total: float = 0.0
    tokens: int = 0
    comparisons: int = 0

    def for_length(self, tokens: int) -> float:
        """Return the noise to expect of a sum over `tokens` tokens: by the square root, and linear above the measured.

        Errors of neighbouring tokens go together, so neither direction takes the kinder rule. 0 where not measured.
        """
        if not self.tokens or tokens <= 0:
            return 0.0
        ratio = tokens / self.tokens
        return self.total * max(sqrt(ratio), ratio)


def noise_between(dtype: str, reference: Sequence[NDArray[np.float32]], other: Sequence[NDArray[np.float32]]) -> Noise:
    """Compare two runs, each a list of per-token log-probabilities of the same answers, pair by pair."""
    gaps = [a.astype(np.float64) - b for a, b in zip(reference, other, strict=True) if a.size]
    if not gaps:
        return Noise(dtype)
    totals = [abs(float(gap.sum())) for gap in gaps]
    worst = int(np.argmax(totals))
    token = float(np.sqrt(np.mean(np.concatenate(gaps) ** 2)))
    return Noise(dtype, token, totals[worst], gaps[worst].size, len(gaps))


def worse(first: Noise, second: Noise) -> Noise:
    """Return the louder of two measurements (by `token`, then `total`), with the comparisons of both."""
    loud = max(first, second, key=lambda noise: (noise.token, noise.total))
    return Noise(loud.dtype, loud.token, loud.total, loud.tokens, first.comparisons + second.comparisons)
