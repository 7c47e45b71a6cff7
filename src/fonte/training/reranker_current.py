"""What orders a corpus's passages now, and the held-back questions that it cannot have learnt from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fonte.corpus import Corpus
from fonte.models import Reranker
from fonte.models.folder import model_folder
from fonte.ranking.trained import NOTE, adopted, load_trained
from fonte.training.reranker_card import SEEN
from fonte.training.reranker_guard import Scorer
from fonte.training.reranker_targets import FloatArray, QuestionTargets


@dataclass(frozen=True)
class Current:
    """What is used now: a re-ranker with its weight, or retrieval's order (`scorer` None), which has seen nothing.

    `seen` are the marks of the questions that it was trained with; `listed` is False where its card names none.
    """

    scorer: Scorer | None = None
    weight: float = 0.0
    seen: frozenset[str] = frozenset()
    listed: bool = True


@dataclass(frozen=True)
class Fair:
    """The `questions` to compare old and new on, those `left_out` since the old one may know them, and a note on it."""

    questions: tuple[QuestionTargets, ...]
    left_out: tuple[QuestionTargets, ...]
    note: str


def current_of(corpus: Corpus) -> Current:
    """Load the re-ranker that the corpus uses, and what its card says that it has seen. Errors: `ModelError`."""
    known = adopted(corpus.records)
    if not known:
        return Current()
    reranker, weight = load_trained(known[0])
    card = model_folder() / known[0].name / NOTE
    marks = json.loads(card.read_text(encoding="utf-8")).get(SEEN) if card.is_file() else None
    return Current(scorer_of(reranker), weight, frozenset(marks or ()), marks is not None)


def scorer_of(reranker: Reranker) -> Scorer:
    """Return the re-ranker as a function from a question and texts to float64 scores."""

    def score(question: str, texts: Sequence[str]) -> FloatArray:
        return np.asarray(reranker.predict([(question, text) for text in texts]), dtype=np.float64)

    return score


def fair(held_back: Sequence[QuestionTargets], current: Current) -> Fair:
    """Leave out what the current re-ranker has seen: the same wording, or a common gold passage or cited case.

    Where its card does not list what it has seen, all questions stay, which can only favour it; the note says so.
    """
    left_out = tuple(question for question in held_back if question.marks & current.seen)
    kept = tuple(question for question in held_back if not question.marks & current.seen)
    if not current.listed:
        note = (
            "The card of the re-ranker in use does not list what it was trained with: it may have learnt from any of "
            "the held-back questions."
        )
    elif left_out:
        note = (
            f"{len(left_out)} held-back questions are not compared on: the re-ranker in use may have learnt from them."
        )
    else:
        note = ""
    return Fair(kept, left_out, note)
