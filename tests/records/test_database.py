import os
import sqlite3
import threading

import pytest

from fonte.errors import StoreError
from fonte.records.database import Database, connect
from fonte.records.opening import open_database


@pytest.fixture
def database(tmp_path):
    opened = open_database(tmp_path / "records.sqlite", busy_seconds=10)
    yield opened
    opened.close()


def put(database, key, value=b"x"):
    database.run("INSERT OR REPLACE INTO facts VALUES (?, ?)", (key, value))


def keys(database):
    return {key for (key,) in database.rows("SELECT key FROM facts")}


def test_connection_has_the_protections(database):
    database.rows("SELECT 1")
    wanted = {"journal_mode": "wal", "foreign_keys": 1, "secure_delete": 1, "trusted_schema": 0, "synchronous": 2}
    for name, value in wanted.items():
        assert database.rows(f"PRAGMA {name}") == [(value,)], name


def put_and_fail(database, key, error):
    with database.transaction():
        put(database, key)
        raise error


def test_a_transaction_is_all_or_nothing(database):
    with pytest.raises(KeyboardInterrupt):
        put_and_fail(database, "a", KeyboardInterrupt())
    assert keys(database) == set()
    with database.transaction():
        put(database, "a")
    assert keys(database) == {"a"}


def test_an_inner_failure_undoes_the_inner_block_alone(database):
    with database.transaction():
        put(database, "outer")
        with pytest.raises(ValueError, match="inner"):
            put_and_fail(database, "inner", ValueError("inner"))
        with database.transaction():
            put(database, "second")
    assert keys(database) == {"outer", "second"}


def test_an_outer_failure_undoes_inner_blocks_that_succeeded(database):
    def work():
        with database.transaction():
            with database.transaction():
                put(database, "inner")
            raise ValueError("outer")

    with pytest.raises(ValueError, match="outer"):
        work()
    assert keys(database) == set()


def test_run_many_is_all_or_nothing(database):
    with pytest.raises(StoreError, match="refused and undone"):
        database.run_many("INSERT INTO facts VALUES (?, ?)", [("a", b""), ("b", b""), ("a", b"")])
    assert keys(database) == set()


def test_threads_write_at_once(database):
    def work(name):
        for number in range(40):
            with database.transaction():
                count = database.rows("SELECT count(*) FROM facts")[0][0]
                put(database, f"{name}-{number}", str(count).encode())

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcde"]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    # Each transaction saw exactly those before it: the counts are 0 to 199, each once.
    assert sorted(int(value) for (value,) in database.rows("SELECT value FROM facts")) == list(range(200))


def test_other_threads_do_not_see_an_open_transaction(database):
    seen = []
    with database.transaction():
        put(database, "a")
        thread = threading.Thread(target=lambda: seen.append(keys(database)))
        thread.start()
        thread.join()
    assert seen == [set()]


def test_a_writer_that_waits_too_long_says_so(tmp_path):
    database = open_database(tmp_path / "records.sqlite", busy_seconds=0.1)
    other = connect(database.path, 0.1)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="another process has been writing"):
        put(database, "a")
    other.execute("ROLLBACK")
    other.close()
    put(database, "a")
    database.close()


def test_full_disk_is_explained_and_old_data_stay(database):
    put(database, "old", b"kept")
    pages = database.rows("PRAGMA page_count")[0][0]
    database.rows(f"PRAGMA max_page_count = {pages + 2}")
    rows = [("small", b"x"), ("large", os.urandom(200_000))]
    with pytest.raises(StoreError, match="disk is full; nothing was changed"):
        database.run_many("INSERT INTO facts VALUES (?, ?)", rows)
    assert keys(database) == {"old"}
    assert database.rows("PRAGMA integrity_check") == [("ok",)]
    database.rows("PRAGMA max_page_count = 1000000")
    put(database, "large", os.urandom(200_000))
    assert keys(database) == {"old", "large"}


def test_after_a_full_disk_nothing_of_the_block_is_written_alone(database):
    database.rows(f"PRAGMA max_page_count = {database.rows('PRAGMA page_count')[0][0] + 2}")

    def work(again):
        with database.transaction():
            put(database, "outer")
            with pytest.raises(StoreError, match="full"), database.transaction():
                put(database, "large", os.urandom(200_000))
            if again:
                put(database, "after")

    for again in (True, False):
        with pytest.raises(StoreError, match="undid a change"):
            work(again)
        assert keys(database) == set()
    put(database, "later")
    assert keys(database) == {"later"}


def test_damage_in_the_middle_is_explained(database):
    for number in range(200):
        put(database, f"key {number}", os.urandom(2000))
    database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    data = bytearray(database.path.read_bytes())
    for page in range(4, len(data) // 4096):
        data[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    database.path.write_bytes(data)
    with pytest.raises(StoreError, match="damaged"):
        Database(database.path).rows("SELECT sum(length(value)) FROM facts")
    assert database.path.read_bytes() == bytes(data)


def test_a_database_that_vanished_is_not_made_anew(database):
    database.close()
    for path in database.path.parent.iterdir():
        path.unlink()
    with pytest.raises(StoreError, match="cannot be opened"):
        Database(database.path).rows("SELECT 1")
    assert not database.path.exists()


def test_closed_says_so(database):
    database.close()
    with pytest.raises(StoreError, match="closed"):
        put(database, "a")


def test_misuse_of_sql_is_not_hidden(database):
    with pytest.raises(sqlite3.ProgrammingError):
        database.rows("SELECT ?", ())


def in_child(work):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return child


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_parent_and_forked_children_write_at_once(database):
    put(database, "before")

    def work(name):
        for number in range(50):
            put(database, f"{name}-{number}")

    children = [in_child(lambda name=name: work(name)) for name in "abcd"]
    work("parent")
    # The parent's last connection goes while children write: their log must not be deleted under them.
    database._pause()
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert codes == [0, 0, 0, 0]
    for session in database._living():
        session.lock.release()
    assert len(keys(database)) == 1 + 5 * 50
    assert database.rows("PRAGMA integrity_check") == [("ok",)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork_while_other_threads_write(database):
    stop = threading.Event()

    def work(name):
        number = 0
        while not stop.is_set():
            put(database, f"{name}-{number}")
            number += 1

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    [thread.start() for thread in threads]
    children = [in_child(lambda number=number: put(database, f"child {number}")) for number in range(5)]
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    stop.set()
    [thread.join() for thread in threads]
    assert codes == [0] * 5
    assert {f"child {number}" for number in range(5)} <= keys(database)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork_inside_a_transaction_leaves_it_to_the_parent(database):
    with database.transaction():
        put(database, "parent")
        child = in_child(lambda: database.rows("SELECT * FROM facts"))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert keys(database) == {"parent"}
