"""Random prompts for the tests of this room."""

from __future__ import annotations

import numpy as np

from fonte.values import SegmentedPrompt


def random_prompt(
    rng: np.random.Generator, passages: int, longest: int = 9, vocabulary: int = 97, signatures: bool = True
) -> SegmentedPrompt:
    """Draw a prompt whose parts have 0 to `longest` tokens (the head at least one)."""
    parts = tuple(
        (
            ids(rng, int(rng.integers(0, 4)) if signatures else 0, vocabulary),
            ids(rng, int(rng.integers(0, longest + 1)), vocabulary),
        )
        for _ in range(passages)
    )
    return SegmentedPrompt(
        ids(rng, 1 + int(rng.integers(4)), vocabulary), parts, ids(rng, int(rng.integers(5)), vocabulary)
    )


def ids(rng: np.random.Generator, length: int, vocabulary: int = 97) -> tuple[int, ...]:
    return tuple(int(token) for token in rng.integers(3, vocabulary, length))
