"""What citation measures ask of a support scorer, and how many questions are put to it at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from fonte.errors import UsageError

Pair = tuple[str, str]
"""(premise, hypothesis): does the first support the second?"""

Support = Callable[[Sequence[Pair]], Sequence[float]]
"""From pairs to the probability of support, 0 to 1, in the same order. Measures are pure functions of it."""

THRESHOLD = 0.5
"""A pair is supported when its probability is above this (AQuAECHR, ALCE)."""


def known_support(pairs: Iterable[Pair], support: Support) -> Support:
    """Ask `support` once for all distinct `pairs`, and return a support that answers from what it said.

    Large batches are what makes models fast. A pair that was not among `pairs` is asked for when it comes up. Errors:
    `UsageError` where `support` gives another number of values than it got pairs, or one outside 0 to 1.
    """
    distinct = list(dict.fromkeys(pairs))
    known: dict[Pair, float] = dict(zip(distinct, _asked(distinct, support), strict=True))
    return _Remembered(known, support)


class _Remembered:
    def __init__(self, known: Mapping[Pair, float], support: Support) -> None:
        self._known = dict(known)
        self._support = support

    def __call__(self, pairs: Sequence[Pair]) -> list[float]:
        missing = list(dict.fromkeys(pair for pair in pairs if pair not in self._known))
        self._known.update(zip(missing, _asked(missing, self._support), strict=True))
        return [self._known[pair] for pair in pairs]


def _asked(pairs: Sequence[Pair], support: Support) -> list[float]:
    values = [float(value) for value in support(pairs)] if pairs else []
    if len(values) != len(pairs):
        raise UsageError(f"The support scorer gave {len(values)} values for {len(pairs)} pairs.")
    for pair, value in zip(pairs, values, strict=True):
        if not 0 <= value <= 1:
            raise UsageError(f"The support scorer gave {value} for {pair[1]!r}; a probability lies between 0 and 1.")
    return values
