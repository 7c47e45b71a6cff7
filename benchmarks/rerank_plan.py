"""What a run of the re-ranking benchmark will take, before it starts: tokens through each model, and minutes here."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rerank_sets import PIECE_TOKENS, QuestionSet
from rerank_targets import MEASURED

from fonte.models import Embedder

CANDIDATES = 50
# Tokens per second against those of the embedder, measured on two cores with bfloat16 (see `Plan`).
LANGUAGE_MODEL, ENCODER, TRAINING = 0.1, 1.4, 0.36
QUESTION_TOKENS, ANSWER_TOKENS, HEAD_TOKENS = 40, 40, 30
SHARED = 0.55  # share of leave-one-out's passages that are computed, the others being shared prefixes


@dataclass(frozen=True)
class Part:
    """A part of the run: its name, tokens through its model, and minutes at the speed measured here."""

    name: str
    tokens: int
    minutes: float


def plan(
    embedder: Embedder,
    sets: Sequence[tuple[QuestionSet, int]],
    relevance: int,
    epochs: int,
    language_models: int,
    method: str,
) -> list[Part]:
    """Estimate a run over `sets`, each with the questions that are measured, from a second of embedding here.

    The other speeds are taken to be in the proportion to it in which they were measured once, so this is a guess to a
    factor of two. What the cache holds already is not subtracted.
    """
    speed = _speed(embedder)
    questions = sum(count for _, count in sets)
    pieces = [piece for found, _ in sets for texts in found.pool.values() for piece in texts]
    pool = round(len(pieces) * float(np.mean(embedder.count_tokens(pieces[::50]))))
    pair = PIECE_TOKENS + QUESTION_TOKENS
    full = MEASURED * PIECE_TOKENS + HEAD_TOKENS
    tail = QUESTION_TOKENS + ANSWER_TOKENS
    alone = full + MEASURED * (PIECE_TOKENS + tail) + 2 * tail
    one_out = full + round(SHARED * MEASURED * MEASURED * PIECE_TOKENS) + (MEASURED + 1) * tail
    target = {"alone": alone, "leave_one_out": one_out, "first_and_last": alone + one_out}.get(method, 2 * one_out)
    trained = questions * 4 * MEASURED * pair * epochs * language_models  # five folds of four fifths each
    parts = {
        "embedding": (pool, 1.0),
        "targets": (questions * target * language_models, LANGUAGE_MODEL),
        "pre-training": (relevance * 4 * pair * 2, TRAINING),
        "training": (trained, TRAINING),
        "scoring": (questions * CANDIDATES * pair * (1 + language_models), ENCODER),
    }
    return [Part(name, tokens, tokens / (speed * share) / 60) for name, (tokens, share) in parts.items()]


def _speed(embedder: Embedder) -> float:
    texts = ["The court held that the party had not shown why the filter was not cleaned in time. " * 4] * 32
    embedder.embed_documents(texts[:4])
    started = time.perf_counter()
    embedder.embed_documents(texts)
    return sum(embedder.count_tokens(texts)) / (time.perf_counter() - started)
