"""Games with known effects: a value for every set of kept passages, and language models that play them exactly."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations as orders

import numpy as np

from fonte.attribution.designs import Design
from fonte.attribution.estimators import Observations
from fonte.likelihood import LocalScorer
from fonte.values import SegmentedPrompt
from tests.likelihood.closed_form import bag_language_model

Game = Callable[[np.ndarray], float]
# Tokens: 0 the rival, 1 the answer, 2 the head, from 3 on one per passage.
FIRST = 3


def observe(design: Design, *games: Game) -> Observations:
    values = np.array([[game(row) for game in games] for row in design.keep]).reshape(len(design.keep), len(games))
    return Observations(design.keep, design.weights, values, np.ones(len(games), np.int64))


def additive(effects) -> Game:
    return lambda row: float(np.asarray(effects)[row].sum())


def random_game(passages: int, seed: int) -> Game:
    table = np.random.default_rng(seed).normal(size=2**passages)
    return lambda row: float(table[int("".join("01"[int(kept)] for kept in row) or "0", 2)])


def brute_force_shapley(passages: int, game: Game) -> np.ndarray:
    found = np.zeros(passages)
    every = list(orders(range(passages)))
    for order in every:
        kept = np.zeros(passages, bool)
        for passage in order:
            before = game(kept)
            kept[passage] = True
            found[passage] += game(kept) - before
    return found / len(every)


def voting(votes, rival: float = 40.0) -> LocalScorer:
    """A model in which passage i adds votes[i] to the logit of the answer token (1), against a rival (0) of `rival`.

    So logit p of the answer is the sum of votes - rival, and so is log p while that is far below zero.
    """
    size = FIRST + len(votes)
    table = np.zeros((size, size))
    table[FIRST:, 1] = votes
    bias = np.full(size, -1e4)
    bias[0], bias[1] = rival, 0.0
    return LocalScorer(bag_language_model(table, bias), fingerprint=f"voting {list(votes)} {rival}")


def prompt(passages: int, signatures: bool = False) -> SegmentedPrompt:
    """One token per passage; with signatures the token is the signature's, and the text is the head's token."""
    parts = [((FIRST + i,), (2,)) if signatures else ((), (FIRST + i,)) for i in range(passages)]
    return SegmentedPrompt((2,), tuple(parts), ())
