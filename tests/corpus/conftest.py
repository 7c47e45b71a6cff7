"""A small folder of documents and a corpus with tiny models."""

from __future__ import annotations

import pytest

from fonte.corpus import Corpus
from fonte.settings import EmbedderSettings, GenerationSettings, LanguageModelSettings, RetrievalSettings, Settings
from tests.tiny import tiny_embedder_folder, tiny_language_model_folder


@pytest.fixture(scope="session")
def tiny_models():
    """Folders of a tiny embedder and a tiny language model."""
    return str(tiny_embedder_folder(256, 512, 0)), str(tiny_language_model_folder())


@pytest.fixture
def settings(tiny_models):
    """Settings with the tiny models and without a probe."""
    embedder, language_model = tiny_models
    return Settings(
        embedder=EmbedderSettings(model=embedder),
        language_model=LanguageModelSettings(model=language_model),
        generation=GenerationSettings(mode="quote"),
        retrieval=RetrievalSettings(mode="lexical"),  # a random embedder ranks at random
    )


@pytest.fixture
def library(tmp_path):
    """Three readable files in two folders."""
    folder = tmp_path / "library"
    (folder / "manuals").mkdir(parents=True)
    (folder / "manuals" / "valve.md").write_text(
        "---\nlanguage: en\nyear: 2024\n---\n# Valve 7\n\nThe valve opens at 3 bar. It closes at 2 bar.\n", "utf-8"
    )
    (folder / "manuals" / "pump.html").write_text(
        "<title>Pump 9</title><h1>Pump 9</h1><p>The pump runs for 40 hours. Then it rests.</p>", "utf-8"
    )
    (folder / "rows.jsonl").write_text(
        '{"id": "a", "text": "The tank holds 12 litres.", "language": "it"}\n'
        '{"id": "b", "text": "The hose is 5 metres long."}\n',
        "utf-8",
    )
    return folder


@pytest.fixture
def corpus(tmp_path, settings):
    """An empty corpus outside the library."""
    with Corpus.open(tmp_path / "corpus", settings, create=True) as opened:
        yield opened
