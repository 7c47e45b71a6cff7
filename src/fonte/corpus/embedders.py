"""Which embedder belongs to an index: by content, never by what a corpus says to load."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from fonte.errors import CorpusError, ModelError
from fonte.models import installed, resolve
from fonte.models.weights import model_fingerprint
from fonte.settings import EmbedderSettings, Settings

if TYPE_CHECKING:
    from fonte.models import Embedder


WINDOW_STEP = 64


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
            return Embedder.from_pretrained(name, window, settings.batch_size, settings.threads, dtype=settings.dtype)
    raise CorpusError(
        f"This corpus was indexed with an embedder (content {fingerprint}, window {window}) that is neither the one of "
        f"your settings ({settings.model}) nor in your model folder. Name the right one in your fonte.toml under "
        "[embedder] model, or embed all documents anew with yours: fonte reindex"
    )


def configured_embedder(settings: Settings, tell: Callable[[str], None]) -> Embedder:
    """Load the embedder of the settings; a chunk size above its window raises the window, and `tell` says so.

    The default embedder is set to 256 tokens, its architecture reads 512: CHOP's 500-token chunks need 512. A window
    that the settings name is kept. Errors: `ModelError` where the architecture reads less.
    """
    from fonte.models import Embedder, load_embedder  # takes seconds to load

    embedder = load_embedder(settings)
    needed = (settings.chunking.tokens or 0) + embedder.special_tokens
    if settings.embedder.window is not None or needed <= embedder.window:
        return embedder
    window = -(-needed // WINDOW_STEP) * WINDOW_STEP
    tell(
        f"Chunks of {settings.chunking.tokens} tokens raise the window of {embedder.name} from {embedder.window} to "
        f"{window} tokens."
    )
    chosen = settings.embedder
    return Embedder.from_pretrained(chosen.model, window, chosen.batch_size, chosen.threads, dtype=chosen.dtype)


def _candidates(settings: EmbedderSettings) -> Iterator[str]:
    yield settings.model
    yield from (model.name for model in installed() if model.name != settings.model and model.kind == "embedder")
