"""What a generator can do on questions it is not trained on: greedy answers, judged with their evidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from fonte.models.local import LocalLanguageModel
from fonte.training.evidence import EvidenceScorer
from fonte.training.examples import Example
from fonte.training.reward import Completion, EvidenceReward, Rewarded
from fonte.training.reward_settings import RewardSettings
from fonte.training.sampling import greedy


class HeldBack:
    """Answers `examples` greedily with the live model and measures; `base` is the scorer of the start, if there is one.

    The same examples in the same order at every call, without randomness, so that calls compare.
    """

    def __init__(
        self, examples: Sequence[Example], language_model: LocalLanguageModel, settings: RewardSettings, max_tokens: int
    ) -> None:
        self._examples, self._language_model, self._max_tokens = list(examples), language_model, max_tokens
        self._settings = replace(settings, reward="hybrid", truncated="score")

    def __call__(self, model: Any, scorer: EvidenceScorer, base: EvidenceScorer | None = None) -> dict[str, float]:
        """Return `held_back_…` values: accuracy, questions, contribution, length, perplexities, and drift.

        Drift is the mean over answers of log p now minus log p at the start, per token, in nats; only with `base`.
        What cannot be computed is left out.
        """
        reader = self._language_model
        prompts = [example.prompt_ids for example in self._examples]
        said = greedy(model, prompts, reader.ends, reader.decode, max_tokens=self._max_tokens)
        reward = EvidenceReward(self._settings, scorer, reader.decode, score_all=True)
        judged = [reward(example.case, [one])[0] for example, one in zip(self._examples, said, strict=True)]
        found = {"held_back_questions": float(len(judged)), **_means(judged)}
        if base is not None:
            gaps = self._gaps(said, judged, base)
            found |= {"held_back_drift": fmean(gaps)} if gaps else {}
        return found

    def _gaps(self, said: Sequence[Completion], judged: Sequence[Rewarded], base: EvidenceScorer) -> list[float]:
        reward = EvidenceReward(self._settings, base, self._language_model.decode, score_all=True)
        gaps = []
        for example, one, now in zip(self._examples, said, judged, strict=True):
            [then] = reward(replace(example.case, supporting=()), [one])
            if now.perplexity.value and then.perplexity.value:
                gaps.append(math.log(then.perplexity.value) - math.log(now.perplexity.value))
        return gaps


def _means(judged: Sequence[Rewarded]) -> dict[str, float]:
    parts: Mapping[str, list[float | None]] = {
        "accuracy": [one.accuracy.value for one in judged],
        "contribution": [one.contribution.value for one in judged],
        "citation": [one.citation.value for one in judged],
        "length": [float(one.tokens) for one in judged],
        "ppl_with": [_log(one.perplexity.value) for one in judged],
        "ppl_without": [_log(one.perplexity_without.value) for one in judged],
    }
    found = {}
    for name, values in parts.items():
        known = [value for value in values if value is not None]
        if known:
            found[f"held_back_{name}"] = math.exp(fmean(known)) if name.startswith("ppl") else fmean(known)
    return found


def _log(value: float | None) -> float | None:
    return None if value is None else math.log(value)
