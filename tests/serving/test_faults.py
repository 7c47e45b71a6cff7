"""What goes wrong is told, loses nothing, and leaves the next request alone."""

import json
import os
import resource
import socket
import sqlite3
import threading
import time

import httpx
import pytest

from fonte.corpus import Corpus
from fonte.errors import EndpointError
from fonte.models import Delta
from fonte.models.endpoint import EndpointLanguageModel
from tests.generation.scripted import ScriptedLanguageModel
from tests.models.scripted_server import Reply, scripted_server
from tests.serving.conftest import chat, events, running, tiny_settings, write_library

GOOD = "The valve opens at 3 bar. "


class Endless:
    """A model that goes on writing until somebody stops it, and knows whether that happened."""

    name, fingerprint, context_window = "endless", "endless-1", 200_000

    def __init__(self):
        self.stopped = threading.Event()
        self.running = threading.Semaphore(0)

    def count_tokens(self, text):
        return len(text.split())

    def choose(self, prompts, options, *, prefix=""):
        return [[1.0 / len(options)] * len(options)]

    def stream(self, prompt, **_):
        self.running.release()
        try:
            for number in range(100_000):
                time.sleep(0.002)
                yield Delta(f"word{number} ")
        finally:
            self.stopped.set()


@pytest.fixture
def corpus(tmp_path):
    settings = tiny_settings(mode="write", queue=1, request_seconds=5.0)
    with Corpus.open(tmp_path / "corpus", settings, create=True) as opened:
        opened.add([write_library(tmp_path / "library")])
        yield opened


def test_a_model_that_dies_in_the_middle_is_told_with_all_that_was_there(corpus):
    model = ScriptedLanguageModel(
        [GOOD, EndpointError("connection lost")], [GOOD, EndpointError("connection lost")], [GOOD]
    )
    with running(corpus, model) as (_, client):
        *_, last = events(chat(client, stream=True))
        assert last["error"]["code"] == "model_failed"
        answer = last["error"]["x_fonte"]["answer"]
        assert (answer["status"], answer["answer"].strip()[:25]) == ("incomplete", GOOD.strip())
        assert client.get(f"/v1/answers/{answer['record']}").json()["answer"] == answer["answer"]
        whole = chat(client)
        assert whole.status_code == 502
        assert whole.json()["error"]["x_fonte"]["answer"]["answer"] == answer["answer"]
        assert chat(client).json()["choices"][0]["finish_reason"] == "stop"


def test_a_server_of_a_model_that_breaks_off_is_the_same(corpus):
    word = b'data: {"choices": [{"delta": {"content": "The valve opens"}}]}\n\n'
    replies = [Reply(chunks=(word,), headers={"Content-Type": "text/event-stream"}, cut=True)]
    with scripted_server(*replies) as script:
        model = EndpointLanguageModel(script.url, "toy", retries=0)
        with running(corpus, model, answers_at_once=4) as (_, client):
            *_, last = events(chat(client, stream=True))
            assert last["error"]["code"] == "model_failed"
            assert last["error"]["x_fonte"]["answer"]["answer"].startswith("The valve opens")
            assert client.post("/v1/search", json={"question": "valve"}).json()["passages"]


def test_a_client_that_leaves_stops_the_work(corpus):
    model = Endless()
    with running(corpus, model) as (service, client):
        body = {"messages": [{"role": "user", "content": "valve?"}], "stream": True, "max_tokens": 90_000}
        with client.stream("POST", "/v1/chat/completions", json=body) as response:
            for line in response.iter_lines():
                if "word3" in line:
                    break
        assert model.stopped.wait(60)
        ended = threading.Event()
        deadline = time.monotonic() + 60
        while service.answers.running and time.monotonic() < deadline:
            ended.wait(0.01)
        assert service.answers.running == 0
        assert corpus.records.answers.count() == 0
        assert "fonte_cancelled_answers_total 1.0" in client.get("/metrics").text


def test_a_client_that_leaves_while_it_waits_for_all_stops_the_work_too(corpus):
    model = Endless()
    with running(corpus, model) as (_, client):
        body = {"messages": [{"role": "user", "content": "valve?"}], "max_tokens": 90_000}
        with pytest.raises(httpx.ReadTimeout):
            client.post("/v1/chat/completions", json=body, timeout=2)
        assert model.stopped.wait(60)


