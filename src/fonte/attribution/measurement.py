"""Log-likelihoods of one answer under ablations of its prompt, collected piece by piece."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from fonte.attribution.designs import BoolArray, FloatArray
from fonte.attribution.question import Span, Tokens
from fonte.attribution.scalars import scalar_named, span_errors, span_values
from fonte.likelihood import EvaluationStore, Noise, PromptSegments, Scorer, score
from fonte.likelihood.noise import worse
from fonte.values import SegmentedPrompt

if TYPE_CHECKING:
    from fonte.models.local import LocalLanguageModel

# What the number format alone does to the difference of two log-probabilities of a token, at least: 5 units in the last
# place of 1. Engines measure how far the shape of a computation moves it; against float32, bfloat16 is further off than
# any two shapes are from each other (SmolLM2-135M, 24 tokens: .18 nats per effect, .036 per token).
LEAST_ERRORS = {"bfloat16": 5 * 2.0**-7, "float16": 5 * 2.0**-10, "float32": 5 * 2.0**-23}
Progress = Callable[[int, int], None]
Cancelled = Callable[[], bool]


class Measured(Protocol):
    """Values of an answer by ablation, however they are obtained; a mask is bool [ablation, segment].

    `segments` says what can be left out; its first `passages` passages are the prompt's, any further ones placebos.
    `own_scalar` is the scalar to take where none is asked for, "" for that of the method.
    """

    segments: PromptSegments
    tokens: Tokens
    own_scalar: str

    @property
    def passages(self) -> int:
        """Number of passages that the prompt has."""

    @property
    def ablations(self) -> int:
        """Number of distinct ablations evaluated so far."""

    def evaluate(self, keep: BoolArray, progress: Progress | None = None, cancelled: Cancelled | None = None) -> bool:
        """Evaluate the ablations that are not known yet; return whether all are known now."""

    def known(self, keep: BoolArray) -> BoolArray:
        """Return which ablations are known: bool [ablation]."""

    def values(self, keep: BoolArray, spans: Sequence[Span], scalar: str) -> FloatArray:
        """Return the values of known ablations: float64 [ablation, span], in `unit(scalar)`."""

    def errors(self, keep: BoolArray, spans: Sequence[Span], scalar: str) -> FloatArray:
        """Return the standard deviation of a difference of two values by noise alone: float64 [ablation, span]."""

    def unit(self, scalar: str) -> str:
        """Return the unit of `scalar`."""

    def memory_shares(self, spans: Sequence[Span]) -> list[float | None]:
        """Return how much of each span's likelihood is there without passages, 0 to 1; None where not known."""


