"""What an engine is given to do, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fonte.likelihood.noise import Noise
from fonte.likelihood.trie import Path, Visit, visits

FloatArray = NDArray[np.float32]


class Cancelled(Exception):  # noqa: N818  (a signal between an engine and `score`, never seen by a caller)
    """The caller asked to stop."""


@dataclass(frozen=True)
class Plan:
    """Distinct prompts and answers, and per visit which answers are wanted there.

    `answers` holds token ids, never empty ones; `wanted[prompt]` the indexes of the answers to score after that
    prompt. `visits` covers exactly the prompts in `wanted`.
    """

    paths: Sequence[Path]
    tail: tuple[int, ...]
    answers: Sequence[tuple[int, ...]]
    wanted: Mapping[int, tuple[int, ...]]
    visits: Sequence[Visit] = field(init=False)

    def __post_init__(self) -> None:
        """Put the prompts in the order of the walk."""
        object.__setattr__(self, "visits", visits(self.paths, list(self.wanted)))

    def prompt(self, number: int) -> tuple[int, ...]:
        """Return all token ids of a distinct prompt, tail included."""
        return tuple(token for segment in self.paths[number] for token in segment) + self.tail

    def longest(self) -> int:
        """Return the tokens of the longest prompt and answer together; 0 where there is nothing to do."""
        answer = {number: max(len(self.answers[a]) for a in wanted) for number, wanted in self.wanted.items()}
        return max((visit.length + len(self.tail) + answer[visit.prompt] for visit in self.visits), default=0)


@dataclass(frozen=True)
class Evaluation:
    """Log-probabilities (nats, float32 [token]) of the answers wanted after one distinct prompt, by answer index.

    `tokens` went through the model for it, padding included, in `calls` forward passes or requests.
    """

    prompt: int
    answers: Mapping[int, FloatArray]
    tokens: int
    calls: int


Stop = Callable[[], bool]


@runtime_checkable
class Scorer(Protocol):
    """Something that computes log p(answer | prompt): a local model or a server.

    `fingerprint` names the weights ("" where nobody knows them: then nothing can be stored), `dtype` the numbers they
    are computed in. `context_window` and `vocabulary` are in tokens, None where unknown.
    """

    @property
    def fingerprint(self) -> str:
        """Name of the weights."""

    @property
    def dtype(self) -> str:
        """Name of the number format, such as `bfloat16`."""

    @property
    def context_window(self) -> int | None:
        """Most tokens of prompt and answer together."""

    @property
    def vocabulary(self) -> int | None:
        """Token ids are below it."""

    @property
    def engine(self) -> str:
        """How the last plan was run, such as `depth`, `breadth`, `naive` or `vllm`."""

    @property
    def reason(self) -> str:
        """Why not the fastest way, or ""."""

    @property
    def noise(self) -> Noise:
        """Numeric noise as far as it has been measured."""

    @property
    def check_tokens(self) -> int:
        """Tokens that the last plan's self-check took."""

    def evaluate(self, plan: Plan, stop: Stop) -> Generator[Evaluation, None, None]:
        """Score every visit of `plan`, in any order; raise `Cancelled` soon after `stop()` turns true."""
