"""Which embedder belongs to an index: by content, never by what a corpus says to load."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fonte.errors import CorpusError, ModelError
from fonte.models import installed, resolve
from fonte.models.weights import model_fingerprint
from fonte.settings import EmbedderSettings

if TYPE_CHECKING:
    from fonte.models import Embedder


def matching_embedder(fingerprint: str, window: int, settings: EmbedderSettings) -> Embedder:
    """Load the embedder with `fingerprint` at `window` tokens: that of the settings, else one in the model folder.

    Errors: `CorpusError` where neither has it.
    """
    from fonte.models import Embedder  # takes seconds to load

    for name in _candidates(settings):
        try:
            found = model_fingerprint(resolve(name), f"window={window}")
        except ModelError:
            continue  # a model that is set but not here is no match; another may be
        if found == fingerprint:
            return Embedder.from_pretrained(name, window, settings.batch_size, settings.threads)
    raise CorpusError(
        f"This corpus was indexed with an embedder (content {fingerprint}, window {window}) that is neither the one of "
        f"your settings ({settings.model}) nor in your model folder. Name the right one in your fonte.toml under "
        "[embedder] model, or embed all documents anew with yours: fonte reindex"
    )


def _candidates(settings: EmbedderSettings) -> Iterator[str]:
    yield settings.model
    yield from (model.name for model in installed() if model.name != settings.model and model.kind == "embedder")
