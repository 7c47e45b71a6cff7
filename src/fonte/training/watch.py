"""Watches a training: writes the curves, asks held-back questions, and stops a run that goes wrong."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from fonte.training.curves import append_row
from fonte.training.guard import Guard, reason_to_stop
from fonte.training.processes import of_main

CLOCK = "seconds"  # of training so far, the parts before interruptions included
Check = Callable[[], dict[str, float]]
Advance = Callable[[int, int], None]


class Watch(TrainerCallback):  # type: ignore[misc]  # transformers has no types
    """A trainer's callback. What `check` measures is added to the trainer's own log, which checkpoints keep.

    `check` runs every `every` steps and at the last one, also where `minutes` make it the last. `advance(done, total)`
    is told of every step. `reason` says why the run was stopped, "" while it was not.
    """

    def __init__(
        self,
        curves: Path,
        guard: Guard,
        check: Check | None,
        every: int,
        minutes: float = 0.0,
        advance: Advance = lambda done, total: None,
    ) -> None:
        self._curves, self._guard, self._check, self._every = curves, guard, check, every
        self._seconds, self._begun, self._advance = minutes * 60, time.monotonic(), advance
        self.reason = ""

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Measure the start of a new run; the clock starts, or goes on where an interrupted run's log left it."""
        before = max((float(row[CLOCK]) for row in state.log_history if CLOCK in row), default=0.0)
        self._begun = time.monotonic() - before
        if state.global_step == 0 and self._check:
            row = {"step": 0, **self._check()}
            state.log_history.append(row)
            self._write(state, row)

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:
        """Complete a step's log, write it, and judge the run."""
        if not logs or "loss" not in logs or not state.log_history:
            return
        row = state.log_history[-1]
        row[CLOCK] = round(time.monotonic() - self._begun, 1)
        # clocks and rounding differ between processes, but all must stop at the same step
        over = of_main(lambda: 0 < self._seconds < time.monotonic() - self._begun)
        last = over or state.global_step == state.max_steps
        if self._check and (last or state.global_step % self._every == 0):
            row.update(self._check())
        self._write(state, row)
        self._advance(state.global_step, state.max_steps)
        self.reason = of_main(lambda: reason_to_stop(state.log_history, self._guard))
        if self.reason or over:
            control.should_training_stop = True

    def _write(self, state: Any, row: dict[str, Any]) -> None:
        if state.is_world_process_zero:
            append_row(self._curves, row)
