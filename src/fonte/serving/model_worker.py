"""One thread that alone touches a model; requests of one kind that wait together are computed together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

from fonte.errors import ModelError

Work = Callable[[list[Any]], Iterable[Any]]

_STOPPING = "The server is being stopped."


@dataclass(frozen=True, eq=False)
class _Task:
    work: Work
    items: list[Any]
    result: Future[list[Any]] = field(default_factory=Future)


class ModelWorker:
    """Computes `work(items)` for callers in any thread, at most `most` items at a time.

    Where several callers wait with the same `work`, their items are computed in one call; an error in it is looked into
    caller by caller, so that nobody fails for another's input. `prepare` is called once in the thread; what it raises,
    every caller gets.
    """

    def __init__(self, name: str, most: int, prepare: Callable[[], object] = lambda: None) -> None:
        self.name = name
        self._most = most
        self._prepare = prepare
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._passed: list[_Task] = []
        self._closed = False
        self._closing = threading.Lock()
        self._trouble: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=f"fonte-{name}", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return self._tasks.qsize() + len(self._passed)

    def ask(self, work: Work, items: Sequence[Any]) -> list[Any]:
        """Return one result per item, in order. A large request is cut into pieces, so that others come between.

        Errors: those of `work`; `ModelError` once the worker is closed, also for pieces that are left then.
        """
        pieces = [list(items[first : first + self._most]) for first in range(0, len(items), self._most)]
        results: list[Any] = []
        for piece in pieces:
            results += self._put(_Task(work, piece)).result()
        return results

    def close(self) -> None:
        """End the thread after what waits already."""
        with self._closing:
            self._closed = True
            self._tasks.put(None)

    def _put(self, task: _Task) -> Future[list[Any]]:
        with self._closing:  # nothing comes after the end of the queue: nobody may wait for ever
            if self._closed:
                raise ModelError(_STOPPING)
            self._tasks.put(task)
        return task.result

    def _run(self) -> None:
        try:
            self._prepare()
        except BaseException as error:  # noqa: BLE001 - it belongs to the callers, who get it
            self._trouble = error
        while (task := self._next()) is not None:
            self._compute(self._together_with(task))

    def _next(self) -> _Task | None:
        return self._passed.pop(0) if self._passed else self._tasks.get()

    def _together_with(self, task: _Task) -> list[_Task]:
        """Take what waits with the same work, as long as it fits into one call; the rest keeps its order."""
        batch, size, passed = [task], len(task.items), []
        while size < self._most and (self._passed or not self._tasks.empty()):
            other = self._next()
            if other is None:
                self._tasks.put(None)
                break
            if other.work == task.work and size + len(other.items) <= self._most:
                batch.append(other)
                size += len(other.items)
            else:
                passed.append(other)
        self._passed = passed + self._passed
        return batch

    def _compute(self, batch: list[_Task]) -> None:
        try:
            if self._trouble is not None:
                raise self._trouble
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
