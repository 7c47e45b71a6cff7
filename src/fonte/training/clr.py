"""The contrastive likelihood reward of CTRL-RAG: a contribution above the threshold, normalised by length."""

from __future__ import annotations

import math
from typing import Literal

from fonte.errors import UsageError
from fonte.measures.score import Score, not_applicable, scored

LengthNormalisation = Literal["none", "tokens", "sqrt"]
Squash = Literal["none", "clip", "tanh", "exponential"]


def contrastive_likelihood_reward(
    contribution: Score, tokens: int, threshold: float = 1.0, length: LengthNormalisation = "sqrt"
) -> Score:
    r"""Return $R_{CLR} = E \cdot 1[E > \tau] / \sqrt{T}$ (CTRL-RAG, arXiv 2603.04406); at least 0, in nats.

    `contribution` is E in nats, `tokens` T the tokens it is a sum over, `threshold` $\tau$ in nats; E equal to it gives
    0. `length` divides by 1 (`none`: the paper saw verbose collapse), T (learning stalled) or $\sqrt{T}$. An undefined
    E stays undefined with its reason; without tokens it is `not_applicable`. Errors: `UsageError` for a threshold below
    0, under which a harmful passage would be rewarded.
    """
    if not threshold >= 0:
        raise UsageError(f"The threshold must be at least 0 nats, not {threshold}.")
    if contribution.value is None:
        return contribution
    if tokens < 1:
        return not_applicable("no token of the completion counts")
    if contribution.value <= threshold:
        return scored(0.0)
    divisor = {"none": 1.0, "tokens": float(tokens), "sqrt": math.sqrt(tokens)}[length]
    return scored(contribution.value / divisor)


def squashed(reward: Score, how: Squash = "none", scale: float = 4.0) -> Score:
    r"""Return $R'_{CLR}$: the reward brought to a range beside accuracy's 0 to 1, as the paper leaves open.

    With $x = R / scale$: `none` gives R itself, `clip` min(x, 1), `tanh` tanh(x), `exponential` $1 - e^{-x}$. All but
    `none` lie between 0 and 1, so that one outlier cannot set the spread of its group. Undefined stays undefined.
    Errors: `UsageError` for a scale that is not above 0.
    """
    if not scale > 0:
        raise UsageError(f"The scale must be above 0, not {scale}.")
    if reward.value is None or how == "none":
        return reward
    ratio = reward.value / scale
    return scored({"clip": min(ratio, 1.0), "tanh": math.tanh(ratio), "exponential": -math.expm1(-ratio)}[how])


def perplexity(log_likelihood: float, tokens: int) -> Score:
    r"""Return $e^{-S/T}$, at least 1; `not_applicable` without tokens or where it exceeds what a number can hold.

    The paper prints $e^{-S}$ without 1/T, which compares answers of one length only; that is $e^{-S}$ of `Likelihoods`.
    """
    if tokens < 1:
        return not_applicable("no token of the completion counts")
    try:
        return scored(math.exp(-log_likelihood / tokens))
    except OverflowError:
        return not_applicable("the perplexity is too large for a number")
