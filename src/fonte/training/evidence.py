"""log p of sampled completions with all passages and without those that support them: what E is computed from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fonte.errors import UsageError
from fonte.likelihood import Cost, EvaluationStore, Noise, PromptSegments, expand_passages, score
from fonte.likelihood.plan import FloatArray
from fonte.likelihood.scorer import Engine, LocalScorer
from fonte.training.contribution import Likelihoods
from fonte.training.counted_tokens import BoolArray
from fonte.training.full_precision import FullPrecision
from fonte.training.lockstep import lockstep
from fonte.values import SegmentedPrompt


@dataclass(frozen=True, eq=False)
class EvidenceScores:
    """Log-probabilities in nats.

    `tokens[completion]` is float32 [variant, token]; variants are all passages, then without supporting passage 0, 1,
    …, then (with `all_removed`) without all of them. `supporting` are positions of passages in the prompt.
    """

    supporting: tuple[int, ...]
    tokens: tuple[FloatArray, ...]
    all_removed: bool
    cost: Cost
    noise: Noise

    def likelihoods(self, completion: int, counted: BoolArray | None = None) -> Likelihoods:
        """Return the sums over the tokens that `counted` (bool [token], None: all) picks."""
        matrix = self.tokens[completion]
        picked = matrix if counted is None else matrix[:, counted]
        full, *others = picked.sum(axis=1, dtype=np.float64).tolist()
        removed = others.pop() if self.all_removed else None
        return Likelihoods(full, tuple(others), removed)


class EvidenceScorer:
    """Scores a group of completions of one prompt with and without its evidence, on the likelihood engine.

    `model` is a transformers causal language model, or a function that returns it (a policy that a trainer makes
    later). It may be in training, under autocast or wrapped by peft: it is run in evaluation mode without gradients and
    autocast, and given back as it was. `dtype` `float32` (default) scores a model of another format with a float32
    copy, refreshed from the live weights at every call, since bfloat16 moves E by up to half a nat at a threshold of
    one; `own` scores it as it is. `weights` `base` switches a peft adapter off: the frozen start as the scorer.
    `fingerprint` names weights that never change, so that a `store` can keep results. Where weights are sharded over
    processes, all of them must score inside `in_step`.
    """

    def __init__(
        self,
        model: Any,
        *,
        dtype: Literal["float32", "own"] = "float32",
        weights: Literal["live", "base"] = "live",
        engine: Engine = "auto",
        fingerprint: str = "",
        store: EvaluationStore | None = None,
    ) -> None:
        if dtype not in ("float32", "own") or weights not in ("live", "base"):
            raise UsageError(f"dtype is float32 or own, weights live or base; not {dtype!r} and {weights!r}.")
        self._model = model
        self._dtype, self._weights, self._engine = dtype, weights, engine
        self._fingerprint, self._store = fingerprint, store
        self._scorer: LocalScorer | None = None
        self._precise: FullPrecision | None = None

    @property
    def noise(self) -> Noise:
        """How far the same sum moves by numeric noise, as far as it was measured."""
        return self._scorer.noise if self._scorer else Noise("")

    @property
    def reason(self) -> str:
        """Why nothing is shared, "" where prefixes are, or before the first use."""
        return self._scorer.reason if self._scorer else ""

    def score(
        self,
        prompt: SegmentedPrompt | PromptSegments,
        supporting: Sequence[int],
        completions: Sequence[Sequence[int]],
        *,
        all_removed: bool = False,
    ) -> EvidenceScores:
        """Score `completions`, the sampled token ids (nothing is tokenised again), after 1 + k prompts.

        `supporting` are k positions of passages (none is fine: then the full prompt alone is scored). Labels of the
        others stay when one is left out. Every distinct prefix is computed once, and equal completions once. Errors:
        those of `fonte.likelihood.score`, and `UsageError` for positions that do not exist or occur twice.
        """
        segments = prompt if isinstance(prompt, PromptSegments) else PromptSegments.from_prompt(prompt)
        chosen = tuple(supporting)
        if len(set(chosen)) < len(chosen) or not all(0 <= place < segments.passages for place in chosen):
            raise UsageError(f"The supporting passages {chosen} are not {segments.passages} passages' positions.")
        keep = expand_passages(leave_out(segments.passages, chosen, all_removed=all_removed), segments)
        model = self._live()
        with self._adapter(model)():
            scores = score(self._scorer_of(model), segments, completions, keep, store=self._store)
        return EvidenceScores(chosen, scores.tokens, all_removed, scores.cost, scores.noise)

    def in_step(self) -> AbstractContextManager[None]:
        """Return a context in which every process runs the same number of forward passes; see `lockstep`."""
        return lockstep(self._live())

    def _live(self) -> Any:
        is_model = hasattr(self._model, "get_input_embeddings")
        return self._model if is_model else self._model()

    def _adapter(self, model: Any) -> Callable[[], AbstractContextManager[Any]]:
        if self._weights == "live":
            return nullcontext
        if not hasattr(model, "disable_adapter"):
            raise UsageError("weights='base' needs a peft adapter to switch off; give a frozen copy as the model.")
        disable: Callable[[], AbstractContextManager[Any]] = model.disable_adapter
        return disable

    def _scorer_of(self, model: Any) -> LocalScorer:
        if self._dtype == "float32":
            self._precise = self._precise or FullPrecision()
            model = self._precise.of(model)
        if self._scorer is None or self._scorer.model is not model:
            self._scorer = LocalScorer(model, fingerprint=self._fingerprint, engine=self._engine)
        return self._scorer


def leave_out(passages: int, supporting: Sequence[int], *, all_removed: bool = False) -> BoolArray:
    """Return the mask bool [1 + k (+ 1), passage]: all, each of `supporting` left out in turn, then all of them."""
    keep = np.ones((1 + len(supporting) + all_removed, passages), dtype=np.bool_)
    for row, place in enumerate(supporting, start=1):
        keep[row, place] = False
    if all_removed:
        keep[-1, list(supporting)] = False
    return keep
