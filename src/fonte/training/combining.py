"""Faithful and right at once: the contrastive likelihood reward and accuracy as one number."""

from __future__ import annotations

from fonte.errors import UsageError
from fonte.measures.score import Score, scored


def hybrid_reward(clr: Score, accuracy: Score, floor: float = 0.0) -> Score:
    r"""Return $R_{hybrid} = R'_{CLR} \cdot R_{acc}$ (CTRL-RAG): accuracy is the gate.

    `clr` is the squashed reward. A wrong completion gets 0 whatever its contribution, also where that was not scored
    for this very reason (`not_scored`). A question without supporting passages stays undefined (`not_applicable`), as
    does one without gold answers. `floor` (0 to 1) is the least R' of a right completion, so that right but ungrounded
    is better than wrong. Errors: `UsageError` for another floor.
    """
    if not 0 <= floor <= 1:
        raise UsageError(f"The floor must be between 0 and 1, not {floor}.")
    if accuracy.value is None or clr.status == "not_applicable":
        return accuracy if accuracy.value is None else clr
    if accuracy.value == 0:
        return scored(0.0)
    return clr if clr.value is None else scored(max(clr.value, floor) * accuracy.value)


def weighted_reward(clr: Score, accuracy: Score, weight: float = 0.5) -> Score:
    r"""Return $w R'_{CLR} + (1 - w) R_{acc}$; undefined where a part with a weight is.

    `clr` is the squashed reward: the scale of R' matters here, and raw values of 5 to 9 drown accuracy. Errors:
    `UsageError` for a weight outside 0 to 1.
    """
    if not 0 <= weight <= 1:
        raise UsageError(f"The weight must be between 0 and 1, not {weight}.")
    for part, share in ((clr, weight), (accuracy, 1 - weight)):
        if share and part.value is None:
            return part
    return scored(weight * (clr.value or 0.0) + (1 - weight) * (accuracy.value or 0.0))


def mean_reward(first: Score, second: Score) -> Score:
    """Return the mean of two rewards; undefined where one is."""
    return weighted_reward(first, second, 0.5)
