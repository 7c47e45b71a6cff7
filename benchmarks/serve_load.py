"""Measure the server under load: many answers streamed at once, and searches at a steady rate.

    python benchmarks/serve_load.py [--clients 200] [--rate 50] [--seconds 20] [--chunks 10000] [--json]

Server and clients are two processes on loopback. Answers come from a fast stand-in for a language model, which writes
words that name their client, so that a lost or mixed token shows. Searches run on `--chunks` distinct passages,
generated sentences embedded by the default embedder (with `--cache` a corpus is kept between runs), hybrid, at
`--rate` requests per second whether or not the last one has been answered. `p50_ms` and `p99_ms` are the time to
the first event of a stream, and to the whole response of a search; `memory_mb` is the most that the server held.
Run it on an idle machine; the load before the run is part of the report.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil

WORDS = 60
DOCUMENTS_OF = 20
GOAL_MILLISECONDS = 250.0
_CLIENT = re.compile(r"client (\d+)")


def main() -> None:
    """Start the server, run both scenarios, print the report."""
    arguments = _arguments()
    if arguments.serve:
        _serve(arguments.serve, arguments.clients)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = _corpus(arguments.cache or Path(scratch), arguments.chunks)
        command = [sys.executable, __file__, "--serve", str(folder), "--clients", str(arguments.clients)]
        environment = {**os.environ, "FONTE_CONFIG": f"{scratch}/fonte.toml"}
        load = round(os.getloadavg()[0], 1)
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        try:
            assert server.stdout is not None
            url = json.loads(server.stdout.readline())["url"]
            memory = _Memory(server.pid)
            rows = [
                asyncio.run(_streams(url, arguments.clients, memory)),
                asyncio.run(_searches(url, arguments.rate, arguments.seconds, memory)),
            ]
        finally:
            server.terminate()
            server.wait()
    result = {
        "cores": os.cpu_count(),
        "load_before": load,
        "chunks": arguments.chunks,
        "rate": arguments.rate,
        "rows": rows,
    }
    print(json.dumps(result, indent=2) if arguments.json else _table(rows))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--rate", type=float, default=50.0, help="searches per second")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long to search")
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--cache", type=Path, help="folder in which the corpus is kept between runs")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


class FastModel:
    """Writes words that repeat the number of the client in the question, as fast as they are taken."""

    name, fingerprint, context_window = "fast", "fast-1", 100_000

    def count_tokens(self, text: str) -> int:
        """See `LanguageModel.count_tokens`."""
        return len(text) // 4

    def choose(self, prompts: Any, options: Any, *, prefix: str = "") -> Any:
        """See `LanguageModel.choose`."""
        return np.full((len(prompts), len(options)), 1 / len(options))

    def stream(self, prompt: Any, **_: Any) -> Iterator[Any]:
        """See `LanguageModel.stream`."""
        from fonte.models import Delta

        found = _CLIENT.search(prompt.tail)
        number = found[1] if found else "?"
        for word in range(WORDS):
            yield Delta(f"c{number}w{word} ")
        yield Delta(finish_reason="stop", completion_tokens=WORDS)

    def generate(self, prompt: Any, **options: Any) -> Any:
        """See `LanguageModel.generate`."""
        from fonte.models import Generation

        return Generation("".join(delta.text for delta in self.stream(prompt, **options)))


def _serve(folder: Path, clients: int) -> None:
    from fonte.corpus import Corpus
    from fonte.serving.run import Running, listen
    from fonte.serving.service import Service
    from fonte.settings import GenerationSettings, Settings

    settings = Settings(generation=GenerationSettings(mode="write"))
    with Corpus.open(folder, settings) as corpus:
        corpus.language_model = FastModel()  # type: ignore[assignment]
        running = Running(Service(corpus, answers_at_once=min(clients, 64)), listen("127.0.0.1", 0))
        running.run(lambda url: print(json.dumps({"url": url}), flush=True))


def _corpus(folder: Path, chunks: int) -> Path:
    """Return a corpus of `chunks` passages, made now where the folder holds none of this size."""
    from fonte.corpus import Corpus

    place = folder / f"corpus-{chunks}"
    if (place / "complete").exists():
        return place
    texts = list(_texts(chunks))
    source = folder / f"texts-{chunks}"
    source.mkdir(parents=True, exist_ok=True)
    for first in range(0, chunks, 1000):
        lines = [json.dumps({"id": str(first + n), "text": text}) for n, text in enumerate(texts[first : first + 1000])]
        (source / f"{first}.jsonl").write_text("\n".join(lines), "utf-8")
    with Corpus.open(place, create=True) as corpus:
        corpus.add([source], progress=lambda done, total: _progress(f"indexed {done} of {total} files"))
    (place / "complete").touch()
    return place


def _texts(count: int) -> Iterator[str]:
    chance = random.Random(8)
    things = [
        "pump",
        "valve",
        "lamp",
        "filter",
        "kettle",
        "motor",
        "sensor",
        "hinge",
        "cable",
        "battery",
        "fan",
        "door",
    ]
    acts = ["opens at", "runs for", "weighs", "holds", "is cleaned after", "is replaced after", "stops below", "needs"]
    units = ["bar", "hours", "grams", "litres", "days", "volts", "degrees", "metres"]
    for number in range(count):
        sentences = [
            f"The {chance.choice(things)} of model M{number}-{chance.randrange(99)} {chance.choice(acts)} "
            f"{chance.randrange(2, 900)} {chance.choice(units)}."
            for _ in range(4)
        ]
        yield " ".join(sentences)


async def _streams(url: str, clients: int, memory: _Memory) -> dict[str, Any]:
    """Let every client ask once, all at the same moment."""
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=url, timeout=300, limits=limits) as client:
        await _stream(client, 0)  # what is loaded at first use
        found = await asyncio.gather(*(_stream(client, number) for number in range(clients)))
    first = [seconds for seconds, _, _ in found if seconds is not None]
    return _row(
        "stream", clients, clients, sum(bad for _, bad, _ in found), sum(lost for *_, lost in found), first, memory
    )


async def _stream(client: httpx.AsyncClient, number: int) -> tuple[float | None, int, int]:
    """Return the seconds to the first event, whether it failed, and how many words were lost or not its own."""
    question = f"What does the pump of client {number} need?"
    body = {"model": "fonte-write", "stream": True, "messages": [{"role": "user", "content": question}]}
    begun, first, text, ended = time.perf_counter(), None, "", False
    try:
        async with client.stream("POST", "/v1/chat/completions", json=body) as response:
            async for line in response.aiter_lines():
                if not line.startswith("data: "):
                    continue
                first = first or time.perf_counter() - begun
                ended = line == "data: [DONE]"
                if ended:
                    break
                for choice in json.loads(line[6:]).get("choices", []):
                    text += choice["delta"].get("content", "")
    except (httpx.HTTPError, ValueError):
        return first, 1, 0
    words = re.findall(r"c\d+w\d+", text)
    wanted = [f"c{number}w{word}" for word in range(WORDS)]
    lost = sum(one != other for one, other in zip(words, wanted, strict=False)) + abs(len(words) - len(wanted))
    return first, int(not ended or response.status_code != 200), lost


async def _searches(url: str, rate: float, seconds: float, memory: _Memory) -> dict[str, Any]:
    """Send searches at a steady rate."""
    questions = list(_texts(400))
    count = round(rate * seconds)
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=httpx.Limits(max_connections=None)) as client:
        for question in questions[:10]:
            await _search(client, question)
        begun, tasks = time.perf_counter(), []
        for number in range(count):
            await asyncio.sleep(max(0.0, begun + number / rate - time.perf_counter()))
            question = questions[number % len(questions)].split(".")[0]
            tasks.append(asyncio.create_task(_search(client, question)))
        found = await asyncio.gather(*tasks)
    times = [spent for spent, bad in found if not bad]
    clients = max(1, round(rate * (sum(times) / max(1, len(times)))))
    return _row("search", clients, count, sum(bad for _, bad in found), 0, times, memory)


async def _search(client: httpx.AsyncClient, question: str) -> tuple[float, int]:
    begun = time.perf_counter()
    try:
        response = await client.post("/v1/search", json={"question": question})
        bad = int(response.status_code != 200 or not response.json()["passages"])
    except httpx.HTTPError:
        bad = 1
    return time.perf_counter() - begun, bad


class _Memory:
    """The most resident memory that a process held, looked at twenty times a second."""

    def __init__(self, process: int) -> None:
        self._process = psutil.Process(process)
        self._most = 0
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def megabytes(self) -> float:
        return round(self._most / 1e6, 1)

    def _watch(self) -> None:
        while True:
            try:
                self._most = max(self._most, self._process.memory_info().rss)
            except psutil.Error:
                return
            time.sleep(0.05)


def _row(
    scenario: str, clients: int, requests: int, errors: int, lost: int, times: list[float], memory: _Memory
) -> dict[str, Any]:
    p50, p99 = (round(1000 * float(np.percentile(times, share)), 1) for share in (50, 99)) if times else (None, None)
    return {
        "scenario": scenario,
        "clients": clients,
        "requests": requests,
        "errors": errors,
        "lost": lost,
        "p50_ms": p50,
        "p99_ms": p99,
        "memory_mb": memory.megabytes,
    }


def _table(rows: list[dict[str, Any]]) -> str:
    names = list(rows[0])
    lines = ["  ".join(f"{name:>10}" for name in names)]
    lines += ["  ".join(f"{row[name]!s:>10}" for name in names) for row in rows]
    met = all(row["errors"] == row["lost"] == 0 for row in rows) and (rows[1]["p99_ms"] or 1e9) < GOAL_MILLISECONDS
    return "\n".join([*lines, f"goals {'met' if met else 'not met'} (no error, nothing lost, search p99 < 250 ms)"])


def _progress(message: str) -> None:
    print(message, file=sys.stderr)


if __name__ == "__main__":
    main()
