"""One thread that alone touches a model; requests of one kind that wait together are computed together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import count
from queue import PriorityQueue
from typing import Any

from fonte.errors import ModelError

Work = Callable[[list[Any]], Iterable[Any]]

URGENT, PATIENT = 0, 1
_LAST = 9
_STOPPING = "The server is being stopped."


@dataclass(order=True)
class _Task:
    rank: int
    number: int
    work: Work = field(compare=False)
    items: list[Any] = field(compare=False)
    result: Future[list[Any]] = field(compare=False, default_factory=Future)


class ModelWorker:
    """Computes `work(items)` for callers in any thread, at most `most` items at a time.

    Where several callers wait with the same `work`, their items are computed in one call; an error in it is looked into
    caller by caller, so that nobody fails for another's input.
    """

    def __init__(self, name: str, most: int) -> None:
        self.name = name
        self._most = most
        self._tasks: PriorityQueue[_Task] = PriorityQueue()
        self._numbers = count()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=f"fonte-{name}", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return self._tasks.qsize()

    def ask(self, work: Work, items: Sequence[Any], rank: int = URGENT) -> list[Any]:
        """Return one result per item, in order. Patient requests are cut into pieces, so that urgent ones pass them."""
        if self._closed:
            raise ModelError(_STOPPING)
        pieces = [list(items[first : first + self._most]) for first in range(0, len(items), self._most)]
        results: list[Any] = []
        for piece in pieces:
            task = _Task(rank, next(self._numbers), work, piece)
            self._tasks.put(task)
            results += task.result.result()
        return results

    def close(self) -> None:
        """End the thread after what waits already."""
        self._closed = True
        self._tasks.put(_Task(_LAST, next(self._numbers), list, []))

    def _run(self) -> None:
        while (task := self._tasks.get()).rank != _LAST:
            self._compute(self._together_with(task))
        while not self._tasks.empty():  # asked for at the very moment of closing: nobody may wait for ever
            self._tasks.get().result.set_exception(ModelError(_STOPPING))

    def _together_with(self, task: _Task) -> list[_Task]:
        """Take what waits with the same work, as long as it fits into one call."""
        batch, size, passed = [task], len(task.items), []
        while size < self._most and not self._tasks.empty():
            other = self._tasks.get()
            if other.work == task.work and size + len(other.items) <= self._most:
                batch.append(other)
                size += len(other.items)
            else:
                passed.append(other)
        for other in passed:
            self._tasks.put(other)
        return batch

    def _compute(self, batch: list[_Task]) -> None:
        try:
            results = list(batch[0].work([item for task in batch for item in task.items]))
        except BaseException as error:  # noqa: BLE001 - it belongs to a caller, who gets it
            if len(batch) == 1:
                batch[0].result.set_exception(error)
                return
            for task in batch:
                self._compute([task])
            return
        for task in batch:
            task.result.set_result(results[: len(task.items)])
            results = results[len(task.items) :]
