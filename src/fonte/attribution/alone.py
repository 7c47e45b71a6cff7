"""What a passage does on its own: the answer with it alone against the answer without any.

Leave-one-out asks what is lost at the end, when all others are there; redundant passages hide each other, and where a
passage stands decides how much of it is read. Alone, a passage is measured at one place and beside nothing, and the
prompts are short: n passages cost n times one passage, not n squared. The mean of both is the Shapley value's first
and last step.
"""

from __future__ import annotations

import numpy as np

from fonte.attribution.designs import Design, FloatArray, distinct, leave_one_out
from fonte.attribution.estimators import Observations, difference


def alone(passages: int) -> Design:
    """Return all passages, none, and each alone: `passages` + 2 ablations of equal weight."""
    rows = [np.ones((1, passages), bool), np.zeros((1, passages), bool), np.eye(passages, dtype=bool)]
    keep = np.vstack(rows)
    return distinct(keep, np.ones(len(keep)), sampled=False)


def first_and_last(passages: int) -> Design:
    """Return the ablations of `alone` and of leave-one-out: 2 `passages` + 2."""
    keep = np.vstack([alone(passages).keep, leave_one_out(passages).keep])
    return distinct(keep, np.ones(len(keep)), sampled=False)


def gain(seen: Observations) -> FloatArray:
    """Return v(the passage alone) - v(nothing): float64 [passage, span]. Other rows are not used."""
    kept = seen.keep.sum(axis=1)
    nothing = seen.values[int(np.flatnonzero(kept == 0)[0])]
    found = np.zeros((seen.keep.shape[1], seen.values.shape[1]))
    for row in np.flatnonzero(kept == 1):
        found[int(np.flatnonzero(seen.keep[row])[0])] = seen.values[row] - nothing
    return found


def mean_of_both(seen: Observations) -> FloatArray:
    """Return the mean of `gain` and leave-one-out, where both are exact for effects that add up."""
    both: FloatArray = (gain(seen) + difference(seen)) / 2
    return both
