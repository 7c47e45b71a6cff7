"""Asking a language model many things, one of which may fail without taking the others along."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

from fonte.errors import EndpointError, ModelError

PATIENCE = 3  # failures of a server in a row (each after its own retries) until it counts as gone

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Failure:
    """A question without an answer, and why; `asked` says whether the model was asked at all."""

    reason: str
    asked: bool = True


class Asker(Generic[T]):
    """Asks as long as there is hope: a server that failed `PATIENCE` times in a row is not asked again.

    Otherwise a server that is down would be waited for once per chunk of a corpus.
    """

    def __init__(self) -> None:
        self._failed = 0
        self._last = ""

    def __call__(self, ask: Callable[[], T]) -> T | Failure:
        """Return what `ask` returns, or the failure: a `ModelError` or `EndpointError` never gets past here."""
        if self._failed >= PATIENCE:
            return Failure(
                f"not asked, since the model failed {PATIENCE} times in a row; the last time: {self._last}", False
            )
        try:
            answer = ask()
        except EndpointError as error:
            self._failed += 1
            self._last = str(error)
            return Failure(str(error))
        except ModelError as error:
            return Failure(str(error))
        self._failed = 0
        return answer


def in_order(work: Callable[[T], R], items: Iterable[T], at_once: int = 1) -> Iterator[R]:
    """Yield `work(item)` for each item, in their order; up to `at_once` run at the same time (servers only)."""
    if at_once <= 1:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(at_once, "chop") as pool:
        yield from pool.map(work, items)
