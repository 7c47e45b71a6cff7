"""The reward as TRL's trainers call it: the one place where an undefined reward becomes `None`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from itertools import groupby
from statistics import fmean
from typing import Any

from fonte.training.examples import Example
from fonte.training.reward import Completion, EvidenceReward, Rewarded


class TrlReward:
    """A reward function for `GRPOTrainer`: one callable, since TRL cannot multiply two.

    The data set has a column `example`, the number of one of `examples`. The sampled token ids are scored as they come.
    TRL 1.16 leaves a completion out of its group's mean only where *all* reward functions return `None`, so this must
    be the only one. `ends` are the ids that end an answer.
    """

    def __init__(self, reward: EvidenceReward, examples: Sequence[Example], ends: frozenset[int]) -> None:
        self.__name__ = reward.settings.reward
        self._reward, self._examples, self._ends = reward, examples, ends

    def __call__(
        self,
        *,
        completions: Sequence[str],
        completion_ids: Sequence[Sequence[int]],
        example: Sequence[int],
        log_metric: Callable[[str, float], None] | None = None,
        **_: Any,
    ) -> list[float | None]:
        """Return one reward per completion, None where it is undefined; means go to `log_metric`."""
        given = [
            Completion(tuple(ids), text, truncated=not ids or ids[-1] not in self._ends)
            for ids, text in zip(completion_ids, completions, strict=True)
        ]
        found: list[Rewarded] = []
        scorer = self._reward.scorer
        with scorer.in_step() if scorer else nullcontext():
            for number, places in groupby(range(len(given)), key=lambda place: example[place]):
                found += self._reward(self._examples[number].case, [given[place] for place in places])
        if log_metric is not None:
            for name, value in means(found, self._reward.settings.threshold).items():
                log_metric(name, value)
        return [one.reward.value for one in found]


def means(found: Sequence[Rewarded], threshold: float) -> dict[str, float]:
    """Return what the curves show of a batch; what no completion has is left out.

    `contribution`, `ppl_with` and `ppl_without` are over scored completions (`scored` is their share),
    `above_threshold` and `near_threshold` (within numeric noise) are shares of these.
    """
    scored = [one for one in found if one.contribution.value is not None]
    values = {
        "accuracy": [one.accuracy.value for one in found if one.accuracy.value is not None],
        "citation": [one.citation.value for one in found if one.citation.value is not None],
        "length": [float(one.tokens) for one in found],
        "scored": [float(one.contribution.value is not None) for one in found],
        "contribution": [one.contribution.value or 0.0 for one in scored],
        "above_threshold": [float((one.contribution.value or 0.0) > threshold) for one in scored],
        "near_threshold": [float(one.near) for one in scored if one.near is not None],
        "ppl_with": [math.log(one.perplexity.value) for one in scored if one.perplexity.value],
        "ppl_without": [math.log(one.perplexity_without.value) for one in scored if one.perplexity_without.value],
    }
    return {
        name: math.exp(fmean(parts)) if name.startswith("ppl") else fmean(parts)
        for name, parts in values.items()
        if parts
    }
