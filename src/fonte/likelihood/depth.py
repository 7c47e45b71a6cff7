"""The depth-first walk: one key-value path that grows and is cut back, answers as a batch at its end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from fonte.likelihood.cache import PathCache
from fonte.likelihood.forward import Forward, log_probabilities
from fonte.likelihood.plan import Cancelled, Evaluation, FloatArray, Plan, Stop
from fonte.likelihood.trie import Visit


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one forward pass may hold: `tokens` over the whole batch, `logits` numbers, and padding.

    `padding` is the largest share of padding in a batch of answers of different lengths.
    """

    tokens: int = 1024
    logits: int = 1 << 26
    padding: float = 0.02


class DepthFirst:
    """One walk over `plan`: never more keys and values than one path plus one batch of answers.

    `cache` is public for the sake of measuring its length.
    """

    def __init__(self, forward: Forward, plan: Plan, bounds: Bounds, stop: Stop) -> None:
        self.forward, self.plan, self.bounds, self.stop = forward, plan, bounds, stop
        self.cache = PathCache(forward.model.config, plan.longest())

    def __iter__(self) -> Iterator[Evaluation]:
        """Score the visits in order."""
        for visit in self.plan.visits:
            tokens, calls = self.forward.tokens, self.forward.calls
            if self.cache.length != visit.shared:
                self.cache.cut(visit.shared)
            scored = self._visit(visit)
            yield Evaluation(visit.prompt, scored, self.forward.tokens - tokens, self.forward.calls - calls)

    def _visit(self, visit: Visit) -> dict[int, FloatArray]:
        wanted = self.plan.wanted[visit.prompt]
        path = visit.tokens + self.plan.tail
        if len(wanted) == 1:
            answer = self.plan.answers[wanted[0]]
            return {wanted[0]: self._run(path + answer[:-1], answer, visit.branches)}
        first = [self.plan.answers[number][0] for number in wanted]
        starts = self._run(path, first, visit.branches, fan=True)
        self.cache.save()
        scored = {number: starts[place : place + 1] for place, number in enumerate(wanted)}
        for batch in self._batches([number for number in wanted if len(self.plan.answers[number]) > 1]):
            for number, rest in self._answer(batch).items():
                scored[number] = np.concatenate([scored[number], rest])
        return scored

    def _run(
        self, ids: tuple[int, ...], targets: Sequence[int], branches: Sequence[int] = (), *, fan: bool = False
    ) -> FloatArray:
        """Append `ids` to the path; its last positions predict `targets` (with `fan` the very last predicts all)."""
        needed = len(ids) - (1 if fan else len(targets))
        kept = []
        origin = self.cache.length
        for start, end in self._pieces(len(ids), needed, [place - origin for place in branches]):
            if self.stop():
                raise Cancelled
            positions = list(range(max(needed - start, 0), end - start))
            piece = torch.tensor([ids[start:end]], device=self.forward.device)
            logits = self.forward.logits(piece, positions, cache=self.cache, use_cache=True)
            self.cache.grow(end - start)
            if origin + end in branches:
                self.cache.save()
            if positions:
                kept.append(self._read(logits[0], targets, start + positions[0] - needed, fan=fan))
        return np.concatenate(kept) if kept else np.zeros(0, dtype=np.float32)

    def _read(self, logits: torch.Tensor, targets: Sequence[int], first: int, *, fan: bool) -> FloatArray:
        chosen = targets if fan else targets[first : first + len(logits)]
        rows = logits.expand(len(chosen), -1) if fan else logits
        return log_probabilities(rows, torch.tensor(chosen, dtype=torch.long))

    def _pieces(self, length: int, needed: int, stops: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Cut `length` tokens into pieces that fit the bounds; running states also stop where walks return to."""
        room = self._room()
        places = sorted(stops) if self.cache.stateful else []
        start = 0
        while start < length:
            end = min(start + self.bounds.tokens, length, max(start, needed) + room)
            end = min([end, *(place for place in places if place > start)])
            yield start, end
            start = end

    def _answer(self, batch: list[int]) -> dict[int, FloatArray]:
        """Score the answers of `batch` after the path's end, from their second token on; the path stays as it was."""
        if self.stop():
            raise Cancelled
        end = self.cache.length
        answers = [self.plan.answers[number] for number in batch]
        if len(batch) == 1:
            scored = {batch[0]: self._run(answers[0][:-1], answers[0][1:])}
        else:
            longest = max(len(answer) for answer in answers) - 1
            # padding goes behind the answers: a causal model never looks at it
            rows = [[*answer[:-1], *[answer[0]] * (longest + 1 - len(answer))] for answer in answers]
            ids = torch.tensor(rows, device=self.forward.device)
            self.cache.widen(len(batch))
            logits = self.forward.logits(ids, list(range(longest)), cache=self.cache, use_cache=True)
            scored = {
                number: log_probabilities(row[: len(answer) - 1], torch.tensor(answer[1:], dtype=torch.long))
                for number, answer, row in zip(batch, answers, logits, strict=True)
            }
        self.cache.cut(end)
        return scored

    def _batches(self, numbers: list[int]) -> Iterator[list[int]]:
        """Group answers of like length so that a batch fits the bounds."""
        batch: list[int] = []
        real = 0
        for number in sorted(numbers, key=lambda number: -len(self.plan.answers[number])):
            length = len(self.plan.answers[number]) - 1
            padded = (len(batch) + 1) * (len(self.plan.answers[batch[0]]) - 1 if batch else length)
            full = padded > min(self.bounds.tokens, self._room())
            if batch and (full or padded - real - length > self.bounds.padding * padded):
                yield batch
                batch, real = [], 0
            batch.append(number)
            real += length
        if batch:
            yield batch

    def _room(self) -> int:
        """Positions whose logits may be held at once."""
        return max(1, self.bounds.logits // self.forward.vocabulary)
