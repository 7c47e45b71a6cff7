"""Labels by which a model names sources: a letter and a digit, drawn by seed, that occur nowhere else in the prompt."""

from __future__ import annotations

import random
from collections.abc import Iterable

from fonte.errors import UsageError

# Neither letters that look like digits (i, l, o) nor digits that look like letters (0, 1).
LABELS = tuple(letter + digit for letter in "abcdefghjkmnpqrstuvwxyz" for digit in "23456789")


def draw_labels(count: int, seed: int, texts: Iterable[str]) -> tuple[str, ...]:
    """Return `count` different labels, in an order that only `seed` and the labels found in `texts` decide.

    A label that occurs in any of `texts` in any case, be it as part of a product code, is not drawn: so what a passage
    says can never be a marker. Where too few are left (a passage that lists them all), those that occur least often
    are taken too. Errors: `UsageError` for more than 184.
    """
    if count > len(LABELS):
        raise UsageError(f"A prompt holds at most {len(LABELS)} passages, not {count}. Lower retrieval.passages.")
    seen = "\n".join(texts).casefold()
    order = random.Random(seed).sample(LABELS, len(LABELS))
    return tuple(sorted(order, key=seen.count)[:count])
