"""Writes to a store, to be run many times at once or killed: writer.py STORE NAME ROUNDS DOCUMENTS CHUNKS."""

import sys
from pathlib import Path

import numpy as np

from fonte.retrieval import LanceStore, Row
from fonte.values import Chunk


def rows(document_id, version, chunks):
    for ordinal in range(chunks):
        text = f"document {document_id} part {ordinal}"
        vector = np.zeros(8, np.float32)
        vector[ordinal % 8] = 1
        chunk = Chunk(document_id, version, "pipeline", ordinal, ordinal * 10, ordinal * 10 + 5, text)
        yield Row(chunk, document_id, vector, text, text)


if __name__ == "__main__":
    store = LanceStore.open(Path(sys.argv[1]))
    name, rounds, documents, chunks = sys.argv[2], *map(int, sys.argv[3:6])
    sys.stdout.write("open\n")
    sys.stdout.flush()
    for number in range(rounds):
        names = [f"{name}-{document}" for document in range(documents)]
        store.replace_documents({each: list(rows(each, f"v{number}", chunks)) for each in [*names, "shared"]})
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
