"""A design in which every passage is kept in half of the ablations, and independently of every other one.

Random halves estimate a main effect with what chance leaves of all other effects in it. A Hadamard matrix and its
complement leave nothing of the other main effects and of no interaction of two passages: a fold-over of a
Plackett-Burman design (Plackett and Burman 1946; Box and Wilson 1951), of `2 * order` ablations for up to `order`
passages. So 24 ablations of 10 passages give what some 250 random ones give.
"""

from __future__ import annotations

from itertools import count

import numpy as np
from numpy.typing import NDArray

from fonte.attribution.designs import Design, distinct

Signs = NDArray[np.int8]


def balanced(passages: int, seed: int = 0, sets: int = 1) -> Design:
    """Return the full context and `sets` Hadamard matrices, each row followed by its complement.

    Columns are drawn and turned over at random, so that the ablations are not near any subset in particular: the full
    context comes first, with weight 0 where no set holds it. A larger design begins with the smaller. Rows differ.
    """
    generator = np.random.default_rng(seed)
    rows = [np.ones((1, passages), bool)]
    for _ in range(sets if passages else 0):
        columns = _hadamard(_order(passages))[:, generator.permutation(_order(passages))[:passages]]
        half = generator.permutation(columns * generator.choice(np.array([-1, 1], np.int8), size=passages)) > 0
        rows.append(np.stack([half, ~half], axis=1).reshape(-1, passages))
    keep = np.vstack(rows)
    return distinct(keep, np.array([0.0] + [1.0] * (len(keep) - 1)) if passages else np.ones(1))


def set_size(passages: int) -> int:
    """Return the ablations of one set, repetitions included."""
    return 2 * _order(passages) if passages else 1


def _order(passages: int) -> int:
    """Return the smallest order of a Hadamard matrix known here that has a column for every passage."""
    return next(order for order in count(1) if order >= passages and _factors(order) is not None)


def _factors(order: int) -> tuple[int, int] | None:
    """Write `order` as 2^k times an order of Paley's first construction (a prime 3 modulo 4, plus 1), or 1."""
    for doublings in range(order.bit_length()):
        if order % (1 << doublings):
            break
        core = order >> doublings
        if core == 1 or (core % 4 == 0 and _is_prime(core - 1)):
            return doublings, core
    return None


def _hadamard(order: int) -> Signs:
    factors = _factors(order)
    doublings, core = factors if factors is not None else (0, 1)
    matrix = _paley(core - 1) if core > 1 else np.ones((1, 1), np.int8)
    for _ in range(doublings):
        matrix = np.block([[matrix, matrix], [matrix, -matrix]]).astype(np.int8)
    return matrix


def _paley(prime: int) -> Signs:
    """Return the Hadamard matrix of order `prime` + 1 from quadratic residues (Paley 1933), prime = 3 modulo 4."""
    residues = {(number * number) % prime for number in range(1, prime)}
    jacobsthal = np.array([[_symbol((j - i) % prime, residues) for j in range(prime)] for i in range(prime)], np.int8)
    skew = np.zeros((prime + 1, prime + 1), np.int8)
    skew[0, 1:], skew[1:, 0], skew[1:, 1:] = 1, -1, jacobsthal
    return (skew + np.eye(prime + 1, dtype=np.int8)).astype(np.int8)


def _symbol(number: int, residues: set[int]) -> int:
    return 0 if number == 0 else 1 if number in residues else -1


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))
