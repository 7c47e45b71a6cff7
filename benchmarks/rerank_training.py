"""The re-rankers of the benchmark: one trained on labels of relevance, and one per language model and fold."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from rerank_retrieval import Retriever
from rerank_sets import QuestionSet

from fonte.training.reranker import RerankerTraining, cross_validate, split_watched, train_reranker
from fonte.training.reranker_targets import QuestionTargets, TargetPassage
from fonte.values import content_id

NEGATIVES = 3
NEAR = 20  # ranks from which a negative is drawn: near ones teach more than random ones
WATCHED = 0.15  # share of the questions that stops a training instead of being learnt from
WINDOW = 192  # tokens of question and passage together; passages have a hundred


def pretrained(cache: Path, base: str, questions: QuestionSet, retriever: Retriever, limit: int) -> Path:
    """Return a cross-encoder trained on which passage holds the answer: without any attribution.

    `limit` questions are drawn by seed (0: all); of each the gold passages against three that retrieval puts near.
    """
    output = cache / f"pretrained-{limit or 'all'}"
    if output.is_dir():
        return output
    chance = random.Random(0)
    items = list(questions.items)
    chance.shuffle(items)
    labelled = []
    for item in items[: limit or None]:
        found = retriever.candidates(item, NEAR)
        near = [key for key in found.keys if key not in item.gold]
        negatives = chance.sample(near, min(NEGATIVES, len(near)))
        marks = [*((key, 1.0) for key in sorted(item.gold)), *((key, 0.0) for key in negatives)]
        passages = tuple(TargetPassage(key, found.texts[key], mark, mark, mark, bool(mark)) for key, mark in marks)
        labelled.append(QuestionTargets(item.id, item.question, item.answer, passages, item.groups))
    settings = RerankerTraining(
        base, "cross_entropy", "raw", epochs=2, batch_size=32, learning_rate=1e-4, window=WINDOW, patience=1
    )
    learnt, watched = split_watched(labelled, 0.05, 0)
    train_reranker(learnt, output, settings, watched)
    return output


def trained_folds(
    cache: Path,
    set_name: str,
    language_model: str,
    targets: Sequence[QuestionTargets],
    settings: RerankerTraining,
    most: int | None = None,
) -> Mapping[str, Path]:
    """Return for each question the re-ranker that has not seen it, nor any question that shares its groups.

    With `most` each has learnt from at most so many questions.
    """
    name = f"{set_name}-folds-{language_model}-{_mark(targets, settings)}"
    folder = cache / (name if most is None else f"{name}-most-{most}")
    return cross_validate(targets, folder, settings, watched_share=WATCHED, most=most)


def trained_without(
    cache: Path, set_name: str, language_model: str, targets: Sequence[QuestionTargets], settings: RerankerTraining
) -> Path:
    """Return one re-ranker trained on all of `targets`: for another set that shares nothing with them."""
    output = cache / f"{set_name}-whole-{language_model}-{_mark(targets, settings)}"
    if not output.is_dir():
        learnt, watched = split_watched(targets, WATCHED, settings.seed)
        train_reranker(learnt, output, settings, watched)
    return output


def _mark(targets: Sequence[QuestionTargets], settings: RerankerTraining) -> str:
    """Name a training by what decides it, so that another one is trained anew."""
    effects = [f"{question.id}:{np.round(question.effects, 4).tolist()}" for question in targets]
    chosen = {**asdict(settings), "base": Path(settings.base).name}
    return content_id(repr(sorted(chosen.items())), *sorted(effects))[:10]
