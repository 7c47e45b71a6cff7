"""Rows with known vectors, and fresh stores."""

import numpy as np
import pytest

from fonte.retrieval import LanceStore, Row, held_rows
from fonte.values import Chunk

DIMENSION = 8


@pytest.fixture(scope="session")
def new_row():
    def make(document_id, ordinal, text, vector=None, version="v1", **fields):
        if vector is None:
            seed = int.from_bytes(f"{document_id}{ordinal}{text}".encode("utf-8", "surrogatepass")[-6:], "little")
            vector = np.random.default_rng(seed).normal(size=DIMENSION)
        vector = np.asarray(vector, np.float32)
        chunk = Chunk(
            document_id, version, "pipeline", ordinal, ordinal * 1000, ordinal * 1000 + len(text), text, **fields
        )
        return Row(chunk, f"{document_id}.md", vector / np.linalg.norm(vector), text, text)

    return make


@pytest.fixture
def on_disk(monkeypatch):
    """Search every table where it lies, as large ones are."""
    monkeypatch.setattr(held_rows, "MOST_ROWS", -1)


@pytest.fixture(params=["held", "on_disk"])
def store(request, tmp_path):
    if request.param == "on_disk":
        request.getfixturevalue("on_disk")
    return LanceStore.create(tmp_path / "store", DIMENSION, "embedder-1")


@pytest.fixture(scope="module")
def module_store(tmp_path_factory):
    return LanceStore.create(tmp_path_factory.mktemp("store"), DIMENSION, "embedder-1")
