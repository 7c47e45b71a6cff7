import dataclasses
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fonte.errors import CorpusError, StoreError
from fonte.retrieval import DocumentState, LanceStore, ranked, text_hash
from fonte.retrieval.table import table_schema
from fonte.values import Signature

AXES = np.eye(8, dtype=np.float32)
WRITER = Path(__file__).with_name("writer.py")


def held(store):
    """Everything the store holds, as {document id: [chunk]}."""
    return {
        document_id: store.read_range(document_id, 0, 10**6) for document_id, state in store.document_states().items()
    }


def ids(hits):
    return [hit.chunk.id for hit in hits]


def test_empty_store(store):
    assert store.count() == 0
    assert store.search_dense(AXES[0], 5) == []
    assert store.search_lexical("anything", 5) == []
    assert store.read_range("none", 0, 9) == []
    assert store.document_states() == {}
    assert store.vectors([]) == store.vectors(["none"]) == {}
    assert store.remove_documents(["none"]) == 0
    store.replace_documents({})
    store.replace_documents({"none": []})
    store.maintain()
    assert (store.stats().rows, store.stats().documents, store.stats().vector_index) == (0, 0, "flat")


def test_chunk_comes_back_as_it_was(store, new_row):
    row = new_row(
        "a",
        3,
        "line\r\n\ttab \x00 \u202e emoji 👩‍👩‍👧 e\u0301",
        title="Title",
        heading=("One", "Two 'quoted'"),
        header="| a | b |",
        signature=Signature((("model", "225B"), ("nouns", "filter; panel")), "extracted"),
    )
    store.replace_documents({"a": [row]})
    assert store.read_range("a", 0, 9) == [row.chunk]
    [hit] = store.search_dense(row.vector, 1)
    assert (hit.chunk, hit.document) == (row.chunk, "a.md")
    assert hit.score == pytest.approx(1)


def test_undecodable_names_come_back(store, new_row):
    row = dataclasses.replace(new_row("a", 0, "te\ud800xt", title="\udcff", heading=("\udc80",)), document="n\udcff.md")
    store.replace_documents({"a": [row]})
    [hit] = store.search_dense(row.vector, 1)
    assert (hit.chunk, hit.document) == (row.chunk, "n\udcff.md")


def test_dense_scores_are_cosines_in_order(store, new_row):
    angles = np.linspace(0, np.pi, 7)
    rows = [
        new_row("a", i, f"t{i}", np.cos(angle) * AXES[0] + np.sin(angle) * AXES[1]) for i, angle in enumerate(angles)
    ]
    store.replace_documents({"a": rows})
    hits = store.search_dense(AXES[0], 100)
    assert [hit.chunk.ordinal for hit in hits] == list(range(7))
    assert [hit.score for hit in hits] == pytest.approx(np.cos(angles), abs=1e-6)


def test_equal_scores_are_ordered_by_id_however_few_are_asked_for(store, new_row):
    for part in range(3):
        store.replace_documents({f"d{n}": [new_row(f"d{n}", 0, "same words", AXES[0])] for n in range(part, 60, 3)})
    every = ids(store.search_dense(AXES[0], 60))
    assert every == sorted(every)
    assert ids(store.search_dense(AXES[0], 3)) == every[:3]
    assert ids(store.search_lexical("same", 3)) == ids(store.search_lexical("same", 60))[:3]
    store.maintain()
    assert ids(store.search_lexical("same", 60)) == every


@pytest.mark.parametrize("maintained", [False, True])
def test_words_are_found_before_and_after_indexing(store, new_row, maintained):
    texts = {
        "code": "The WH-1000XM4 pairs over Bluetooth",
        "error": "Error E04: the drum is locked",
        "german": "Die Waschmaschinentürverriegelung ist defekt",
        "chinese": "请先关闭电源，然后清洁空调过滤网。",
        "japanese": "電源を切ってからフィルターを掃除してください。",
        "korean": "필터를청소하십시오",
        "arabic": "يجب تنظيف المرشح كل شهر",
        "italian": "Perché l’acqua è calda nell'elettrodomestico?",
    }
    store.replace_documents({name: [new_row(name, 0, text)] for name, text in texts.items()})
    if maintained:
        store.maintain()
        assert store.stats().unindexed_rows == 0
    questions = {
        "XM4": "code",
        "e04": "error",
        "Türverriegelung": "german",
        "Waschmaschine": "german",
        "过滤网": "chinese",
        "掃除": "japanese",
        "청소": "korean",
        "مرشح": "arabic",
        "elettrodomestico": "italian",
        "perche": "italian",
    }
    assert {question: store.search_lexical(question, 1)[0].chunk.document_id for question in questions} == questions


