"""From what is known of an answer to the effects of its passages; no model runs here, so it can be repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fonte.attribution.designs import BoolArray, Design, FloatArray
from fonte.attribution.estimators import Observations, partial_difference
from fonte.attribution.intervals import DEVIATIONS, bootstrap, widened
from fonte.attribution.measurement import Measured, segment_masks
from fonte.attribution.methods import Method
from fonte.attribution.question import Question
from fonte.values import Effect

# Of a group, the passages alone must carry less than this share of what they carry together.
SHARE_ALONE = 0.5


@dataclass(frozen=True, eq=False)
class Estimate:
    """`value`, `low` and `high` float64 [passage, span]; NaN where nothing was measured (never leaves this room)."""

    value: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True)
class Group:
    """Passages (their numbers) that are measured together; `same_text` where they were grouped by what they say."""

    passages: tuple[int, ...]
    same_text: bool = True


def masks(measured: Measured, keep: BoolArray) -> BoolArray:
    """Turn masks over passages into those over segments."""
    return segment_masks(keep, measured.segments, measured.passages)


def removal(measured: Measured, removed: Sequence[int]) -> BoolArray:
    """Return two masks over segments: the full context, and without the passages `removed`."""
    keep = np.ones((2, measured.passages), bool)
    keep[1, list(removed)] = False
    return masks(measured, keep)


def signature_masks(measured: Measured) -> dict[int, BoolArray]:
    """Return per passage that has a signature two masks: the full context, and without that signature alone."""
    segments = measured.segments
    found = {}
    for passage in range(measured.passages):
        columns = [column for column in segments.columns(passage, signature=True) if segments.segments[column]]
        if columns:
            keep = masks(measured, np.ones((2, measured.passages), bool))
            keep[1, columns] = False
            found[passage] = keep
    return found


def placebo_masks(measured: Measured) -> BoolArray:
    """Return the full context, and the full context with each placebo: [1 + placebo, segment]."""
    full = masks(measured, np.ones((1, measured.passages), bool))
    columns = [column for column, owner in enumerate(measured.segments.passage) if owner >= measured.passages]
    keep = np.repeat(full, 1 + len(columns), axis=0)
    for row, column in enumerate(columns, start=1):
        keep[row, column] = True
    return keep


def least_half_width(measured: Measured, question: Question, scalar: str) -> FloatArray:
    """Return the half width that an interval has at least, because any text moves the answer a little: [span].

    1.96 root mean squares over the placebos of what they do, and no less than the question's own `least`.
    """
    keep = placebo_masks(measured)
    known = measured.known(keep)
    moved = np.zeros(len(question.spans))
    if known[0] and known.sum() > 1:
        values = measured.values(keep[known], question.spans, scalar)
        moved = DEVIATIONS * np.sqrt(np.mean((values[1:] - values[:1]) ** 2, axis=0))
    return np.maximum(moved, question.least)


def estimate(measured: Measured, question: Question, method: Method, design: Design, scalar: str) -> Estimate:
    """Estimate all effects from the ablations of `design` that are known.

    A design that was interrupted gives leave-one-out for the passages that were left out alone; the others are NaN.
    Exact designs have the interval of noise (numeric, placebo), sampled ones that of the bootstrap, at least as wide as
    the numeric noise.
    """
    shape = (measured.passages, len(question.spans))
    keep = masks(measured, design.keep)
    known = measured.known(keep)
    if not shape[0] or not known[0]:
        nothing = np.full(shape, np.nan)
        return Estimate(nothing, nothing, nothing)
    lengths = np.array([max(end - start, 1) for start, end in question.spans], np.int64)
    values = measured.values(keep[known], question.spans, scalar)
    seen = Observations(design.keep[known], design.weights[known], values, lengths)
    numeric = DEVIATIONS * np.median(measured.errors(keep[known], question.spans, scalar), axis=0)
    exact = np.maximum(numeric, least_half_width(measured, question, scalar))
    if not known.all() or not design.sampled:
        value = method.estimator(seen) if known.all() else partial_difference(seen)
        return Estimate(value, value - exact, value + exact)
    value = method.estimator(seen)
    low, high = bootstrap(method.resample(*seen.keep.shape), seen, question.seed)
    return Estimate(value, *widened(low, high, value, numeric))


def effects_of(
    measured: Measured, question: Question, found: Estimate, groups: Sequence[Group], scalar: str
) -> tuple[tuple[Effect, ...], ...]:
    """Return effects [span][passage], with groups and signatures where they are known."""
    unit = measured.unit(scalar)
    effects = []
    for span in range(len(question.spans)):
        row = [_effect(question, found, passage, span, unit) for passage in range(measured.passages)]
        for group in groups:
            row = _with_group(measured, question, row, group, span, scalar)
        effects.append(tuple(_with_signature(measured, question, row, span, scalar)))
    return tuple(effects)


def _effect(question: Question, found: Estimate, passage: int, span: int, unit: str) -> Effect:
    value, low, high = (float(array[passage, span]) for array in (found.value, found.low, found.high))
    name = question.passage_ids[passage]
    if np.isnan(value):
        return Effect(name, "not_measured", unit=unit)
    return Effect(name, "measured" if low > 0 or high < 0 else "no_measurable_effect", value, low, high, unit=unit)


def _with_group(
    measured: Measured, question: Question, effects: list[Effect], group: Group, span: int, scalar: str
) -> list[Effect]:
    """Give passages the effect that they have together, where alone each has little of it."""
    value, half = joint_effect(measured, question, group.passages, span, scalar)
    if value is None or abs(value) <= half:
        return effects
    alone = sum(abs(effects[passage].value or 0.0) for passage in group.passages)
    unseen = all(effects[passage].status == "no_measurable_effect" for passage in group.passages)
    if alone >= SHARE_ALONE * abs(value) or not (group.same_text or unseen):
        return effects
    label = "+".join(question.passage_ids[passage] for passage in group.passages)
    found = list(effects)
    for passage in group.passages:
        low, high = value - half, value + half
        found[passage] = replace(
            effects[passage], status="interchangeable", value=value, low=low, high=high, group=label
        )
    return found


def joint_effect(
    measured: Measured, question: Question, passages: Sequence[int], span: int, scalar: str
) -> tuple[float | None, float]:
    """Return the effect of removing `passages` together on one span, and its half width; None where not known."""
    keep = removal(measured, passages)
    if not measured.known(keep).all():
        return None, 0.0
    chosen = [question.spans[span]]
    values = measured.values(keep, chosen, scalar)[:, 0]
    numeric = float(np.median(measured.errors(keep, chosen, scalar)))
    least = least_half_width(measured, question, scalar)
    return float(values[0] - values[1]), max(DEVIATIONS * numeric, float(least[span]))


def _with_signature(
    measured: Measured, question: Question, effects: list[Effect], span: int, scalar: str
) -> list[Effect]:
    """Add what each signature alone contributes: the value with it minus that without it, the text staying."""
    found = list(effects)
    for passage, keep in signature_masks(measured).items() if question.signatures else ():
        if measured.known(keep).all():
            values = measured.values(keep, [question.spans[span]], scalar)[:, 0]
            found[passage] = replace(effects[passage], signature_value=float(values[0] - values[1]))
    return found
