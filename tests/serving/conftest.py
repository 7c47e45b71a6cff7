"""A corpus with tiny models, and a real server for it on a free port of this machine."""

from __future__ import annotations

from contextlib import contextmanager

import httpx
import pytest

from fonte.corpus import Corpus
from fonte.serving.keys import KeyFile
from fonte.serving.run import Running, listen
from fonte.serving.service import Service
from fonte.settings import (
    EmbedderSettings,
    GenerationSettings,
    LanguageModelSettings,
    RerankerSettings,
    RetrievalSettings,
    ServingSettings,
    Settings,
)
from tests.tiny import tiny_embedder_folder, tiny_language_model_folder, tiny_reranker_folder


def tiny_settings(*, reranker=False, mode="quote", index="lexical", **serving):
    return Settings(
        embedder=EmbedderSettings(model=str(tiny_embedder_folder(256, 512, 0))),
        reranker=RerankerSettings(model=str(tiny_reranker_folder()) if reranker else None),
        language_model=LanguageModelSettings(model=str(tiny_language_model_folder_once())),
        generation=GenerationSettings(mode=mode, max_tokens=40),
        retrieval=RetrievalSettings(mode=index),  # a random embedder ranks at random
        serving=ServingSettings(**serving),
    )


_folders = []


def tiny_language_model_folder_once():
    if not _folders:
        _folders.append(tiny_language_model_folder())
    return _folders[0]


def write_library(folder):
    folder.mkdir(parents=True)
    (folder / "valve.md").write_text(
        "---\nlanguage: en\nyear: 2024\n---\n# Valve 7\n\nThe valve opens at 3 bar. It closes at 2 bar.\n", "utf-8"
    )
    (folder / "pump.txt").write_text("The pump runs for 40 hours. Then it rests.\n", "utf-8")
    (folder / "rows.jsonl").write_text(
        '{"id": "a", "text": "The tank holds 12 litres.", "language": "it"}\n'
        '{"id": "b", "text": "The hose is 5 metres long."}\n',
        "utf-8",
    )
    return folder


@contextmanager
def running(corpus, model=None, keys=None, loopback=True, answers_at_once=None):
    """Yield a service and an HTTP client of its server; `model` takes the place of the language model."""
    if model is not None:
        corpus.language_model = model
    service = Service(corpus, keys, loopback=loopback, answers_at_once=answers_at_once)
    server = Running(service, listen("127.0.0.1", 0))
    thread = server.start()
    try:
        with httpx.Client(base_url=server.url, timeout=120) as client:
            yield service, client
    finally:
        server.stop()
        thread.join(60)


@pytest.fixture
def library(tmp_path):
    return write_library(tmp_path / "library")


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A server that a module's tests share: four documents, quote mode, a re-ranker."""
    folder = tmp_path_factory.mktemp("shared")
    with Corpus.open(folder / "corpus", tiny_settings(reranker=True), create=True) as corpus:
        corpus.add([write_library(folder / "library")])
        with running(corpus, keys=KeyFile(folder / "keys.json")) as served:
            yield served


@pytest.fixture
def client(shared):
    return shared[1]


def chat(client, question="At what pressure does the valve open?", **more):
    """Ask, and return the response."""
    body = {"model": "fonte", "messages": [{"role": "user", "content": question}], **more}
    return client.post("/v1/chat/completions", json=body)


def events(response):
    """Return the JSON objects of a stream, without its `[DONE]`, which must be there."""
    import json

    data = [line.removeprefix("data: ") for line in response.text.split("\n") if line.startswith("data: ")]
    assert data[-1] == "[DONE]"
    return [json.loads(each) for each in data[:-1]]
