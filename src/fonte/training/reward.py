"""The reward of a group of completions: accuracy first, then evidence where it can still change something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fonte.errors import UsageError
from fonte.generation.sentinel import says_not_in_sources
from fonte.likelihood import PromptSegments
from fonte.measures.score import Score, not_applicable, not_scored, scored
from fonte.measures.support import Support
from fonte.training.citing import Spoken, citation_reward, spoken
from fonte.training.clr import contrastive_likelihood_reward, perplexity, squashed
from fonte.training.combining import hybrid_reward, mean_reward, weighted_reward
from fonte.training.contribution import NO_EVIDENCE, Contribution, contribution
from fonte.training.correctness import accuracy
from fonte.training.counted_tokens import counted_tokens
from fonte.training.evidence import EvidenceScorer
from fonte.training.reward_settings import RewardSettings
from fonte.values import SegmentedPrompt

GATED = "not scored: the completion is wrong, so its reward is 0 whatever its contribution"
CUT_OFF = "the completion was cut off"
UNSCORED = "this reward does not look at the evidence"


@dataclass(frozen=True)
class Case:
    """What completions are judged against.

    `labels[i]` names passage i of `prompt`; `supporting` are positions. `answerable` False means that the right answer
    is to say that the sources do not tell; then no passage supports it.
    """

    prompt: SegmentedPrompt | PromptSegments
    supporting: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    question: str = ""
    answers: tuple[str, ...] = ()
    answerable: bool | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """Sampled token ids (with the end token where there was one) and their text; `truncated` if it had no end."""

    token_ids: tuple[int, ...]
    text: str
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Rewarded:
    """One completion's reward and all that went into it; E and CLR in nats, `tokens` is T.

    `critical` is the position of the supporting passage that matters most. `near` says whether E lies within
    the numeric noise of its two sums from the threshold, so that the gate is a coin toss; None where one of them is
    not known.
    """

    reward: Score
    accuracy: Score
    contribution: Score
    clr: Score
    citation: Score
    tokens: int
    critical: int | None
    near: bool | None
    perplexity: Score
    perplexity_without: Score


class EvidenceReward:
    """Rewards groups of completions by `settings`; free of any trainer.

    `scorer` may be None for rewards that do not look at the evidence. `decode` turns token ids into text without
    special tokens. `support` is the model of accuracy by entailment. `score_all` scores wrong completions too, for
    curves and offline use.
    """

    def __init__(
        self,
        settings: RewardSettings,
        scorer: EvidenceScorer | None,
        decode: Callable[[Sequence[int]], str],
        support: Support | None = None,
        *,
        score_all: bool = False,
    ) -> None:
        if settings.needs_evidence and scorer is None:
            raise UsageError(f"The reward {settings.reward} needs an EvidenceScorer.")
        self.settings = settings
        self.scorer = scorer
        self.tokens = 0
        self._decode, self._support, self._score_all = decode, support, score_all

    def __call__(self, case: Case, completions: Sequence[Completion]) -> tuple[Rewarded, ...]:
        """Return one `Rewarded` per completion, in order; `tokens` then has what went through the model for it.

        Errors: those of `EvidenceScorer.score`.
        """
        said = [spoken(one.text, case.labels) for one in completions]
        right = [self._accuracy(case, one, words) for one, words in zip(completions, said, strict=True)]
        chosen = [index for index, value in enumerate(right) if self._wanted(case, completions[index], value)]
        found = self._evidence(case, completions, chosen)
        return tuple(
            self._judge(case, one, words, value, found.get(index))
            for index, (one, words, value) in enumerate(zip(completions, said, right, strict=True))
        )

    def _accuracy(self, case: Case, completion: Completion, words: Spoken) -> Score:
        if self.settings.truncated == "skip" and completion.truncated:
            return not_applicable(CUT_OFF)
        if self.settings.truncated == "zero" and completion.truncated:
            return scored(0.0, CUT_OFF)
        silent = says_not_in_sources(words.text)
        if case.answerable is False:
            return scored(silent)
        if silent and case.answers:  # whatever else is said: else one could earn on either kind of question
            return scored(0.0)
        return accuracy(words.text, case.answers, self.settings.accuracy, question=case.question, support=self._support)

    def _wanted(self, case: Case, completion: Completion, right: Score) -> bool:
        if self.scorer is None or not completion.token_ids:
            return False
        if self._score_all:
            return True
        if (
            not case.supporting
            or not self.settings.needs_evidence
            or (completion.truncated and self.settings.truncated != "score")
        ):
            return False
        return self.settings.reward != "hybrid" or bool(right.value)

    def _evidence(self, case: Case, completions: Sequence[Completion], chosen: Sequence[int]) -> dict[int, Any]:
        """Score the chosen completions; return `Likelihoods`, T and the noise of the sum (None: unknown) by index."""
        if self.scorer is None or not (self.settings.needs_evidence or self._score_all):
            return {}
        ids = [completions[index].token_ids for index in chosen]
        removed = self.settings.needs_all_removed
        scores = self.scorer.score(case.prompt, case.supporting, ids, all_removed=removed)
        self.tokens += scores.cost.computed + scores.cost.check
        found = {}
        for place, index in enumerate(chosen):
            counted = counted_tokens(ids[place], self._decode, self.settings.span, case.labels)
            total = int(counted.sum())
            noise = scores.noise.for_length(total) if scores.noise.comparisons else None
            found[index] = scores.likelihoods(place, counted), total, noise
        return found

    def _judge(self, case: Case, completion: Completion, words: Spoken, right: Score, found: Any) -> Rewarded:
        wanted = {case.labels[place] for place in case.supporting if place < len(case.labels)}
        cited = citation_reward(words.cited, wanted, words.invented)
        if found is None:
            missing = self._missing(case, completion)
            tokens = int(counted_tokens(completion.token_ids, self._decode, self.settings.span, case.labels).sum())
            reward = combined(self.settings, missing, right, cited, case.answerable)
            return Rewarded(reward, right, missing, missing, cited, tokens, None, None, missing, missing)
        likelihoods, tokens, noise = found
        measured: Contribution = contribution(likelihoods, self.settings.contribution)
        clr = contrastive_likelihood_reward(measured.value, tokens, self.settings.threshold, self.settings.length)
        value = measured.value.value
        return Rewarded(
            reward=combined(self.settings, clr, right, cited, case.answerable),
            accuracy=right,
            contribution=measured.value,
            clr=clr,
            citation=cited,
            tokens=tokens,
            critical=None if measured.critical is None else case.supporting[measured.critical],
            near=None if value is None or noise is None else abs(value - self.settings.threshold) <= 2 * noise,
            perplexity=perplexity(likelihoods.full, tokens),
            perplexity_without=measured.value if value is None else perplexity(likelihoods.full - value, tokens),
        )

    def _missing(self, case: Case, completion: Completion) -> Score:
        if not case.supporting:
            return not_applicable(NO_EVIDENCE)
        if not completion.token_ids:
            return not_applicable("the completion has no token")
        if completion.truncated and self.settings.truncated != "score":
            return not_scored(CUT_OFF)
        return not_scored(GATED if self.settings.needs_evidence else UNSCORED)


def combined(settings: RewardSettings, clr: Score, right: Score, cited: Score, answerable: bool | None = None) -> Score:
    """Return the reward that `settings` make of CLR, accuracy and citation F1.

    Where the sources do not answer (`answerable` False) no passage can be taken away or cited, so hybrid, weighted and
    citation are accuracy alone: 1 for abstaining, 0 for any answer. CLR alone stays undefined there.
    """
    silent = answerable is False and settings.reward != "clr"
    if silent or settings.reward == "accuracy" or right.reason == CUT_OFF:
        return right
    if settings.reward == "citation":
        return mean_reward(right, cited)
    shaped = squashed(clr, settings.shape, settings.scale)
    if settings.reward == "clr":
        return shaped
    if settings.reward == "weighted":
        return weighted_reward(shaped, right, settings.weight)
    return hybrid_reward(shaped, right, settings.floor)
