"""What an ingest costs beside the embedding that it must do anyway.

    python benchmarks/ingest.py PATH... [--repeats 3] [--json]

For each repeat, in turn and in one process: embed the chunks' texts alone, then ingest PATH into a new corpus (fixed
chunks), with the model already loaded. Goal: the median ratio of the two is at most 1.25.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

from fonte.chunking import chunker_from, embedded_text
from fonte.corpus import Corpus
from fonte.documents import discover, read_file
from fonte.settings import ChunkingSettings, Settings

CHARACTERS_PER_PAGE = 3000


def settings() -> Settings:
    """Return the defaults with fixed chunks."""
    return Settings().model_copy(update={"chunking": ChunkingSettings(chunker="fixed")})


def seconds(work) -> float:
    """Return how long `work` took."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ingest(folder: Path, paths: list[Path], embedder) -> None:
    """Add `paths` to a new corpus with a loaded embedder."""
    with Corpus.open(folder, settings(), create=True) as corpus:
        corpus.index.use(embedder)
        corpus.add(paths)


def measure(paths: list[Path], repeats: int) -> dict[str, object]:
    """Return the figures of all repeats."""
    with tempfile.TemporaryDirectory() as scratch:
        with Corpus.open(Path(scratch) / "first", settings(), create=True) as corpus:
            embedder = corpus.index.embedder
        documents = [
            doc for found in discover(paths) if not found.status for doc in read_file(found.path, found.name).documents
        ]
        chunks = chunker_from(settings().chunking, embedder).chunk(documents)
        texts = sorted({embedded_text(chunk) for chunk in chunks})
        tokens = sum(embedder.count_tokens(texts))
        embedder.embed_documents(texts[:64])
        alone, whole = [], []
        for repeat in range(repeats):
            alone.append(seconds(lambda: embedder.embed_documents(texts)))
            whole.append(seconds(lambda folder=Path(scratch) / str(repeat): ingest(folder, paths, embedder)))
    pages = sum(
        max((block.page or 0 for block in doc.blocks), default=0) or len(doc.text) / CHARACTERS_PER_PAGE
        for doc in documents
    )
    middle = statistics.median(whole)
    return {
        "documents": len(documents),
        "pages": round(pages),
        "chunks": len(chunks),
        "tokens": tokens,
        "embedding_seconds": [round(value, 2) for value in alone],
        "ingest_seconds": [round(value, 2) for value in whole],
        "ratio": round(statistics.median(w / a for w, a in zip(whole, alone, strict=True)), 3),
        "pages_per_second": round(pages / middle, 1),
        "chunks_per_second": round(len(chunks) / middle, 1),
        "tokens_per_second": round(tokens / middle),
        "embedder_tokens_per_second": round(tokens / statistics.median(alone)),
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = measure(arguments.paths, arguments.repeats)
    if arguments.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name.replace('_', ' '):<28}{value}")


if __name__ == "__main__":
    main()