def test_one_too_many_is_told_when_to_come_back(corpus):
    model = Endless()
    with running(corpus, model) as (_, client):
        body = {"messages": [{"role": "user", "content": "valve?"}], "stream": True, "max_tokens": 90_000}
        with client.stream("POST", "/v1/chat/completions", json=body) as first:
            assert first.status_code == 200
            assert model.running.acquire(timeout=60)
            with client.stream("POST", "/v1/chat/completions", json=body) as second:
                assert second.status_code == 200
                refused = chat(client)
                assert refused.status_code == 429
                assert int(refused.headers["retry-after"]) >= 1
                assert client.post("/v1/search", json={"question": "valve"}).status_code == 200


def test_an_answer_that_takes_too_long_is_ended(tmp_path):
    settings = tiny_settings(mode="write", answer_seconds=1.5)
    with Corpus.open(tmp_path / "corpus", settings, create=True) as opened:
        opened.add([write_library(tmp_path / "library")])
        model = Endless()
        with running(opened, model) as (_, client):
            *_, last = events(chat(client, stream=True, max_tokens=90_000))
            assert last["error"]["code"] == "timeout"
            assert model.stopped.wait(60)
            assert chat(client, max_tokens=90_000).status_code == 504


def test_a_locked_store_is_told_and_the_next_request_works(corpus):
    corpus.records._database.busy_seconds = 0.2
    with running(corpus, ScriptedLanguageModel([GOOD], [GOOD])) as (_, client):
        other = sqlite3.connect(corpus.records.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        shown = events(chat(client, stream=True))
        assert shown[-1]["error"]["code"] == "store_unavailable"
        assert "valve" in "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in shown[:-1])
        other.execute("ROLLBACK")
        other.close()
        assert chat(client).status_code == 200


@pytest.fixture
def full_disk():
    """Return a function that makes every write of this process fail from now on; undone at the end."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, before[1]))

    yield fill
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_told_and_nothing_half_written_stays(corpus, full_disk):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with running(corpus, ScriptedLanguageModel([GOOD], [GOOD])) as (service, client):
        full_disk()
        try:
            sent = client.post("/v1/documents", files={"file": ("a.txt", b"x" * 5000)})
            shown = events(chat(client, stream=True))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert sent.status_code == 507
        assert sent.json()["error"]["code"] == "disk_full"
        assert not list((corpus.folder / "uploads").iterdir())
        assert shown[-1]["error"]["code"] in ("store_unavailable", "disk_full")
        assert service.audit.failures >= 1
        assert chat(client).status_code == 200
        assert corpus.records.check() == ()


def raw(client, body):
    url = httpx.URL(client.base_url)
    data = json.dumps(body).encode()
    line = socket.create_connection((url.host, url.port), timeout=60)
    kind = "Host: localhost\r\nContent-Type: application/json\r\n"
    head = f"POST /v1/chat/completions HTTP/1.1\r\n{kind}Content-Length: {len(data)}\r\n\r\n"
    line.sendall(head.encode() + data)
    return line


def test_a_slow_client_holds_up_nobody_and_loses_nothing(corpus):
    words = [f"Word {number} of a long answer. " for number in range(400)]
    with running(corpus, ScriptedLanguageModel(words, [GOOD], context_window=20_000)) as (_, client):
        body = {"messages": [{"role": "user", "content": "valve?"}], "stream": True, "max_tokens": 5000}
        with raw(client, body) as line:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            assert chat(client).status_code == 200, "while the other does not read"
            text = b""
            while b"[DONE]" not in text and (piece := line.recv(2000)):
                text += piece
                time.sleep(0.0005)
        shown = [json.loads(each[6:]) for each in text.decode().split("\n") if each.startswith("data: {")]
        written = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in shown)
        assert shown[-1]["x_fonte"]["answer"]["answer"] == written


def test_a_half_closed_socket_ends_its_own_request_only(corpus):
    model = Endless()
    with running(corpus, model) as (_, client):
        body = {"messages": [{"role": "user", "content": "valve?"}], "stream": True, "max_tokens": 90_000}
        with raw(client, body) as line:
            assert model.running.acquire(timeout=60)
            line.shutdown(socket.SHUT_WR)
            assert model.stopped.wait(60)
        assert client.get("/health").status_code == 200


def test_nonsense_on_the_line_is_refused_and_the_server_goes_on(corpus):
    with running(corpus, ScriptedLanguageModel([GOOD])) as (_, client):
        url = httpx.URL(client.base_url)
        for nonsense in (
            b"\x16\x03\x01\x02",
            b"GET / HTTP/9.9\r\n\r\n",
            os.urandom(200) + b"\r\n\r\n",
            b"POST / HTTP/1.1\r\n\r\n",
        ):
            with socket.create_connection((url.host, url.port), timeout=60) as line:
                line.sendall(nonsense)
                line.shutdown(socket.SHUT_WR)
                line.recv(500)
        assert chat(client).status_code == 200
