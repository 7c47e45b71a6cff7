"""Which reward, and every choice that the paper leaves open, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args, get_type_hints

from fonte.errors import UsageError
from fonte.training.clr import LengthNormalisation, Squash
from fonte.training.contribution import ContributionMode
from fonte.training.correctness import Accuracy

RewardName = Literal["hybrid", "clr", "accuracy", "citation", "weighted"]
Span = Literal["full", "after_thinking", "answer"]
Truncated = Literal["score", "zero", "skip"]


@dataclass(frozen=True, slots=True)
class RewardSettings:
    """How a completion is rewarded.

    `reward`: `hybrid` = R' times accuracy, `clr` = R' alone, `accuracy` alone, `citation` = mean of accuracy and
    citation F1, `weighted` = `weight` R' + (1 - `weight`) accuracy. `contribution`, `threshold` (nats) and `length`
    make R; `squash` and `scale` make R' of it (see `clr.squashed`); `auto` is `exponential` for `weighted`, where R'
    must be on accuracy's scale of 0 to 1, and `none` for the others, where a factor changes nothing. `span` says which
    tokens are summed and counted as T: `full` (the paper's, with the end token), `after_thinking`, or `answer` (nor
    markers nor the end token either: a marker becomes unlikely when the passage it names goes, so a model could earn by
    citing alone). `truncated` completions are scored as they are, get 0, or are skipped. `floor`: see `hybrid_reward`.
    """

    reward: RewardName = "hybrid"
    contribution: ContributionMode = "min"
    threshold: float = 1.0
    length: LengthNormalisation = "sqrt"
    span: Span = "answer"
    accuracy: Accuracy = "containment"
    squash: Literal["auto", Squash] = "auto"
    scale: float = 4.0
    weight: float = 0.5
    floor: float = 0.0
    truncated: Truncated = "score"

    def __post_init__(self) -> None:
        """Refuse what is not a choice, since settings come from files and command lines."""
        hints = get_type_hints(type(self))
        for name, hint in hints.items():
            choices = get_args(hint)
            if choices and getattr(self, name) not in choices:
                raise UsageError(f"{name} is {getattr(self, name)!r}; choose one of: {', '.join(choices)}.")
        if not (self.threshold >= 0 and self.scale > 0 and 0 <= self.weight <= 1 and 0 <= self.floor <= 1):
            raise UsageError("threshold must be at least 0, scale above 0, weight and floor between 0 and 1.")

    @property
    def shape(self) -> Squash:
        """How R becomes R' for this reward: `squash`, decided."""
        if self.squash == "auto":
            return "exponential" if self.reward == "weighted" else "none"
        return self.squash

    @property
    def needs_evidence(self) -> bool:
        """Whether completions must be scored with and without their evidence."""
        return self.reward in ("hybrid", "clr", "weighted")

    @property
    def needs_all_removed(self) -> bool:
        """Whether the prompt without any supporting passage is needed too."""
        return self.contribution in ("all", "max")
