"""One call of `score` taken apart: what is distinct, what is known already, what is left to compute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import index

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fonte.errors import UsageError
from fonte.likelihood.cost import Cost, floor_tokens, naive_tokens
from fonte.likelihood.evaluations import EvaluationStore, evaluation_key
from fonte.likelihood.masks import BoolArray, PromptSegments, normalise_keep
from fonte.likelihood.plan import FloatArray, Plan, Scorer
from fonte.likelihood.scores import Scores
from fonte.likelihood.trie import Path, distinct_paths
from fonte.values import SegmentedPrompt


@dataclass
class Work:
    """The distinct prompts and answers of one call, and what is known of them so far.

    `prompt_of[ablation]` is the distinct prompt, `distinct` are the answers without repetitions and empty ones, `known`
    the evaluations by (distinct prompt, distinct answer).
    """

    segments: PromptSegments
    keep: BoolArray
    answers: list[tuple[int, ...]]
    paths: list[Path]
    prompt_of: NDArray[np.int64]
    distinct: list[tuple[int, ...]]
    known: dict[tuple[int, int], FloatArray] = field(default_factory=dict)

    @classmethod
    def prepare(
        cls,
        scorer: Scorer,
        prompt: SegmentedPrompt | PromptSegments,
        answers: Sequence[Sequence[int]],
        keep: ArrayLike,
    ) -> Work:
        """Check everything that the caller gave; see `score` for the errors."""
        segments = prompt if isinstance(prompt, PromptSegments) else PromptSegments.from_prompt(prompt)
        given = [_token_ids(answer, f"answer {number}") for number, answer in enumerate(answers)]
        array = normalise_keep(keep, segments)
        paths, prompt_of = distinct_paths(segments, array)
        work = cls(segments, array, given, paths, prompt_of, list(dict.fromkeys(ids for ids in given if ids)))
        if work.distinct:
            work._check_vocabulary(scorer.vocabulary)
            work._check_lengths(scorer.context_window)
        return work

    @property
    def lengths(self) -> list[int]:
        """Tokens of every distinct prompt, tail included."""
        return [sum(map(len, path)) + len(self.segments.tail) for path in self.paths]

    def recall(self, scorer: Scorer, store: EvaluationStore) -> int:
        """Take over what `store` has; return how many evaluations that is."""
        keys = {self.key(scorer, prompt, answer): (prompt, answer) for prompt, answer in self.pairs()}
        for key, values in store.get(list(keys)).items():
            prompt, answer = keys[key]
            if values.shape == (len(self.distinct[answer]),) and np.isfinite(values).all():
                self.known[prompt, answer] = values
        return len(self.known)

    def key(self, scorer: Scorer, prompt: int, answer: int) -> str:
        """Return the evaluation's key in a store. Errors: `UsageError` where nobody knows which weights these are."""
        if not scorer.fingerprint:
            raise UsageError(
                "Evaluations cannot be stored for a model without a fingerprint: weights that change would be mixed up."
                " Give the scorer a fingerprint that names the weights, or score without a store."
            )
        ids = tuple(token for segment in self.paths[prompt] for token in segment) + self.segments.tail
        return evaluation_key(scorer.fingerprint, scorer.dtype, ids, self.distinct[answer])

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Go through all (distinct prompt, distinct answer)."""
        return ((p, a) for p in range(len(self.paths)) for a in range(len(self.distinct)))

    def plan(self) -> Plan:
        """Return what is still to do."""
        wanted: dict[int, tuple[int, ...]] = {}
        for prompt, answer in self.pairs():
            if (prompt, answer) not in self.known:
                wanted[prompt] = (*wanted.get(prompt, ()), answer)
        return Plan(self.paths, self.segments.tail, self.distinct, wanted)

    def cost(self, spent: tuple[int, int], check: int, stored: int, seconds: float) -> Cost:
        """Count; `spent` is (tokens, calls)."""
        lengths = self.lengths
        naive = naive_tokens([lengths[prompt] for prompt in self.prompt_of], self.answers)
        floor = floor_tokens(self.paths, len(self.segments.tail), self.distinct) if self.distinct else 0
        evaluations = len(self.paths) * len(self.distinct)
        saved = max(naive - spent[0], 0)
        return Cost(spent[0], saved, floor, naive, check, spent[1], evaluations, stored, seconds)

    def scores(self, cost: Cost, scorer: Scorer, status: str, reason: str) -> Scores:
        """Return the rows that are known entirely."""
        ready = [
            row
            for row, prompt in enumerate(self.prompt_of)
            if all((int(prompt), answer) in self.known for answer in range(len(self.distinct)))
        ]
        rows = np.array(ready, dtype=np.int64)
        tokens = tuple(self._matrix(answer, rows) for answer in self.answers)
        sums = np.zeros((len(rows), len(self.answers)), dtype=np.float64)
        for column, matrix in enumerate(tokens):
            sums[:, column] = matrix.sum(axis=1, dtype=np.float64)
        engine = scorer.engine if cost.calls else "stored"
        return Scores(sums, tokens, rows, self.keep[rows], cost, scorer.noise, engine, status, reason or scorer.reason)

    def _matrix(self, answer: tuple[int, ...], rows: NDArray[np.int64]) -> FloatArray:
        matrix = np.zeros((len(rows), len(answer)), dtype=np.float32)
        if answer:
            number = self.distinct.index(answer)
            for place, row in enumerate(rows):
                matrix[place] = self.known[int(self.prompt_of[row]), number]
        return matrix

    def _check_vocabulary(self, vocabulary: int | None) -> None:
        parts = {"head": self.segments.head, "tail": self.segments.tail}
        parts |= {f"segment {number}": ids for number, ids in enumerate(self.segments.segments)}
        parts |= {f"answer {number}": ids for number, ids in enumerate(self.answers)}
        for name, ids in parts.items():
            wrong = [token for token in ids if token < 0 or (vocabulary is not None and token >= vocabulary)]
            if wrong:
                limit = "" if vocabulary is None else f" and below {vocabulary}"
                raise UsageError(f"Token id {wrong[0]} in the {name} does not exist: ids are at least 0{limit}.")

    def _check_lengths(self, window: int | None) -> None:
        lengths, longest = self.lengths, max(map(len, self.distinct))
        for prompt, length in enumerate(lengths):
            row = int(np.flatnonzero(self.prompt_of == prompt)[0])
            if length == 0:
                raise UsageError(
                    f"Ablation {row} leaves a prompt without any token: nothing predicts the answer's first."
                )
            if window is not None and length + longest > window:
                raise UsageError(
                    f"Ablation {row} has a prompt of {length} tokens and the longest answer {longest}, together "
                    f"{length + longest}, above the model's context window of {window}. Nothing is cut: use fewer or "
                    "shorter passages, or a model with a larger window."
                )


def _token_ids(ids: Sequence[int], name: str) -> tuple[int, ...]:
    try:
        return tuple(index(token) for token in ids)
    except TypeError:
        raise UsageError(f"The {name} must be a sequence of token ids (integers), not {type(ids).__name__}.") from None