def test_unknown_word_is_looked_for_only_inside_longer_words(store, new_row):
    texts = ["Luftfilterreinigung", "filter", "nothing of it"]
    store.replace_documents({text: [new_row(text, 0, text)] for text in texts})
    assert [hit.chunk.text for hit in store.search_lexical("filter", 9)] == ["filter"]
    assert [hit.chunk.text for hit in store.search_lexical("Reinigung", 9)] == ["Luftfilterreinigung"]
    assert store.search_lexical("Kaffeemaschine", 9) == []


HOSTILE = [
    *('"', "'", "\\", "a' OR '1'='1", "text:word AND (", "+word -word ~2 ^3 *", "word\x00", "\x00", "\n\r\t\x0b"),
    *("\u202eword", "); DROP TABLE chunks; --", "%", "_", "{}", "[1 TO 2]", "/.*/", "\ud800", "NULL"),
    *("word" * 5000, "é" * 20000, "a b " * 5000),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_questions_are_data(module_store, new_row, text):
    if not module_store.count():
        module_store.replace_documents({"a": [new_row("a", 0, "some word here"), new_row("a", 1, "other things")]})
    hits = module_store.search_lexical(text, 9)
    assert all(hit.score > 0 for hit in hits)
    assert len(ids(hits)) == len(set(ids(hits))) <= 2


@pytest.mark.parametrize("document_id", [text for text in HOSTILE if text != "\ud800"])
def test_ids_are_data(module_store, new_row, document_id):
    module_store.replace_documents({"bystander": [new_row("bystander", 0, "bystander")]})
    row = new_row(document_id, 0, "hostile")
    module_store.replace_documents({document_id: [row]})
    assert module_store.read_range(document_id, 0, 0) == [row.chunk]
    assert module_store.count([document_id]) == 1
    assert ids(module_store.search_dense(row.vector, 9, [document_id])) == [row.chunk.id]
    assert ids(module_store.search_lexical("hostile", 9, [document_id])) == [row.chunk.id]
    assert module_store.remove_documents([document_id]) == 1
    assert module_store.count(["bystander"]) == 1


def test_ids_that_cannot_be_stored_are_errors(store, new_row):
    for document_id in ("", "\ud800"):
        with pytest.raises(StoreError):
            store.replace_documents({document_id: [new_row(document_id, 0, "x")]})
    with pytest.raises(StoreError):
        store.search_dense(AXES[0], 1, ["\ud800"]) or store.count(["\ud800"])


def test_contradictory_rows_write_nothing(store, new_row):
    good = {"good": [new_row("good", 0, "x")]}
    row = new_row("a", 0, "x")
    bad = [
        {"a": [row, row]},
        {"b": [row]},
        {"a": [row, new_row("a", 1, "y", version="v2")]},
        {"a": [dataclasses.replace(row, vector=np.ones(7, np.float32))]},
        {"a": [dataclasses.replace(row, vector=np.ones(8, np.float32))]},
        {"a": [dataclasses.replace(row, vector=np.full(8, np.nan, np.float32))]},
        {"a": [dataclasses.replace(row, vector=np.zeros(8, np.float32))]},
    ]
    for rows in bad:
        with pytest.raises(StoreError):
            store.replace_documents({**good, **rows})
    assert store.count() == 0


def test_searches_refuse_what_makes_no_sense(store):
    with pytest.raises(StoreError, match="k of at least 1"):
        store.search_lexical("x", 0)
    for vector in (np.ones(8), np.full(8, np.inf), np.ones(3)):
        with pytest.raises(StoreError):
            store.search_dense(vector, 1)


@pytest.mark.parametrize("large", [1, 10**6])
def test_choice_of_documents_comes_before_the_search(store, new_row, monkeypatch, large):
    monkeypatch.setattr(ranked, "LARGE_CHOICE", large)
    rng = np.random.default_rng(0)
    rows = {f"d{n}": [new_row(f"d{n}", i, f"common word{i}", rng.normal(size=8)) for i in range(3)] for n in range(200)}
    store.replace_documents(rows)
    every = store.search_dense(AXES[0], 10**6)
    words = store.search_lexical("common", 10**6)
    assert len(every) == len(words) == 600
    for chosen in (
        ["d199"],
        ["d1", "d2", "absent"],
        [f"d{n}" for n in range(0, 200, 20)],
        [f"d{n}" for n in range(170)],
    ):
        for k in (1, 5, 4000):
            for hits, found in (
                (every, store.search_dense(AXES[0], k, chosen)),
                (words, store.search_lexical("common", k, chosen)),
            ):
                assert ids(found) == ids([hit for hit in hits if hit.chunk.document_id in set(chosen)])[:k]
    assert store.search_dense(AXES[0], 5, []) == store.search_lexical("common", 5, []) == []


def test_large_choice_of_rare_documents(store, new_row):
    store.replace_documents({f"d{n}": [new_row(f"d{n}", 0, "word", AXES[n % 2])] for n in range(400)})
    chosen = [f"absent{n}" for n in range(50_000)] + ["d1", "d3"]
    assert sorted(hit.chunk.document_id for hit in store.search_dense(AXES[0], 5, chosen)) == ["d1", "d3"]
    assert sorted(hit.chunk.document_id for hit in store.search_lexical("word", 5, chosen)) == ["d1", "d3"]


def test_replacing_takes_the_old_rows_away_in_one_step(store, new_row):
    store.replace_documents({"a": [new_row("a", i, f"old {i}") for i in range(5)], "b": [new_row("b", 0, "kept")]})
    before = store.stats().versions
    store.replace_documents({"a": [new_row("a", 0, "new", version="v2")], "c": [new_row("c", 0, "third")]})
    assert store.stats().versions == before + 1
    assert store.document_states() == {
        "a": DocumentState("v2", "pipeline", 1),
        "b": DocumentState("v1", "pipeline", 1),
        "c": DocumentState("v1", "pipeline", 1),
    }
    assert store.search_lexical("old", 9) == []


document_ids = st.sampled_from(["a", "b", "c'", "d"])
steps = st.lists(
    st.one_of(
        st.dictionaries(document_ids, st.lists(st.integers(0, 5), unique=True, max_size=4), max_size=3),
        st.lists(document_ids, max_size=3),
        st.sampled_from(["maintain", "purge", "reopen"]),
    ),
    max_size=7,
)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=steps)
def test_store_equals_a_dictionary(tmp_path_factory, new_row, steps):
    store = LanceStore.create(tmp_path_factory.mktemp("oracle"), 8, "embedder-1")
    oracle = {}
    for number, step in enumerate(steps):
        if isinstance(step, dict):
            rows = {
                name: [new_row(name, i, f"text {i}", version=f"v{number}") for i in own] for name, own in step.items()
            }
            store.replace_documents(rows)
            oracle.update(rows)
        elif isinstance(step, list):
            removed = store.remove_documents(step)
            assert removed == sum(len(oracle.pop(name, [])) for name in set(step))
        elif step == "reopen":
            store = LanceStore.open(store.path, "embedder-1")
        elif step == "purge":
            store.remove_documents([], purge=True)
        else:
            store.maintain()
        expected = {
            name: sorted((row.chunk for row in rows), key=lambda chunk: chunk.ordinal)
            for name, rows in oracle.items()
            if rows
        }
        assert held(store) == expected
        assert sorted(ids(store.search_dense(AXES[0], 999))) == sorted(
            chunk.id for own in expected.values() for chunk in own
        )
        assert sorted(ids(store.search_lexical("text", 999))) == sorted(
            chunk.id for own in expected.values() for chunk in own
        )


