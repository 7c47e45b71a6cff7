import hashlib
import multiprocessing
import sqlite3

import pytest

from fonte.errors import CorpusError, StoreError
from fonte.records import Records, migrations
from fonte.records.opening import APPLICATION, open_database


def test_released_migrations_are_never_edited():
    digests = [hashlib.sha256("\n".join(migrations._M001).encode()).hexdigest()[:16]]
    assert digests == ["3abad813c4d3e97c"]
    numbers = [migration.__name__[:5] for migration in migrations.MIGRATIONS]
    assert numbers == [f"m{number:03}_" for number in range(1, len(numbers) + 1)]


def test_opening_twice_changes_nothing(tmp_path):
    path = tmp_path / "records.sqlite"
    Records.open(path).close()
    before = path.read_bytes()
    Records.open(path).close()
    assert path.read_bytes() == before
    assert sqlite3.connect(path).execute("PRAGMA application_id").fetchone() == (APPLICATION,)


def test_missing_records(tmp_path):
    with pytest.raises(CorpusError, match="fonte add"):
        Records.open(tmp_path / "records.sqlite", create=False)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StoreError, match="folder exists"):
        Records.open(tmp_path / "nowhere" / "records.sqlite")


@pytest.mark.parametrize("statement", ["PRAGMA user_version = 99", "PRAGMA user_version = -1"])
def test_a_newer_schema_is_refused_untouched(tmp_path, statement):
    path = tmp_path / "records.sqlite"
    Records.open(path).close()
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.close()
    before = path.read_bytes()
    with pytest.raises(CorpusError, match="Upgrade fonte"):
        Records.open(path)
    assert path.read_bytes() == before


def test_another_programs_database_is_refused_untouched(tmp_path):
    path = tmp_path / "places.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE facts (key TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(CorpusError, match="another program"):
        Records.open(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"no database at all, but long enough to look at", b"SQLite format 3\0" + b"\xff" * 5000]
)
def test_a_damaged_file_is_refused_untouched(tmp_path, content):
    path = tmp_path / "records.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="nothing was changed"):
        Records.open(path)
    assert path.read_bytes() == content


def test_a_folder_or_unreadable_file_is_explained(tmp_path):
    with pytest.raises(StoreError, match="cannot be opened"):
        Records.open(tmp_path)


def test_a_schema_with_triggers_is_not_trusted(tmp_path):
    path = tmp_path / "records.sqlite"
    Records.open(path).close()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TRIGGER evil AFTER INSERT ON answers BEGIN DELETE FROM documents; END")
    connection.close()
    with pytest.raises(CorpusError, match="trigger"):
        Records.open(path)


def test_a_migration_that_fails_leaves_the_old_schema(tmp_path):
    def m002_broken(connection):
        connection.execute("CREATE TABLE half (a)")
        raise RuntimeError("broken")

    path = tmp_path / "records.sqlite"
    Records.open(path).close()
    with pytest.raises(RuntimeError, match="broken"):
        open_database(path, migrations=(*migrations.MIGRATIONS, m002_broken))
    with Records.open(path) as records:
        assert records.check() == ()
        assert records._database.rows("SELECT name FROM sqlite_master WHERE name = 'half'") == []


def test_a_new_migration_keeps_the_data_and_the_old_fonte_refuses_it(tmp_path):
    path = tmp_path / "records.sqlite"
    with Records.open(path) as records:
        records.facts.set("index", "first")
    added = (*migrations.MIGRATIONS, lambda connection: connection.execute("CREATE TABLE more (a)"))
    database = open_database(path, migrations=added)
    assert database.rows("PRAGMA user_version") == [(len(added),)]
    assert database.rows("SELECT key FROM facts") == [("index",)]
    database.close()
    with pytest.raises(CorpusError, match=f"schema {len(added)}; this one knows up to {len(added) - 1}"):
        Records.open(path)


def _open_and_write(path, barrier, number):
    barrier.wait()
    with Records.open(path) as records:
        records.facts.set(f"process {number}", number)


def test_many_processes_create_the_same_file_at_once(tmp_path):
    context = multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn")
    for attempt in range(3):
        path, barrier = tmp_path / f"records {attempt}.sqlite", context.Barrier(6)
        workers = [context.Process(target=_open_and_write, args=(path, barrier, number)) for number in range(6)]
        [worker.start() for worker in workers]
        [worker.join() for worker in workers]
        assert [worker.exitcode for worker in workers] == [0] * 6
        with Records.open(path) as records:
            assert sorted(records.facts.all().values()) == list(range(6))


def test_undecodable_folder_names(tmp_path):
    folder = tmp_path / "M\udce4rz?#%20 \n"
    folder.mkdir()
    database = open_database(folder / "records.sqlite")
    assert database.rows("SELECT count(*) FROM facts") == [(0,)]
    database.close()
