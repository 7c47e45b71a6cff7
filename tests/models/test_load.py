from __future__ import annotations

import subprocess
import sys

from fonte.models import load_embedder, load_language_model, load_reranker
from fonte.settings import Settings
from tests.tiny import tiny_embedder_folder, tiny_language_model_folder, tiny_reranker_folder


def test_models_load_as_the_settings_name_them():
    settings = Settings.load(
        flags={
            "embedder": {"model": str(tiny_embedder_folder()), "window": 128, "batch_size": 2},
            "reranker": {"model": str(tiny_reranker_folder()), "batch_size": 2},
            "language_model": {"model": str(tiny_language_model_folder()), "dtype": "float32", "context_window": 200},
        }
    )
    assert load_embedder(settings).window == 128
    reranker = load_reranker(settings)
    assert reranker is not None
    assert reranker.batch_size == 2
    assert load_language_model(settings).context_window == 200


def test_no_reranker_and_an_endpoint():
    settings = Settings.load(flags={"language_model": {"endpoint": "http://localhost:1/v1", "api_key": "k" * 9}})
    assert load_reranker(settings) is None
    model = load_language_model(settings)
    assert model.name == "smollm2-135m-instruct"
    assert "kkk" not in repr(model)


def test_endpoints_and_downloads_need_no_torch():
    code = (
        "import sys, fonte.models.endpoint, fonte.models.downloads, fonte.models.load\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
