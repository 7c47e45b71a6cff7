"""Small tables in memory find what the tables find."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fonte.retrieval import LanceStore, held_rows

WORDS = ("valve", "filter", "pump", "red", "blue")


def ranked(hits):
    return [(hit.chunk, hit.document, round(hit.score, 5)) for hit in hits]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 50), chosen=st.none() | st.sets(st.sampled_from("abcdx")))
def test_held_rows_and_the_table_give_the_same(tmp_path_factory, new_row, monkeypatch, seed, k, chosen):
    chance = np.random.default_rng(seed)
    few = chance.normal(size=(4, 8))  # so that many vectors are equal
    rows = {
        name: [new_row(name, n, " ".join(chance.choice(WORDS, 3)), few[chance.integers(4)]) for n in range(9)]
        for name in "abcd"
    }
    store = LanceStore.create(tmp_path_factory.mktemp("held"), 8, "embedder-1")
    store.replace_documents(rows)
    question = (few[0] / np.linalg.norm(few[0])).astype(np.float32)
    found = []
    for most in (20_000, -1):
        monkeypatch.setattr(held_rows, "MOST_ROWS", most)
        store._cache._held = None
        found.append((store.search_dense(question, k, chosen), store.search_lexical("red valve vent", k, chosen)))
    for held, on_disk in zip(*found, strict=True):
        assert ranked(held) == ranked(on_disk)


def test_what_another_process_writes_or_purges_is_seen_at_once(tmp_path, new_row):
    store = LanceStore.create(tmp_path / "store", 8, "embedder-1")
    other = LanceStore.open(tmp_path / "store")
    axis = np.eye(8, dtype=np.float32)[0]
    for number in range(3):
        other.replace_documents({"a": [new_row("a", 0, f"words {number}", axis)]})
        assert store.search_dense(axis, 1)[0].chunk.text == f"words {number}"
        assert store.search_lexical("words", 1)[0].chunk.text == f"words {number}"
    other.remove_documents(["a"], purge=True)
    assert store.search_dense(axis, 1) == store.search_lexical("words", 1) == []
    assert store._cache.rows(store._table).records.num_rows == 0


@pytest.mark.parametrize(("rows", "held"), [(3, True), (4, False)])
def test_only_small_tables_are_held(tmp_path, new_row, monkeypatch, rows, held):
    monkeypatch.setattr(held_rows, "MOST_ROWS", 3)
    store = LanceStore.create(tmp_path / "store", 8, "embedder-1")
    store.replace_documents({"a": [new_row("a", n, "words") for n in range(rows)]})
    assert (store._cache.rows(store._table) is not None) == held
    assert len(store.search_lexical("words", 9)) == rows


def test_long_chunks_are_not_held(tmp_path, new_row, monkeypatch):
    monkeypatch.setattr(held_rows, "MOST_BYTES", 10_000)
    store = LanceStore.create(tmp_path / "store", 8, "embedder-1")
    store.replace_documents({"a": [new_row("a", n, f"words {n} {'x' * 5000}") for n in range(3)]})
    assert store._cache.rows(store._table) is store._cache.rows(store._table) is None
    assert len(store.search_lexical("words", 9)) == 3
    store.replace_documents({"a": [new_row("a", 0, "words")]})
    assert store._cache.rows(store._table).records.num_rows == 1
