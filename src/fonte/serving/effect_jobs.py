"""Effects measured on request, in the background: one after the other, and never before an answer."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from fonte.corpus import Corpus
from fonte.corpus.explaining import Wish
from fonte.errors import FonteError
from fonte.serving.lanes import Lane
from fonte.serving.metrics import Metrics
from fonte.serving.shapes import answer_shape
from fonte.serving.turns import Turns

_log = logging.getLogger(__name__)

KIND = "explanation"
REMEMBERED = 1000


@dataclass(frozen=True)
class Job:
    """How far a measurement is.

    `state` is `none`, `waiting`, `running`, `done` or `failed`; `done` of `total` ablations (both 0 while that is not
    known); `message` says how long it is expected to take, or what went wrong.
    """

    state: str
    method: str
    level: str
    done: int = 0
    total: int = 0
    message: str = ""


class EffectJobs:
    """The measurements of one server. Results are kept with the record; a server that was killed measures again."""

    def __init__(self, corpus: Corpus, turns: Turns, metrics: Metrics, queue: int) -> None:
        self._corpus = corpus
        self._turns = turns
        self._metrics = metrics
        self._lane = Lane("effects", 1, queue)
        self._jobs: OrderedDict[tuple[str, str, str], Job] = OrderedDict()
        self._lock = threading.Lock()
        self._closing = threading.Event()

    def start(self, record_id: str, method: str, level: str, budget: float | None) -> Job:
        """Begin a measurement, or return the one that runs or is done already.

        Errors: `BusyError` where too many wait.
        """
        key = (record_id, method, level)
        with self._lock:
            known = self._jobs.get(key)
            if known is not None and known.state in ("waiting", "running"):
                return known
            if self.result(record_id, method, level) is not None:
                return Job("done", method, level)
            place = self._lane.enter()
            self._set(key, Job("waiting", method, level))
        future = place.submit(lambda: self._measure(key, budget))
        future.add_done_callback(lambda _: place.__exit__(None, None, None))
        return Job("waiting", method, level)

    def job(self, record_id: str, method: str, level: str) -> Job:
        """Return how far it is."""
        with self._lock:
            known = self._jobs.get((record_id, method, level))
        if known is not None and known.state in ("waiting", "running"):
            return known
        if self.result(record_id, method, level) is not None:
            return Job("done", method, level)
        return known or Job("none", method, level)

    def result(self, record_id: str, method: str, level: str) -> dict[str, Any] | None:
        """Return `explanation`, what `fonte explain --json` prints, and `answer` with its effects; None without."""
        return self.results(record_id).get(f"{method}/{level}")

    def results(self, record_id: str) -> dict[str, dict[str, Any]]:
        """Return what was measured of a record, by method and level."""
        return self._corpus.records.evaluations.all(record_id, KIND)

    def close(self) -> None:
        """End what runs after its present forward pass; nothing of it is kept but single evaluations."""
        self._closing.set()
        self._lane.close()

    def _measure(self, key: tuple[str, str, str], budget: float | None) -> None:
        record_id, method, level = key
        wish = Wish(method, level, budget, self._teller(key), self._stopped)
        self._change(key, state="running")
        try:
            with self._turns.patient():
                found = self._corpus.explain(
                    record_id, wish, lambda done, total: self._change(key, done=done, total=total)
                )
            if not self._closing.is_set():
                told = {"explanation": found.to_json(), "answer": answer_shape(found.answer)}
                self._corpus.records.evaluations.put(record_id, KIND, {f"{method}/{level}": told})
                self._change(key, state="done")
        except FonteError as error:
            self._change(key, state="failed", message=str(error))
        except Exception:  # noqa: BLE001 - whatever it is, the next measurement must run; the operator gets the details
            _log.exception("Measuring %s failed", record_id)
            self._change(key, state="failed", message="Measuring failed unexpectedly; the server's log says more.")
        self._metrics.effects.labels(self.job(*key).state).inc()

    def _stopped(self) -> bool:
        self._turns.pause()
        return self._closing.is_set()

    def _teller(self, key: tuple[str, str, str]) -> Callable[[str], None]:
        return lambda message: self._change(key, message=message)

    def _change(self, key: tuple[str, str, str], **changes: Any) -> None:
        with self._lock:
            self._set(key, replace(self._jobs[key], **changes))

    def _set(self, key: tuple[str, str, str], job: Job) -> None:
        self._jobs[key] = job
        self._jobs.move_to_end(key)
        while len(self._jobs) > REMEMBERED:
            self._jobs.popitem(last=False)
