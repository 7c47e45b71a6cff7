"""When a training run should stop: nothing to learn from, or a reward that rises while answers get worse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any

ACCURACY = "held_back_accuracy"
SIZE = "held_back_questions"
REWARD = "reward"
NO_VARIANCE = "frac_reward_zero_std"


@dataclass(frozen=True, slots=True)
class Guard:
    """`patience` logged steps are looked at together.

    `flat` is the share of groups without variance from which a run is stopped. A fall of held-back accuracy counts
    where it is larger than `errors` standard errors of the best one seen.
    """

    patience: int = 10
    flat: float = 0.95
    errors: float = 2.0


def reason_to_stop(history: Sequence[Mapping[str, Any]], guard: Guard | None = None) -> str:
    """Return why a run with this log should stop, or "".

    `history` is the trainer's log, one mapping per logged step, with the keys above where they were measured: it is
    part of every checkpoint, so a resumed run judges as an uninterrupted one. Open reports of runs whose reward
    saturated while task accuracy collapsed are what this is for.
    """
    chosen = guard or Guard()
    return _flat(history, chosen) or _hacked(history, chosen)


def _flat(history: Sequence[Mapping[str, Any]], guard: Guard) -> str:
    # nothing is learned either where no completion's reward is defined; the trainer counts that as variance
    shares = [
        float(row[NO_VARIANCE]) if row.get(REWARD) is None or isfinite(row[REWARD]) else 1.0
        for row in history
        if row.get(NO_VARIANCE) is not None
    ][-guard.patience :]
    if len(shares) < guard.patience or sum(shares) / len(shares) < guard.flat:
        return ""
    return (
        f"{sum(shares) / len(shares):.0%} of the groups of the last {guard.patience} logged steps had equal rewards, "
        "or none, from which nothing is learned. Choose questions that the model gets right sometimes (--select "
        "pass@8), start from supervised training, or use larger groups."
    )


def _hacked(history: Sequence[Mapping[str, Any]], guard: Guard) -> str:
    checks = [
        (place, float(row[ACCURACY]), int(row.get(SIZE, 0)))
        for place, row in enumerate(history)
        if row.get(ACCURACY) is not None
    ]
    if len(checks) < 2:
        return ""
    best = max(checks[:-1], key=lambda check: check[1])
    last = checks[-1]
    error = sqrt(max(best[1] * (1 - best[1]), 0.25 / max(best[2], 1)) / max(best[2], 1))
    rewards = _rewards(history)
    # the best may be the start, from before any reward: then the first ones are compared
    known = _rewards(history[: best[0] + 1]) or rewards[: guard.patience]
    before, after = _mean(known, guard), _mean(rewards, guard)
    if best[1] - last[1] <= guard.errors * error or before is None or after is None or after <= before:
        return ""
    return (
        f"The reward rose from {before:.3f} to {after:.3f} while accuracy on held-back questions fell from "
        f"{best[1]:.3f} to {last[1]:.3f}: the reward is being gamed. Use the hybrid reward, a lower learning rate, or "
        "a KL penalty."
    )


def _rewards(history: Sequence[Mapping[str, Any]]) -> list[float]:
    """Return the mean reward of each logged step that has one; it is NaN where no completion's reward is defined."""
    return [float(row[REWARD]) for row in history if row.get(REWARD) is not None and isfinite(row[REWARD])]


def _mean(rewards: Sequence[float], guard: Guard) -> float | None:
    last = rewards[-guard.patience :]
    return sum(last) / len(last) if last else None
