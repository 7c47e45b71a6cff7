"""Many files to readings, in order, by worker processes that may die without taking the run along.

Workers are started as fresh interpreters (`python -m fonte.documents.worker`), not forked and not through
`multiprocessing`: nothing of the caller's program is imported again, so it works from scripts without a main guard,
from notebooks and from threads.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import BinaryIO, cast

import fonte
from fonte.documents.formats import FORMATS, suffix_of
from fonte.documents.read import read_file
from fonte.documents.reading import Reading
from fonte.documents.transport import unpack
from fonte.documents.worker import receive, send
from fonte.errors import UsageError

_HERE_AT_MOST = 2**18
_LOOK_AHEAD = 4
_SUPPORTED = frozenset(suffix for known in FORMATS for suffix in known.suffixes)
_ISOLATED = frozenset(suffix for known in FORMATS if known.isolated for suffix in known.suffixes)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one file may cost in a worker: `seconds` of wall clock and `memory` bytes of address space (0: no bound)."""

    seconds: float = 120.0
    memory: int = 3 * 2**30


_BOUNDS, _OCR_BOUNDS = Bounds(), Bounds(seconds=1800.0, memory=8 * 2**30)


def read_files(
    files: Iterable[tuple[Path, str]], processes: int = 1, *, ocr: bool = False, bounds: Bounds | None = None
) -> Iterator[tuple[Path, Reading]]:
    """Read `files`, pairs of path and name, and give each path with its reading, in the order of `files`.

    Texts up to 256 KB are read here; all else in one of `processes` workers. A file that takes longer or needs more
    than `bounds` allows, or kills its worker, is `failed` with the reason; the others are read by a new worker. At most
    `4 * processes` readings wait for the caller, so that ten thousand files never lie in memory at once.
    Errors: `UsageError` if `processes` is below 1.
    """
    if processes < 1:
        raise UsageError(f"processes is {processes}; reading needs at least 1.")
    return _read_files(files, processes, ocr, bounds or (_OCR_BOUNDS if ocr else _BOUNDS))


def _read_files(
    files: Iterable[tuple[Path, str]], processes: int, ocr: bool, bounds: Bounds
) -> Iterator[tuple[Path, Reading]]:
    waiting: deque[tuple[Path, Callable[[], Reading]]] = deque()
    with _Crew(processes, ocr, bounds) as crew:
        for path, name in files:
            waiting.append((path, crew.reading(path, name)))
            if len(waiting) >= _LOOK_AHEAD * processes:
                first, result = waiting.popleft()
                yield first, result()
        while waiting:
            first, result = waiting.popleft()
            yield first, result()


class _Crew:
    """Up to `processes` workers, each tended by a thread that only waits for it."""

    def __init__(self, processes: int, ocr: bool, bounds: Bounds) -> None:
        self._ocr, self._bounds = ocr, bounds
        self._threads = ThreadPoolExecutor(processes, thread_name_prefix="fonte-reader")
        self._free: SimpleQueue[_Worker] = SimpleQueue()
        self._workers = [_Worker(bounds) for _ in range(processes)]
        for worker in self._workers:
            self._free.put(worker)

    def __enter__(self) -> _Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop at once, also in the middle of a file: the caller wants no more results."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.retire()
        self._threads.shutdown(wait=True)
        for worker in self._workers:
            worker.close()

    def reading(self, path: Path, name: str) -> Callable[[], Reading]:
        """Return a function that waits for the reading of `path`."""
        if _is_light(path):
            return lambda: read_file(path, name, ocr=self._ocr)
        return self._threads.submit(self._read, path, name).result

    def _read(self, path: Path, name: str) -> Reading:
        worker = self._free.get()
        try:
            return worker.read(path, name, self._ocr)
        finally:
            self._free.put(worker)


class _Worker:
    """One worker process, started when first needed and again after it died."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._retired = False

    def read(self, path: Path, name: str, ocr: bool) -> Reading:
        """Have `path` read within the bounds; a worker that dies over it is the file's failure."""
        process = self._running()
        if process is None:
            return Reading("failed", "Reading was stopped.")
        late = threading.Event()
        clock = threading.Timer(self._bounds.seconds, _kill, (process, late))
        clock.daemon = True
        clock.start()
        try:
            send(cast("BinaryIO", process.stdin), pickle.dumps((os.fsencode(path), name, ocr)))
            answer = receive(cast("BinaryIO", process.stdout))
        except (BrokenPipeError, ConnectionError):
            answer = None
        finally:
            clock.cancel()
            clock.join()
        if late.is_set() or answer is None:
            process.kill()
            process.wait()
        return unpack(answer) if answer is not None else self._failure(process.returncode, late.is_set())

    def retire(self) -> None:
        """Kill the process and start no other; a thread that waits for an answer then gets its end."""
        with self._lock:
            self._retired = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """Free what the last process held; call it when no thread reads any more."""
        if self._process is not None:
            _close(self._process)

    def _running(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._retired:
                return None
            if self._process is not None and self._process.poll() is not None:
                _close(self._process)
                self._process = None
            if self._process is None:
                self._process = _start(self._bounds)
            return self._process

    def _failure(self, code: int, late: bool) -> Reading:
        if late:
            return Reading("failed", f"Reading it took longer than {self._bounds.seconds:g} seconds and was stopped.")
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        hint = "the file is broken, or needs more memory than allowed"
        return Reading("failed", f"The reader crashed on this file ({how}): {hint}.")


def _is_light(path: Path) -> bool:
    """Tell small text files, and what only needs a reason, from work for a worker."""
    suffix = suffix_of(path)
    if suffix and suffix not in _SUPPORTED:
        return True
    try:
        return bool(suffix) and suffix not in _ISOLATED and path.stat().st_size <= _HERE_AT_MOST
    except OSError:
        return True


def _start(bounds: Bounds) -> subprocess.Popen[bytes]:
    """Start a worker that finds the same packages as this process, but nothing in the current folder (`-P`)."""
    package = str(Path(fonte.__file__).resolve().parents[1])
    places = [package, *(place for place in sys.path if os.path.isabs(place))]  # noqa: PTH117 - plain strings
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "fonte.documents.worker", str(bounds.memory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(places)), "OMP_NUM_THREADS": "1"},
    )


def _kill(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    process.kill()


def _close(process: subprocess.Popen[bytes]) -> None:
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            try:
                stream.close()
            except OSError:  # unsent bytes for a dead process
                continue
