"""Models as the settings name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fonte.settings import Settings

if TYPE_CHECKING:
    from fonte.models.cross_encoder import Reranker
    from fonte.models.embedder import Embedder
    from fonte.models.language_model import LanguageModel


def load_embedder(settings: Settings) -> Embedder:
    """Load the embedder of `settings.embedder`. Errors: `ModelError`, `MissingExtraError`."""
    from fonte.models.embedder import Embedder

    chosen = settings.embedder
    return Embedder.from_pretrained(chosen.model, chosen.window, chosen.batch_size, chosen.threads, dtype=chosen.dtype)


def load_reranker(settings: Settings) -> Reranker | None:
    """Load the cross-encoder of `settings.reranker`, or return None where none is set. Errors: as above."""
    from fonte.models.cross_encoder import Reranker

    chosen = settings.reranker
    if not chosen.model:
        return None
    return Reranker.from_pretrained(chosen.model, chosen.batch_size, dtype=chosen.dtype)


def load_language_model(settings: Settings) -> LanguageModel:
    """Connect to the endpoint of `settings.language_model`, or load its model here. Errors: as above."""
    chosen = settings.language_model
    if chosen.endpoint:
        from fonte.models.endpoint import EndpointLanguageModel

        return EndpointLanguageModel.from_settings(chosen)
    from fonte.models.local import LocalLanguageModel

    return LocalLanguageModel.from_pretrained(
        chosen.model,
        dtype=chosen.dtype,
        device=chosen.device,
        threads=chosen.threads,
        context_window=chosen.context_window,
    )
