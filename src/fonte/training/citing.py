"""Does a completion cite the passages that support the answer? The citation reward, from labels alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fonte.citations import Invented, Marker, read_markers
from fonte.measures.score import Score, not_applicable, scored
from fonte.measures.words import visible_answer


@dataclass(frozen=True, slots=True)
class Spoken:
    """A completion as its reader sees it: `text` without thinking and markers, and what was cited outside of thinking.

    `cited` has every label once, `invented` counts markers that name nothing.
    """

    text: str
    cited: tuple[str, ...]
    invented: int


def spoken(text: str, labels: Collection[str]) -> Spoken:
    """Take thinking and markers out of `text`; `labels` are those that the prompt gave out."""
    events = read_markers(visible_answer(text), labels)
    cited = dict.fromkeys(event.label for event in events if isinstance(event, Marker))
    words = "".join(event for event in events if isinstance(event, str))
    return Spoken(words, tuple(cited), sum(isinstance(event, Invented) for event in events))


def citation_reward(cited: Sequence[str], supporting: Collection[str], invented: int = 0) -> Score:
    """Return F1 of the labels cited and those of the supporting passages, 0 to 1; an invented marker is a wrong one.

    No citation gives 0. `not_applicable` where no supporting passage is known. RAG-RL (arXiv 2503.12759) rewards
    recall and subtracts for each wrong citation without bound; F1 has the same best answer and stays in 0 to 1.
    """
    if not supporting:
        return not_applicable("no supporting passage is known")
    right = len(set(cited) & set(supporting))
    return scored(2 * right / (len(set(cited)) + invented + len(set(supporting))))
