"""Several processes of one training (`accelerate launch`): the main one speaks and writes, the others wait for it.

Nothing here loads torch until there is something to wait for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeVar

Value = TypeVar("Value")

LONGEST_WAIT = timedelta(days=1)  # the libraries' ten minutes are over before the main process has tried its questions


def is_main() -> bool:
    """Return whether this is the main process of a launch, or the only one: by what launchers put in the environment.

    torchrun, accelerate and deepspeed all set `RANK` and `WORLD_SIZE`.
    """
    return int(os.environ.get("WORLD_SIZE", "1")) < 2 or os.environ.get("RANK", "0") == "0"


@contextmanager
def main_first() -> Iterator[None]:
    """Let the main process run the body before the others do, who then find what it wrote."""
    from accelerate import PartialState

    with PartialState(timeout=LONGEST_WAIT).main_process_first():
        yield


def of_main(compute: Callable[[], Value]) -> Value:
    """Return what the main process computes; the others do not compute, they wait for it and get a copy.

    Every process must call it. What `compute` raises is raised on the main process only, and ends the launch.
    """
    from accelerate.utils import broadcast_object_list

    sent: list[Value | None] = [compute() if is_main() else None]
    found: Value = broadcast_object_list(sent)[0]
    return found
