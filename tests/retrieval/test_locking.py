import subprocess
import sys
import threading

import pytest

from fonte.errors import StoreError
from fonte.retrieval.locking import WriteLock

HOLD = """
import sys, time
from pathlib import Path
from fonte.retrieval.locking import WriteLock
with WriteLock(Path(sys.argv[1])).held():
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    file = tmp_path / "write.lock"
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(file)], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    yield file, process
    process.kill()
    process.wait()
    process.stdout.close()


def test_waiting_ends_with_help_and_a_kill_frees_the_lock(holder):
    file, process = holder
    lock = WriteLock(file, wait=0.1)
    with pytest.raises(StoreError, match="Another process"), lock.held():
        pass
    assert not lock.is_free()
    process.kill()
    process.wait()
    with lock.held(10):
        assert lock.is_free()  # the same thread may take it again


def test_other_threads_wait(tmp_path):
    lock = WriteLock(tmp_path / "write.lock", wait=0.05)
    outcomes = []

    def take():
        try:
            with lock.held():
                outcomes.append("held")
        except StoreError:
            outcomes.append("refused")

    with lock.held():
        thread = threading.Thread(target=take)
        thread.start()
        thread.join()
    take()
    assert outcomes == ["refused", "held"]


def test_failed_check_lets_go(tmp_path):
    def check():
        raise StoreError("gone")

    with pytest.raises(StoreError, match="gone"), WriteLock(tmp_path / "write.lock", check=check).held():
        pass
    assert WriteLock(tmp_path / "write.lock").is_free()


def test_folder_that_cannot_be_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="Cannot lock"), WriteLock(tmp_path / "file" / "write.lock", wait=0.1).held():
        pass
