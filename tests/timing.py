"""Time in tests: how it grows, and waiting for what must come. Absolute speeds are measured in `benchmarks/`."""

import time
from collections.abc import Callable


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of the fastest of three runs: what else the machine does only adds to it."""
    return min(_once(work) for _ in range(3))


def _once(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def grows_linearly(work: Callable[[int], object], small: int, large: int) -> bool:
    """Return whether `work(large)` takes about `large / small` times as long as `work(small)`.

    Four times that is still linear (caches, allocation, a busy machine); quadratic work would take `(large / small)`
    times that, so `large` should be at least sixteen times `small`.
    """
    work(small)  # what is loaded or compiled at first use
    return seconds(lambda: work(large)) < 4 * large / small * seconds(lambda: work(small)) + 0.1


def until(happened: Callable[[], object], seconds: float = 60) -> None:
    """Wait for `happened()` to be true: never for a fixed time, which is too short on a busy machine.

    Errors: `AssertionError` after `seconds`.
    """
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, f"did not happen within {seconds} seconds"
        time.sleep(0.01)