def test_vectors_can_be_used_again(store, new_row):
    rows = [new_row("a", i, f"text {i}") for i in range(3)]
    store.replace_documents({"a": rows, "b": [new_row("b", 0, "other")]})
    vectors = store.vectors(["a"])
    assert set(vectors) == {text_hash(row.embedded_text) for row in rows}
    for row in rows:
        np.testing.assert_array_equal(vectors[text_hash(row.embedded_text)], row.vector)


@pytest.mark.parametrize("dimension", [1, 3, 12])
def test_any_dimension(tmp_path, new_row, dimension):
    store = LanceStore.create(tmp_path / "odd", dimension, "embedder-1")
    vectors = np.random.default_rng(0).normal(size=(300, dimension))
    rows = [new_row("a", i, f"text {i}", vectors[i]) for i in range(300)]
    store.replace_documents({"a": rows})
    store.maintain(0.0)
    assert store.search_dense(rows[7].vector, 1)[0].score == pytest.approx(1, abs=1e-6)
    np.testing.assert_array_equal(store.vectors(["a"])[text_hash("text 7")], rows[7].vector)


def test_readers_see_every_finished_write(store, new_row):
    reader = LanceStore.open(store.path)
    for number in range(5):
        store.replace_documents({"a": [new_row("a", 0, f"text {number}", version=f"v{number}")]})
        assert reader.document_states()["a"].version == f"v{number}"
        assert reader.search_lexical(str(number), 1)[0].chunk.text == f"text {number}"


