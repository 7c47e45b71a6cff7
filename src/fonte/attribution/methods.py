"""Attribution methods: a design, the estimator that belongs to it, and the scalar it was published with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fonte.attribution.alone import alone, first_and_last, gain, mean_of_both
from fonte.attribution.balanced import balanced
from fonte.attribution.designs import (
    Design,
    FloatArray,
    all_subsets,
    bernoulli,
    clime,
    leave_one_out,
    local_shapley,
    pairs,
    permutations,
)
from fonte.attribution.estimators import Estimator, difference, lasso, linear, local_shapley_values, shapley
from fonte.attribution.grouped import grouped, opened
from fonte.errors import UsageError

# From a design and what it showed (value, low, high [passage, span]) to the design that goes on from there.
Refinement = Callable[[Design, FloatArray, FloatArray, FloatArray, int], Design]
# Up to so many passages all subsets are fewer prompts than the orders of the sampled estimate.
EXACT_SHAPLEY = 6


@dataclass(frozen=True)
class Method:
    """`draw(passages, seed, size)` gives the ablations, `estimator` the effects, in the unit of `scalar`.

    `sizes` are those to try one after the other until the effects are settled (see `intervals.settled`); a larger
    design holds the ablations of the smaller. What a size counts is the design's own affair: ablations, orders, sets.
    `resampled` is what the bootstrap fits instead of `estimator`: a penalty holds small effects at zero in every
    resample, so LASSO's own bootstrap is too sure of them. `refine(design, value, low, high, seed)` gives the final
    design where it depends on what the first one showed.
    """

    name: str
    draw: Callable[[int, int, int], Design]
    estimator: Estimator
    scalar: str = "log_likelihood"
    sizes: tuple[int, ...] = (1,)
    resampled: Estimator | None = None
    refine: Refinement | None = None

    def resample(self, ablations: int, passages: int) -> Estimator:
        """Return the estimator for the bootstrap: `resampled` where there are enough ablations for it."""
        return self.resampled if self.resampled is not None and ablations > passages else self.estimator

    def design(self, passages: int, seed: int = 0, size: int | None = None) -> Design:
        """Return the ablations of `size`; of the largest where none is given."""
        return self.draw(passages, seed, self.sizes[-1] if size is None else size)


def _shapley_design(passages: int, seed: int, orders: int) -> Design:
    return all_subsets(passages) if passages <= EXACT_SHAPLEY else permutations(passages, orders, seed)


METHODS = {
    method.name: method
    for method in (
        Method("leave_one_out", lambda passages, seed, size: leave_one_out(passages), difference),
        Method("alone", lambda passages, seed, size: alone(passages), gain),
        Method("first_and_last", lambda passages, seed, size: first_and_last(passages), mean_of_both),
        Method("pairs", lambda passages, seed, size: pairs(passages, passages + size, seed), linear, sizes=(4, 7, 10)),
        Method("balanced", balanced, linear, sizes=(1, 2, 3)),
        Method("grouped", lambda passages, seed, size: grouped(passages, seed), linear, refine=opened),
        Method("clime", lambda passages, seed, size: clime(passages, seed), linear, "mean_log_likelihood"),
        Method(
            "lasso",
            lambda passages, seed, size: bernoulli(passages, size, seed),
            lasso(),
            "logit",
            (32, 48, 64),
            linear,
        ),
        Method("shapley", _shapley_design, shapley, sizes=(4, 8, 16)),
        Method("local_shapley", lambda passages, seed, size: local_shapley(passages), local_shapley_values()),
    )
}


def method_named(name: str) -> Method:
    """Return the method called `name`. Errors: `UsageError` listing those there are."""
    if name not in METHODS:
        raise UsageError(f"There is no attribution method {name!r}. There are: {', '.join(METHODS)}.")
    return METHODS[name]
