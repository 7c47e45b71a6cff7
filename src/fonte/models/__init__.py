"""The models themselves: embedder, re-ranker, language model (local or behind a server), and their download.

Everything is loaded when first named, so that importing this package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fonte.models.cross_encoder import Reranker
    from fonte.models.downloads import download
    from fonte.models.embedder import Embedder
    from fonte.models.endpoint import EndpointLanguageModel
    from fonte.models.folder import installed, model_folder, resolve
    from fonte.models.language_model import Delta, Generation, LanguageModel
    from fonte.models.load import load_embedder, load_language_model, load_reranker
    from fonte.models.local import LocalLanguageModel

_HOME = {
    "Delta": "language_model",
    "Embedder": "embedder",
    "EndpointLanguageModel": "endpoint",
    "Generation": "language_model",
    "LanguageModel": "language_model",
    "LocalLanguageModel": "local",
    "Reranker": "cross_encoder",
    "download": "downloads",
    "installed": "folder",
    "load_embedder": "load",
    "load_language_model": "load",
    "load_reranker": "load",
    "model_folder": "folder",
    "resolve": "folder",
}

__all__ = [
    "Delta",
    "Embedder",
    "EndpointLanguageModel",
    "Generation",
    "LanguageModel",
    "LocalLanguageModel",
    "Reranker",
    "download",
    "installed",
    "load_embedder",
    "load_language_model",
    "load_reranker",
    "model_folder",
    "resolve",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"fonte.models.{_HOME[name]}"), name)
    raise AttributeError(f"module 'fonte.models' has no attribute {name!r}")
