"""A process that reads files one after another for `pool`, so that a parser may crash, hang or burst without harm."""

from __future__ import annotations

import gc
import os
import pickle
import queue
import signal
import sys
import threading
from pathlib import Path
from typing import BinaryIO

from fonte.documents.read import read_file
from fonte.documents.reading import Reading
from fonte.documents.transport import pack


def main() -> None:
    """Answer each request on standard input (name of a file) with a packed reading on what was standard output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    gc.disable()  # looking for cycles among a million blocks doubles the time; between files it costs nothing
    bound_memory(int(sys.argv[1]))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not get between the answers
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, requests), daemon=True).start()
    while True:
        path, name, ocr = pickle.loads(requests.get())  # written by the parent process
        send(answers, _answer(Path(os.fsdecode(path)), name, ocr))
        gc.collect()


def bound_memory(limit: int) -> None:
    """Bound the address space of this process to `limit` bytes where the system can; 0 sets no bound."""
    try:
        import resource
    except ImportError:  # Windows
        return
    if limit:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def send(stream: BinaryIO, message: bytes) -> None:
    """Write `message` with its length in front."""
    stream.write(len(message).to_bytes(8, "little") + message)
    stream.flush()


def receive(stream: BinaryIO) -> bytes | None:
    """Read what `send` wrote; None where the stream ended before the whole message came."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    size = int.from_bytes(head, "little")
    message = stream.read(size)
    return message if len(message) == size else None


def _answer(path: Path, name: str, ocr: bool) -> bytes:
    try:
        return pack(read_file(path, name, ocr=ocr))
    except MemoryError:
        return pack(Reading("failed", "Reading it needs more memory than allowed. Split the file."))


def _listen(stream: BinaryIO, requests: queue.SimpleQueue[bytes]) -> None:
    """Pass requests on; once the parent is gone, so is this process, whatever it is doing."""
    while (message := receive(stream)) is not None:
        requests.put(message)
    os._exit(0)


if __name__ == "__main__":
    main()