class Measurement:
    """What is known so far of one answer: per-token log-probabilities by mask over segments.

    Equal masks are evaluated once; with `store`, also across runs. `placebos` are token ids of texts that say nothing
    (see `placebo.py`), which no ablation holds but those that measure what such a text does. Implements `Measured`.
    """

    def __init__(
        self,
        language_model: LocalLanguageModel | Scorer | None,
        prompt: SegmentedPrompt | PromptSegments,
        answer: Sequence[int],
        store: EvaluationStore | None = None,
        placebos: Sequence[Sequence[int]] = (),
    ) -> None:
        """`answer` is token ids, at least one. Without a model only what is known already can be read."""
        self.model = language_model
        given = prompt if isinstance(prompt, PromptSegments) else PromptSegments.from_prompt(prompt)
        self.passages = given.passages
        self.segments = _with_placebos(given, placebos)
        self.answer = tuple(int(token) for token in answer)
        self.store = store
        self._known: dict[bytes, NDArray[np.float32]] = {}
        self.own_scalar = ""
        self.noise = Noise("")
        self.tokens = Tokens()
        self.seconds = 0.0

    @property
    def ablations(self) -> int:
        """Number of distinct ablations evaluated so far."""
        return len(self._known)

    def evaluate(self, keep: BoolArray, progress: Progress | None = None, cancelled: Cancelled | None = None) -> bool:
        """See `Measured.evaluate`. Errors: those of `likelihood.score`."""
        wanted = np.array([row for row in distinct_rows(keep) if row.tobytes() not in self._known], dtype=bool)
        if not len(wanted):
            return True
        if self.model is None:
            return False
        start = time.perf_counter()
        scores = score(
            self.model,
            self.segments,
            [self.answer],
            wanted,
            store=self.store,
            progress=progress,
            cancelled=cancelled,
        )
        for number, row in enumerate(scores.rows):
            self._known[wanted[row].tobytes()] = scores.tokens[0][number]
        cost = scores.cost
        self.tokens += Tokens(cost.computed, cost.shared, cost.floor, cost.naive)
        self.noise = worse(self.noise, scores.noise) if self.noise.dtype else scores.noise
        self.seconds += time.perf_counter() - start
        return scores.status == "complete"

    def known(self, keep: BoolArray) -> BoolArray:
        """See `Measured.known`."""
        return np.array([row.tobytes() in self._known for row in keep], dtype=bool)

    def rows(self, keep: BoolArray) -> NDArray[np.float32]:
        """Return the log-probabilities float32 [ablation, token] of ablations that are known."""
        listed = [self._known[row.tobytes()] for row in keep]
        return np.stack(listed) if listed else np.zeros((0, len(self.answer)), np.float32)

    def values(self, keep: BoolArray, spans: Sequence[Span], scalar: str) -> FloatArray:
        """See `Measured.values`. Errors: `UsageError` for an unknown scalar."""
        return span_values(self.rows(keep), spans, scalar)

    def errors(self, keep: BoolArray, spans: Sequence[Span], scalar: str) -> FloatArray:
        """See `Measured.errors`; from the noise that the engine measured, at least that of the number format."""
        return span_errors(self.rows(keep), spans, scalar, self._error)

    def unit(self, scalar: str) -> str:
        """See `Measured.unit`."""
        return scalar_named(scalar).unit

    def memory_shares(self, spans: Sequence[Span]) -> list[float | None]:
        """See `Measured.memory_shares`: the ratio of the geometric mean token probabilities."""
        keep = self.masks(np.array([[True] * self.passages, [False] * self.passages], bool))
        if not self.known(keep).all():
            return [None for _ in spans]
        values = self.values(keep, spans, "mean_log_likelihood")
        return [float(np.exp(min(0.0, column[1] - column[0]))) for column in values.T]

    def masks(self, keep: BoolArray) -> BoolArray:
        """See `segment_masks`."""
        return segment_masks(keep, self.segments, self.passages)

    def contents(self) -> dict[str, NDArray[np.float32]]:
        """Return what is known: log-probabilities [token] by mask, as a string of 0 and 1 per segment."""
        width = len(self.segments.segments)
        return {_bits(key, width): values for key, values in self._known.items()}

    def remember(self, contents: dict[str, NDArray[np.float32]]) -> None:
        """Take over what `contents` gave; see `recording.py`."""
        for bits, values in contents.items():
            self._known[np.array([bit == "1" for bit in bits], bool).tobytes()] = values

    def _error(self, tokens: int) -> float:
        token = max(self.noise.token, LEAST_ERRORS.get(self.noise.dtype, 0.0))
        return float(max(self.noise.for_length(tokens), token * np.sqrt(tokens)))


def segment_masks(keep: BoolArray, segments: PromptSegments, passages: int) -> BoolArray:
    """Turn masks over passages into masks over segments: a passage stays or goes whole, placebos are out."""
    everything = np.zeros((len(keep), segments.passages), bool)
    everything[:, :passages] = keep
    return everything[:, list(segments.passage)]


def distinct_rows(keep: BoolArray) -> Iterable[BoolArray]:
    """Return the different rows in order of first occurrence."""
    return {row.tobytes(): row for row in np.ascontiguousarray(keep)}.values()


def _with_placebos(prompt: PromptSegments, placebos: Sequence[Sequence[int]]) -> PromptSegments:
    more = tuple(tuple(int(token) for token in ids) for ids in placebos if len(ids))
    numbers = tuple(range(prompt.passages, prompt.passages + len(more)))
    return PromptSegments(
        prompt.head,
        prompt.segments + more,
        prompt.tail,
        prompt.passage + numbers,
        prompt.signature + (False,) * len(more),
    )


def _bits(key: bytes, width: int) -> str:
    return "".join("1" if kept else "0" for kept in np.frombuffer(key, dtype=bool)[:width])
