"""Documents that contradict what the model knows: does it follow them, or its memory?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fonte.measures.containment import containment
from fonte.measures.score import Score, Summary, not_applicable, scored, summarise
from fonte.measures.words import answer_words

Outcome = Literal["followed", "memorised", "both", "neither"]


@dataclass(frozen=True)
class Counterfactual:
    """`following` is the share of answers that follow the documents, `memorisation` M_R = p_o / (p_o + p_s)."""

    following: Summary
    memorisation: Summary
    outcomes: Mapping[str, Outcome]


def counterfactual_outcome(prediction: str, substituted: Sequence[str], original: Sequence[str]) -> Outcome:
    """Say whether an answer holds the answer of the changed documents (`substituted`), the true one, both or neither.

    Words are compared, with word borders. Where the substituted answer holds the original one ("New York" for "York"),
    an answer with the longer one has followed.
    """
    followed = _holds(prediction, substituted)
    memorised = _holds(_without(prediction, substituted), original) if followed else _holds(prediction, original)
    if followed:
        return "both" if memorised else "followed"
    return "memorised" if memorised else "neither"


def counterfactual(outcomes: Mapping[str, Outcome], seed: int = 0) -> Counterfactual:
    """Summarise outcomes (Context-DPO / ConFiQA, Bi et al. 2024).

    Following counts `followed` over all answers. The memorisation ratio is over those that decided for one side; an
    answer that gives both, or neither, decided for none. Which is *right* depends on what is measured: say it.
    """
    following = {name: scored(outcome == "followed") for name, outcome in outcomes.items()}
    memorised = {name: _memorised(outcome) for name, outcome in outcomes.items()}
    return Counterfactual(summarise(following, seed=seed), summarise(memorised, seed=seed), dict(outcomes))


def _memorised(outcome: Outcome) -> Score:
    if outcome in ("followed", "memorised"):
        return scored(outcome == "memorised")
    return not_applicable(f"the answer gives {outcome} of the two")


def _holds(prediction: str, answers: Sequence[str]) -> bool:
    return containment(prediction, answers).value == 1


def _without(prediction: str, answers: Sequence[str]) -> str:
    words = answer_words(prediction)
    for part in sorted((answer_words(answer) for answer in answers), key=len, reverse=True):
        at = 0
        while part and at + len(part) <= len(words):
            if words[at : at + len(part)] == part:
                words[at : at + len(part)] = ["|"]
            at += 1
    return " ".join(words)
