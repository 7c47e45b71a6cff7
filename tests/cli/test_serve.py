"""`fonte serve`, `fonte key` and `fonte group`, as other programs rely on them."""

import json
import os
import signal
import subprocess
import sys

import httpx
import pytest


@pytest.fixture
def server(fonte, library, model_environment, tmp_path):
    """A server in a process of its own; yields its first line and the process."""
    fonte("add", library)
    command = [
        sys.executable,
        "-c",
        "from fonte.cli import main; main()",
        "serve",
        "--corpus",
        "fonte-corpus",
        "--port",
        "0",
        "--json",
    ]
    environment = {**os.environ, **model_environment, "FONTE_GENERATION__MODE": "quote"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        yield process.stdout.readline(), process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def test_serve_prints_one_line_with_the_address_and_ends_on_a_signal(server):
    line, process = server
    url = json.loads(line)["url"]
    assert url.startswith("http://127.0.0.1:")
    assert not url.endswith("/")
    assert httpx.get(f"{url}/ready").json()["status"] == "ready"
    found = httpx.post(f"{url}/v1/search", json={"question": "pump hours"}, timeout=120).json()["passages"]
    assert "40 hours" in found[0]["text"]
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) in (0, -signal.SIGTERM)
    assert process.stdout.read() == ""


def test_other_machines_are_not_answered_without_a_key(fonte, library):
    fonte("add", library)
    run = fonte("serve", "--host", "0.0.0.0", "--port", "0")
    assert run.code == 2
    assert "fonte key add" in run.err


@pytest.fixture
def own_keys(monkeypatch, tmp_path):
    monkeypatch.setenv("FONTE_CONFIG", str(tmp_path / "own" / "fonte.toml"))


def test_keys_are_added_listed_and_removed(fonte, own_keys):
    made = fonte("key", "add", "legal", "--group", "legal", "--write", "--json").json
    assert made["key"].startswith("fonte-")
    (listed,) = fonte("key", "list", "--json").json["keys"]
    assert listed == {key: value for key, value in made.items() if key != "key"}
    assert made["key"] not in fonte("key", "list").out
    assert fonte("key", "add", "legal").code == 2
    assert fonte("key", "remove", "legal", "--json").json == {"removed": made["id"]}
    assert fonte("key", "list", "--json").json == {"keys": []}


def test_groups_are_set_and_listed(fonte, library):
    fonte("add", library)
    set_to = fonte("group", "set", "valve.md", "--group", "legal", "--json").json
    assert set_to["sources"] == [str(library / "valve.md")]
    (listed,) = fonte("group", "list", "--json").json["sources"]
    assert listed == {"source": str(library / "valve.md"), "groups": ["legal"]}
    assert fonte("group", "set", "valve.md").code == 0
    assert fonte("group", "list", "--json").json["sources"] == []
    assert fonte("group", "set", "nothing.md", "--group", "x").code == 2
