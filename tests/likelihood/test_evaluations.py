import multiprocessing
import os
import signal
import sqlite3
import time
from pathlib import Path

import numpy as np
import pytest

from fonte.errors import StoreError, UsageError
from fonte.likelihood import LocalScorer, MemoryEvaluations, SqliteEvaluations, evaluation_key, score
from tests.likelihood.architectures import ATTENTION
from tests.likelihood.prompts import ids, random_prompt


def case(rows: int = 10):
    rng = np.random.default_rng(0)
    return random_prompt(rng, 5), [ids(rng, 8), ids(rng, 6)], rng.random((rows, 10)) < 0.5


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path):
    if request.param == "memory":
        yield MemoryEvaluations()
    else:
        with SqliteEvaluations(tmp_path / "deep" / "evaluations.sqlite") as opened:
            yield opened


def test_what_was_computed_is_never_computed_again(store) -> None:
    scorer = LocalScorer(ATTENTION["llama"](), fingerprint="a")
    first = score(scorer, *case(), store=store)
    second = score(scorer, *case(), store=store)
    assert len(store) == first.cost.evaluations == second.cost.stored
    assert second.cost.computed == second.cost.calls == 0
    assert second.engine == "stored"
    np.testing.assert_array_equal(first.sums, second.sums)


def test_methods_share_evaluations(store) -> None:
    scorer = LocalScorer(ATTENTION["llama"](), fingerprint="a")
    prompt, answers, keep = case()
    score(scorer, prompt, answers[:1], keep[:6], store=store)
    both = score(scorer, prompt, answers, keep, store=store)
    assert both.cost.stored > 0
    np.testing.assert_allclose(both.sums, score(scorer, prompt, answers, keep).sums, atol=1e-5)


def test_weights_prompts_answers_and_dtypes_have_keys_of_their_own() -> None:
    keys = {
        evaluation_key("a", "float32", (1, 2), (3,)),
        evaluation_key("b", "float32", (1, 2), (3,)),
        evaluation_key("a", "bfloat16", (1, 2), (3,)),
        evaluation_key("a", "float32", (1,), (2, 3)),
        evaluation_key("a", "float32", (1, 2, 3), ()),
        evaluation_key("", "afloat32", (1, 2), (3,)),
    }
    assert len(keys) == 6


def test_a_store_needs_a_fingerprint(store) -> None:
    with pytest.raises(UsageError, match="fingerprint"):
        score(LocalScorer(ATTENTION["llama"]()), *case(), store=store)


def test_a_damaged_value_is_computed_anew(tmp_path: Path) -> None:
    path = tmp_path / "evaluations.sqlite"
    scorer = LocalScorer(ATTENTION["llama"](), fingerprint="a")
    with SqliteEvaluations(path) as store:
        expected = score(scorer, *case(), store=store)
    with sqlite3.connect(path) as connection:
        keys = [key for (key,) in connection.execute("SELECT key FROM evaluation LIMIT 3")]
        for key, blob in zip(keys, [b"abc", b"", np.full(8, np.nan, "<f4").tobytes()], strict=True):
            connection.execute("UPDATE evaluation SET tokens = ? WHERE key = ?", (blob, key))
    connection.close()
    with SqliteEvaluations(path) as store:
        again = score(scorer, *case(), store=store)
    assert again.cost.stored == expected.cost.evaluations - 3
    np.testing.assert_allclose(again.sums, expected.sums, atol=1e-5)


def test_a_file_that_is_no_store_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "evaluations.sqlite"
    path.write_bytes(b"no database at all, " * 100)
    with pytest.raises(StoreError, match="cannot be opened"):
        SqliteEvaluations(path)


def test_a_failed_put_leaves_nothing_behind(tmp_path: Path) -> None:
    with SqliteEvaluations(tmp_path / "e.sqlite") as store:
        with pytest.raises(StoreError, match="written"):
            store.put({"a": np.ones(2, np.float32), None: np.ones(2, np.float32)})  # type: ignore[dict-item]
        assert len(store) == 0


def _slowly(path: Path) -> None:
    scorer = LocalScorer(ATTENTION["llama"](), fingerprint="a", check=False)
    with SqliteEvaluations(path) as store:
        score(scorer, *case(), store=store, progress=lambda done, total: time.sleep(0.2))


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "evaluations.sqlite"
    process = multiprocessing.get_context("spawn").Process(target=_slowly, args=(path,))
    process.start()
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and _count(path) < 4:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    scorer = LocalScorer(ATTENTION["llama"](), fingerprint="a")
    whole = score(scorer, *case())
    with SqliteEvaluations(path) as store:
        saved = len(store)
        assert 4 <= saved < whole.cost.evaluations
        resumed = score(scorer, *case(), store=store)
        assert len(store) == whole.cost.evaluations
    assert resumed.cost.stored == saved
    np.testing.assert_allclose(resumed.sums, whole.sums, atol=1e-5)


def _count(path: Path) -> int:
    if not path.exists():
        return 0
    try:
        connection = sqlite3.connect(path)
        return connection.execute("SELECT count(*) FROM evaluation").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()
