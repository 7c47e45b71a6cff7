import shutil
import subprocess
import sys

import numpy as np
import pytest

from fonte.errors import CorpusError, StoreError
from fonte.retrieval import begin_store, clean_leftovers, commit_store, create_current, current_store, has_store

AXES = np.eye(8, dtype=np.float32)

BUILD = """
import sys, time
from pathlib import Path
from fonte.retrieval import begin_store, commit_store
with begin_store(Path(sys.argv[1]), 8, "embedder-2") as store:
    print("begun", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def index(tmp_path, new_row):
    store = create_current(tmp_path / "index", 8, "embedder-1")
    store.replace_documents({"a": [new_row("a", 0, "old")]})
    return tmp_path / "index"


def rebuild(index, new_row, text="new"):
    with begin_store(index, 8, "embedder-2") as store:
        store.replace_documents({"a": [new_row("a", 0, text)]})
        commit_store(index, store)


def generations(index):
    return sorted(entry.name for entry in index.iterdir() if entry.is_dir())


def test_no_index(tmp_path):
    assert not has_store(tmp_path / "absent")
    assert clean_leftovers(tmp_path / "absent")
    with pytest.raises(StoreError, match="no index"):
        current_store(tmp_path / "absent")


def test_creating_twice_keeps_the_first(index):
    with pytest.raises(StoreError, match="already"):
        create_current(index, 8, "embedder-1")
    assert generations(index) == ["0001"]
    assert current_store(index).count() == 1


def test_readers_keep_the_old_store_and_writers_learn_of_the_new(index, new_row):
    old = current_store(index)
    rebuild(index, new_row)
    assert old.search_lexical("old", 1)[0].chunk.text == "old"
    assert current_store(index, "embedder-2").search_lexical("new", 1)
    with pytest.raises(CorpusError):
        current_store(index, "embedder-1")
    with pytest.raises(StoreError, match="built anew"):
        old.replace_documents({"b": [new_row("b", 0, "lost")]})


def test_without_commit_nothing_changes(index):
    with begin_store(index, 8, "embedder-2") as store:
        assert store.count() == 0
        assert current_store(index, "embedder-1").count() == 1
    assert generations(index) == ["0001"]


def test_failure_inside_the_block_deletes_the_new_store(index):
    with pytest.raises(RuntimeError, match="stop"), begin_store(index, 8, "embedder-2"):
        raise RuntimeError("stop")
    assert generations(index) == ["0001"]
    assert current_store(index, "embedder-1").count() == 1


def test_killed_build_is_cleaned_at_the_next_start(index, new_row):
    process = subprocess.Popen([sys.executable, "-c", BUILD, str(index)], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    assert not clean_leftovers(index)  # somebody is building
    with pytest.raises(StoreError, match="Another process"), begin_store(index, 8, "embedder-2", wait=0.1):
        pass
    process.kill()
    process.wait()
    process.stdout.close()
    assert generations(index) == ["0001", "0002"]
    assert current_store(index, "embedder-1").count() == 1
    rebuild(index, new_row)
    assert current_store(index, "embedder-2").search_lexical("new", 1)
    assert clean_leftovers(index, grace=0)
    assert len(generations(index)) == 1


def test_replaced_store_stays_for_the_grace(index, new_row):
    rebuild(index, new_row)
    assert clean_leftovers(index)
    assert generations(index) == ["0001", "0002"]
    assert clean_leftovers(index, grace=0)
    assert generations(index) == ["0002"]


def test_broken_pointer_is_an_error(index):
    (index / "current").write_text("../../etc")
    with pytest.raises(StoreError, match="does not name a store"):
        current_store(index)
    (index / "current").write_text("0001\n")
    shutil.rmtree(index / "0001")
    with pytest.raises(StoreError, match="no index"):
        current_store(index)
