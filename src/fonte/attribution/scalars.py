"""From per-token log-probabilities to the one number per ablation that an effect is measured in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fonte.errors import UsageError

FloatArray = NDArray[np.float64]
Span = tuple[int, int]
# log(1 - p) is lost in float64 above this log-probability; the logit there is far beyond any effect.
LARGEST_LOG_PROBABILITY = -1e-12


def log_likelihood(log_p: FloatArray, tokens: int) -> FloatArray:
    """Return log p of a span, in nats; 0 for a span without tokens."""
    return log_p


def mean_log_likelihood(log_p: FloatArray, tokens: int) -> FloatArray:
    """Return log p per token of a span, in nats (MExGen's default); 0 for a span without tokens."""
    return log_p / max(tokens, 1)


def logit(log_p: FloatArray, tokens: int) -> FloatArray:
    """Return the logit of a span's probability, log p - log(1 - p) (ContextCite, Cohen-Wang et al. 2024).

    Finite for every input: near probability one, where float32 gives infinities, the probability is held below it.
    """
    held: FloatArray = np.minimum(log_p, LARGEST_LOG_PROBABILITY)
    return held - np.log(-np.expm1(held))


@dataclass(frozen=True)
class Scalar:
    """`of(log p of the span [ablation], tokens of the span)` gives values [ablation] in `unit`, rising with log p."""

    of: Callable[[FloatArray, int], FloatArray]
    unit: str


SCALARS = {
    "log_likelihood": Scalar(log_likelihood, "nats"),
    "mean_log_likelihood": Scalar(mean_log_likelihood, "nats per token"),
    "logit": Scalar(logit, "nats of the logit"),
}


def scalar_named(name: str) -> Scalar:
    """Return the scalar called `name`. Errors: `UsageError` listing those there are."""
    if name not in SCALARS:
        raise UsageError(f"There is no scalar {name!r}. There are: {', '.join(SCALARS)}.")
    return SCALARS[name]


def span_values(tokens: NDArray[np.float32], spans: Sequence[Span], scalar: str) -> FloatArray:
    """Return the scalar of each span: float64 [ablation, span]; spans are token ranges, end exclusive.

    Errors: `UsageError` for an unknown scalar.
    """
    chosen = scalar_named(scalar)
    columns = [chosen.of(_sums(tokens, span), span[1] - span[0]) for span in spans]
    return np.stack(columns, axis=1) if columns else np.zeros((len(tokens), 0))


def span_errors(
    tokens: NDArray[np.float32], spans: Sequence[Span], scalar: str, error: Callable[[int], float]
) -> FloatArray:
    """Return how far a scalar moves when log p moves by `error(tokens of the span)`: float64 [ablation, span]."""
    chosen = scalar_named(scalar)
    columns = []
    for span in spans:
        length = span[1] - span[0]
        log_p = _sums(tokens, span)
        columns.append((chosen.of(log_p + error(length), length) - chosen.of(log_p - error(length), length)) / 2)
    return np.stack(columns, axis=1) if columns else np.zeros((len(tokens), 0))


def _sums(tokens: NDArray[np.float32], span: Span) -> FloatArray:
    total: FloatArray = tokens[:, span[0] : span[1]].astype(np.float64).sum(axis=1)
    return total
