"""An ingest and a reindex in a process that is killed at a random moment.

    python -m tests.corpus.killing [--kills 30] [--seed 0]

The test suite kills a few times; this program, with the same code, as often as asked.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from fonte.corpus import Corpus
from fonte.settings import EmbedderSettings, LanguageModelSettings, RetrievalSettings, Settings
from tests.tiny import tiny_embedder_folder

# Forked from a server that has imported everything and started no thread: a child is at work in a moment.
PROCESSES = multiprocessing.get_context("forkserver")


def settings_for(embedder: str, tokens: int) -> Settings:
    """Return settings with a tiny embedder; `tokens` decides the pipeline, so that a second value cuts anew."""
    plain = Settings(
        embedder=EmbedderSettings(model=embedder, batch_size=4, threads=1),
        language_model=LanguageModelSettings(model="none"),
        retrieval=RetrievalSettings(mode="lexical"),
    )
    return plain.model_copy(update={"chunking": plain.chunking.model_copy(update={"tokens": tokens})})


def ingest(folder: str, library: str, settings: Settings) -> None:
    """Add the library; what is written together is made small, so that there are many moments to be killed at."""
    from fonte.corpus import ingest as module

    module.CHUNKS_PER_WRITE = 8
    with Corpus.open(folder, settings, create=True) as corpus:
        corpus.add([library])


def reindex(folder: str, settings: Settings) -> None:
    """Build the index anew, in small batches."""
    from fonte.corpus import index as module

    module.CHARACTERS_PER_WRITE = 2000
    with Corpus.open(folder, settings) as corpus:
        corpus.reindex()


def seconds_of(work, *arguments) -> float:
    """Run `work` to its end in a process and return how long that took. Errors: `RuntimeError` if it failed."""
    start = time.perf_counter()
    process = PROCESSES.Process(target=work, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        raise RuntimeError(f"{work.__name__} failed with exit code {process.exitcode}")
    return time.perf_counter() - start


def kill_during(work, moment: float, *arguments) -> bool:
    """Start `work`, kill it with -9 after `moment` seconds, and return whether it was still at work."""
    process = PROCESSES.Process(target=work, args=arguments)
    process.start()
    process.join(moment)
    alive = process.is_alive()
    if alive:
        os.kill(process.pid, signal.SIGKILL)
    process.join()
    return alive


def write_library(folder: Path, files: int = 24, edition: int = 0) -> Path:
    """Write text files of a few chunks each; every third has another text in another `edition`."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        other = f" in edition {edition}" if edition and number % 3 == 0 else ""
        lines = [f"Sentence {line} of file {number}{other} says that valve {line} opens." for line in range(40)]
        (folder / f"file{number:02d}.txt").write_text("\n\n".join(lines), "utf-8")
    return folder


def holdings(folder: Path, settings: Settings) -> dict[str, tuple[str, str, int]]:
    """Return what the index holds, after checking it against the records and for doubled ids."""
    with Corpus.open(folder, settings) as corpus:
        states = corpus.index.store.document_states()
        counts = corpus.status()
        if counts["chunks"] != counts["index_rows"] or corpus.missing_chunks():
            raise RuntimeError(f"records and index disagree: {counts}")
        ids = [chunk.id for key in states for chunk in corpus.index.store.read_range(key, 0, 10**6)]
        if len(ids) != len(set(ids)):
            raise RuntimeError("chunk ids are doubled")
        return {key: (state.version, state.pipeline, state.chunks) for key, state in states.items()}


def kill_many(base: Path, embedder: str, kills: int, seed: int) -> dict[str, int]:
    """Kill `kills` ingests and `kills` reindexes at random moments; return how many were hit while at work.

    After each kill the corpus must answer from what it held; at the end the next undisturbed run must give exactly what
    an undisturbed corpus holds. Errors: `RuntimeError`.
    """
    generator = random.Random(seed)
    first, second = settings_for(embedder, 120), settings_for(embedder, 60)
    library = write_library(base / "library")
    seconds_of(ingest, str(base / "warm"), str(library), first)  # the fork server imports everything once
    seconds_of(ingest, str(base / "first"), str(library), first)
    write_library(library, edition=kills + 1)
    usual = seconds_of(ingest, str(base / "first"), str(library), first)  # of an edition: what is killed below
    hits = {"ingest": 0, "reindex": 0}
    for edition in range(kills):
        write_library(library, edition=edition + 1)
        moment = generator.uniform(0, usual)
        hits["ingest"] += kill_during(ingest, moment, str(base / "hit"), str(library), first)
    seconds_of(ingest, str(base / "hit"), str(library), first)
    seconds_of(ingest, str(base / "calm"), str(library), first)
    if holdings(base / "hit", first) != holdings(base / "calm", first):
        raise RuntimeError("after killed ingests the next run holds something else than an undisturbed one")
    usual = seconds_of(reindex, str(base / "calm"), second)
    for _ in range(kills):
        hits["reindex"] += kill_during(reindex, generator.uniform(0, usual), str(base / "hit"), second)
        with Corpus.open(base / "hit", first) as corpus:
            if not corpus.search("valve opens"):
                raise RuntimeError("a killed reindex left a corpus that does not answer")
    seconds_of(reindex, str(base / "hit"), second)
    if holdings(base / "hit", second) != holdings(base / "calm", second):
        raise RuntimeError("after killed reindexes the next run holds something else than an undisturbed one")
    return hits


def main() -> None:
    """Print how many runs were killed at work; exit 1 with the reason where something was lost or doubled."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    PROCESSES.set_forkserver_preload(["fonte.corpus.corpus", "sentence_transformers"])
    with tempfile.TemporaryDirectory() as base:
        hits = kill_many(Path(base), str(tiny_embedder_folder(256, 512, 0)), arguments.kills, arguments.seed)
    sys.stdout.write(f"killed at work: {hits}; nothing lost, nothing doubled\n")


if __name__ == "__main__":
    main()