def test_many_small_writes_leave_few_files_and_versions(store, new_row):
    for number in range(60):
        store.replace_documents({f"d{number}": [new_row(f"d{number}", 0, f"text {number}")]})
    store.maintain()
    stats = store.stats()
    assert (stats.rows, stats.index_rows, stats.unindexed_rows) == (60, 60, 0)
    assert len(list((store.path / "chunks.lance" / "data").iterdir())) < 60 + 10
    assert len(store.search_lexical("text", 100)) == 60


def test_opening_checks_what_is_there(store, tmp_path):
    assert LanceStore.open(store.path, "embedder-1").dimension == 8
    with pytest.raises(CorpusError, match="fonte reindex"):
        LanceStore.open(store.path, "embedder-2")
    with pytest.raises(StoreError, match="no index"):
        LanceStore.open(tmp_path / "absent")
    with pytest.raises(StoreError, match="Cannot create"):
        LanceStore.create(store.path, 8, "embedder-1")
    with pytest.raises(StoreError, match="dimension"):
        LanceStore.create(tmp_path / "zero", 0, "embedder-1")


def test_opening_a_damaged_or_foreign_table(tmp_path, store):
    import lancedb

    lancedb.connect(tmp_path / "foreign").create_table("chunks", schema=table_schema(8, {}))
    with pytest.raises(CorpusError, match="format"):
        LanceStore.open(tmp_path / "foreign")
    for manifest in (store.path / "chunks.lance" / "_versions").iterdir():
        manifest.write_bytes(b"not a manifest")
    with pytest.raises(StoreError, match="cannot be opened"):
        LanceStore.open(store.path)


def test_missing_indices_are_made_when_opened(store, new_row):
    store.replace_documents({"a": [new_row("a", 0, "word")]})
    store._table.drop_index("terms_idx")  # as if the machine had stopped in the middle of `create`
    assert LanceStore.open(store.path).search_lexical("word", 1)


def run_writer(store, *arguments):
    command = [sys.executable, str(WRITER), str(store.path), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_five_writers_at_once(store):
    writers = [run_writer(store, f"w{number}", 2, 2, 4) for number in range(5)]
    assert [writer.wait(timeout=200) for writer in writers] == [0] * 5
    states = store.document_states()
    assert set(states) == {f"w{number}-{document}" for number in range(5) for document in range(2)} | {"shared"}
    assert {state.chunks for state in states.values()} == {4}
    assert {state.version for state in states.values()} == {"v1"}
    assert store.count() == 44 == len(set(ids(store.search_dense(AXES[0], 999))))


def test_threads_share_a_store(store, new_row):
    def write(name):
        for number in range(4):
            store.replace_documents(
                {name: [new_row(name, i, f"{name} {number}", version=f"v{number}") for i in range(3)]}
            )

    threads = [threading.Thread(target=write, args=(f"t{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {state.chunks for state in store.document_states().values()} == {3}
    assert store.count() == 12


@pytest.mark.parametrize("moment", [0.0, 0.02, 0.06])
def test_killed_writer_leaves_whole_documents(store, new_row, moment):
    store.replace_documents({"kept": [new_row("kept", 0, "kept")]})
    writer = run_writer(store, "w", 1000, 3, 40)
    for _ in range(2):
        writer.stdout.readline()
    threading.Event().wait(moment)
    writer.kill()
    writer.wait()
    writer.stdout.close()
    states = store.document_states()
    assert {state.chunks for name, state in states.items() if name != "kept"} <= {40}
    assert len({state.version for name, state in states.items() if name != "kept"}) <= 1
    store.replace_documents({"w-0": [new_row("w-0", 0, "after")]})  # the lock is free
    store.maintain()
    assert store.count(["w-0", "kept"]) == 2
    assert len(ids(store.search_dense(AXES[0], 999))) == store.count()
