import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fonte.documents import Bounds, read_file, read_files
from fonte.errors import UsageError
from tests.documents.making import column, pdf


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("many")
    for number in range(12):
        (path / f"{number:02}.pdf").write_bytes(pdf([column([f"text of number {number}"])]))
        (path / f"{number:02}.txt").write_text(f"text {number}")
    return path


def test_results_are_those_of_read_file_in_the_order_given(folder):
    files = [(path, path.name) for path in sorted(folder.iterdir(), reverse=True)]
    found = list(read_files(files, processes=2))
    assert [path for path, _ in found] == [path for path, _ in files]
    assert [reading for _, reading in found] == [read_file(path, name) for path, name in files]


def test_few_files_are_taken_ahead(folder):
    taken = []

    def files():
        for path in sorted(folder.glob("*.pdf")):
            taken.append(path)
            yield path, path.name

    readings = read_files(files(), processes=1)
    next(readings)
    assert len(taken) <= 5
    readings.close()


def crash_reader(folder, body):
    """A package path that makes every worker run `body` when it meets a file named crash.pdf."""
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(
        "import fonte.documents.read as read, sys\n"
        "original = read.read_file\n"
        "def hooked(path, name, source=None, *, ocr=False):\n"
        "    if name == 'crash.pdf':\n"
        f"        {body}\n"
        "    return original(path, name, source, ocr=ocr)\n"
        "read.read_file = hooked\n"
    )
    return folder


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import os; os.abort()", "crashed on this file (SIGABRT)"),
        ("import os; os.kill(os.getpid(), 9)", "crashed on this file (SIGKILL)"),
        ("import os; os._exit(3)", "crashed on this file (exit code 3)"),
        ("import ctypes; ctypes.string_at(0)", "crashed on this file (SIGSEGV)"),
        ("import time; time.sleep(60)", "longer than 8 seconds"),
        ("bytearray(2**33)", "more memory than allowed"),
        ("print('noise' * 10000)", ""),
    ],
)
def test_a_file_that_kills_its_worker_fails_alone(tmp_path, monkeypatch, body, reason):
    """The workers run a real crash: the parser is replaced in them, not in this process."""
    monkeypatch.syspath_prepend(str(crash_reader(tmp_path / "hook", body)))
    names = ["a.pdf", "b.pdf", "crash.pdf", "c.pdf", "d.pdf"]
    for name in names:
        (tmp_path / name).write_bytes(pdf([column([f"text of {name}"])]))
    found = list(read_files([(tmp_path / name, name) for name in names], 1, bounds=Bounds(seconds=8, memory=2**31)))
    states = {path.name: reading.status for path, reading in found}
    failed = {"crash.pdf": "failed"} if reason else {}
    assert states == dict.fromkeys(names, "read") | failed
    assert reason in next(reading.reason for path, reading in found if path.name == "crash.pdf")


def test_a_worker_killed_while_idle_is_replaced(folder):
    files = [(path, path.name) for path in sorted(folder.glob("*.pdf"))]
    readings = read_files(iter(files), processes=1)
    statuses = [next(readings)[1].status]
    time.sleep(1)
    for worker in _own_workers():
        os.kill(worker, 9)
    statuses += [reading.status for _, reading in readings]
    assert statuses.count("read") >= len(files) - 1


def _own_workers():
    listed = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True)
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if "fonte.documents.worker" in line]


def test_leaving_early_ends_the_workers(folder):
    readings = read_files([(path, path.name) for path in sorted(folder.glob("*.pdf"))], processes=2)
    next(readings)
    assert _own_workers()
    readings.close()
    assert not _own_workers()


def test_a_script_without_main_guard_and_a_hostile_current_folder(tmp_path, folder):
    """Nothing of the caller's program is imported again, and no module of the current folder is."""
    (tmp_path / "json.py").write_text("raise SystemExit('the folder was imported')")
    (tmp_path / "yaml.py").write_text("raise SystemExit('the folder was imported')")
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    script = scripts / "run.py"
    script.write_text(
        "from pathlib import Path\nfrom fonte.documents import read_files\n"
        f"files = [(p, p.name) for p in sorted(Path({str(folder)!r}).glob('*.pdf'))]\n"
        "print([reading.status for _, reading in read_files(files, 2)])"
    )
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.count("'read'") == 12, done.stderr


def test_the_workers_end_with_their_parent(tmp_path, folder):
    script = tmp_path / "run.py"
    script.write_text(
        "import os, time\nfrom pathlib import Path\nfrom fonte.documents import read_files\n"
        f"readings = read_files([(p, p.name) for p in sorted(Path({str(folder)!r}).glob('*.pdf'))], 1)\n"
        "next(readings)\nprint(os.getpid(), flush=True)\ntime.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    parent = int(process.stdout.readline())
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True).stdout.split()
    process.kill()
    process.wait()
    process.stdout.close()
    deadline = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() and "Z" not in _state(pid) for pid in listed):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert listed


def _state(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"


def test_no_processes_is_a_mistake_of_the_caller():
    with pytest.raises(UsageError):
        read_files([], processes=0)
    assert list(read_files([], processes=1)) == []
