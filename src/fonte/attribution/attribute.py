"""`attribute`: how much each passage moved an answer, with intervals, duplicates, signatures and the model's memory."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fonte.attribution.designs import BoolArray, Design, FloatArray
from fonte.attribution.duplicates import near_duplicates
from fonte.attribution.effects import (
    Estimate,
    Group,
    effects_of,
    estimate,
    joint_effect,
    least_half_width,
    masks,
    placebo_masks,
    removal,
    signature_masks,
)
from fonte.attribution.intervals import DEVIATIONS, settled
from fonte.attribution.measurement import Cancelled, Measured, Progress, distinct_rows
from fonte.attribution.methods import Method, method_named
from fonte.attribution.question import Attribution, Question
from fonte.attribution.redundancy import redundant_group
from fonte.errors import UsageError
from fonte.likelihood.cost import floor_tokens
from fonte.likelihood.trie import distinct_paths


@dataclass(frozen=True)
class Expectation:
    """What a measurement will take at most: distinct `ablations`, and `tokens` through the model with `answer` tokens.

    Passages that turn out to replace each other take some more ablations.
    """

    ablations: int
    tokens: int


def expectation(measured: Measured, question: Question, answer_tokens: int) -> Expectation:
    """Return what `attribute` will take for an answer of `answer_tokens` tokens, if no budget ends it."""
    method = method_named(question.method)
    design = _design(measured, question, method, _sizes(method, question)[-1])
    if method.refine is not None:  # the most it can add: where every passage matters
        every = np.ones((measured.passages, 1))
        design = method.refine(design, every, every, every, question.seed)
    stages = _stages(measured, question, design)
    keep = np.array(list(distinct_rows(np.vstack(stages))), bool)
    paths, _ = distinct_paths(measured.segments, keep)
    return Expectation(len(keep), floor_tokens(paths, len(measured.segments.tail), [(0,) * answer_tokens]))


def attribute(
    measured: Measured, question: Question, progress: Progress | None = None, cancelled: Cancelled | None = None
) -> Attribution:
    """Measure the effects that `question` asks for.

    In this order, so that a budget that ends too soon has measured what matters most: the full context and the passages
    in `first`; placebos; no passages at all; the rest of the method's design, in steps where it is sampled; groups of
    near-duplicates and of passages that are useless alone; signatures alone. `cancelled` is asked between forward
    passes and ends the measuring as the budget does. A prompt without passages gives empty effects. Errors:
    `UsageError` for an unknown method or scalar, or passages that are not those of the prompt; those of the
    likelihood engine.
    """
    started = time.perf_counter()
    if not len(question.passage_ids) == len(question.texts) == measured.passages:
        raise UsageError(
            f"The question names {len(question.passage_ids)} passages with {len(question.texts)} texts; the prompt has "
            f"{measured.passages}. Give one id and one text per passage of the prompt, in its order."
        )
    method = method_named(question.method)
    scalar = question.scalar or measured.own_scalar or method.scalar
    measured.unit(scalar)  # an unknown scalar is an error before anything is measured
    late = _late(started, question.budget, cancelled)
    status, design = _measure(measured, question, method, scalar, progress, late)
    found = estimate(measured, question, method, design, scalar)
    groups = _groups(measured, question, found, scalar, progress, late) if question.groups else []
    if status != "budget" and not _measure_signatures(measured, question, progress, late):
        status = "budget"
    placebo = least_half_width(measured, question, scalar)
    return Attribution(
        effects=effects_of(measured, question, found, groups, scalar),
        memory_share=tuple(measured.memory_shares(question.spans)),
        noise=float(np.max(np.maximum(_numeric_half_width(measured, question, scalar), placebo), initial=0.0)),
        placebo=float(np.max(placebo, initial=0.0)),
        unit=measured.unit(scalar),
        method=method.name,
        seed=question.seed,
        status=status,
        ablations=measured.ablations,
        tokens=measured.tokens,
        seconds=time.perf_counter() - started,
    )


def _numeric_half_width(measured: Measured, question: Question, scalar: str) -> FloatArray:
    full = masks(measured, np.ones((1, measured.passages), bool))
    if not measured.known(full).all():
        return np.zeros(len(question.spans))
    half: FloatArray = DEVIATIONS * measured.errors(full, question.spans, scalar)[0]
    return half


def _late(started: float, budget: float | None, cancelled: Cancelled | None) -> Cancelled:
    def late() -> bool:
        out_of_time = budget is not None and time.perf_counter() - started > budget
        return out_of_time or (cancelled is not None and cancelled())

    return late


def _measure(
    measured: Measured, question: Question, method: Method, scalar: str, progress: Progress | None, late: Cancelled
) -> tuple[str, Design]:
    """Evaluate what the method needs; return how it ended and the design that the estimate is to use."""
    smaller: Design | None = None
    sizes = _sizes(method, question)
    for number, size in enumerate(sizes):
        design = _design(measured, question, method, size)
        if not all(measured.evaluate(keep, progress, late) for keep in _stages(measured, question, design, early=True)):
            return "budget", smaller or design
        smaller = design
        if number + 1 < len(sizes) and question.tolerance > 0 and design.sampled:
            seen = estimate(measured, question, method, design, scalar)
            if settled(seen.value, seen.low, seen.high, question.tolerance):
                return "settled", design
    if method.refine is None:
        return "complete", design
    seen = estimate(measured, question, method, design, scalar)
    refined = method.refine(design, seen.value, seen.low, seen.high, question.seed)
    if not measured.evaluate(masks(measured, refined.keep), progress, late):
        return "budget", design
    return "complete", refined


def _sizes(method: Method, question: Question) -> tuple[int, ...]:
    """Return the sizes to try, at least the smallest."""
    if question.size is None:
        return method.sizes
    return tuple(size for size in method.sizes if size <= question.size) or method.sizes[:1]


def _design(measured: Measured, question: Question, method: Method, size: int) -> Design:
    return method.design(measured.passages, question.seed, size)


def _stages(measured: Measured, question: Question, design: Design, *, early: bool = False) -> list[BoolArray]:
    """Return the masks over segments, in the order in which they are worth having; `early` without what comes last."""
    passages = measured.passages
    first = [removal(measured, [passage]) for passage in question.first if 0 <= passage < passages]
    full = masks(measured, np.ones((1, passages), bool))
    stages = [
        np.vstack([full, *first]),
        placebo_masks(measured),
        masks(measured, np.zeros((1, passages), bool)),
        masks(measured, design.keep),
    ]
    if early:
        return stages
    together = [removal(measured, group) for group in near_duplicates(question.texts)] if question.groups else []
    return stages + together + (list(signature_masks(measured).values()) if question.signatures else [])


def _groups(
    measured: Measured,
    question: Question,
    found: Estimate,
    scalar: str,
    progress: Progress | None,
    late: Cancelled,
) -> list[Group]:
    """Measure the groups: texts that say the same, then passages that only matter together, for every span."""
    textual = [Group(group) for group in near_duplicates(question.texts)]
    for group in textual:
        measured.evaluate(removal(measured, group.passages), progress, late)
    known = effects_of(measured, question, found, textual, scalar)
    groups = {group.passages: group for group in textual}
    for span, effects in enumerate(known):

        def joint(passages: Sequence[int], span: int = span) -> tuple[float | None, float]:
            measured.evaluate(removal(measured, passages), progress, late)
            return joint_effect(measured, question, passages, span, scalar)

        useless = [number for number, effect in enumerate(effects) if effect.status == "no_measurable_effect"]
        found_group = redundant_group(useless, joint)
        if found_group is not None:
            groups.setdefault(found_group.passages, found_group)
    return list(groups.values())


def _measure_signatures(measured: Measured, question: Question, progress: Progress | None, late: Cancelled) -> bool:
    wanted = signature_masks(measured).values() if question.signatures else ()
    return all(measured.evaluate(keep, progress, late) for keep in wanted)
