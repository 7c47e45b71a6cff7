"""The edge at which files from elsewhere meet the libraries that read them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from fonte.errors import FonteError, ModelError


@contextmanager
def loading(name: str, what: str) -> Iterator[None]:
    """Load quietly, and turn whatever the libraries raise into a `ModelError`.

    A damaged or unsuitable file can fail in torch, safetensors, tokenizers, gguf or jinja, and some of these raise a
    bare `Exception`; so this one place catches it. `what` is what the file ought to be.
    """
    try:
        with quiet():
            yield
    except FonteError:
        raise
    except ImportError as error:
        raise ModelError(f"{name} needs a package that is not installed: {error}") from None
    except Exception as error:  # noqa: BLE001 - tokenizers and safetensors raise nothing narrower
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:300]
        raise ModelError(f"{name} cannot be loaded as {what}: {reason}") from None


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the libraries' own progress bars and remarks off the terminal while loading or saving a model."""
    from huggingface_hub.utils.tqdm import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars
    from transformers.utils import logging as remarks

    bars, verbosity = remarks.is_progress_bar_enabled(), remarks.get_verbosity()
    hub_bars = not are_progress_bars_disabled()
    other = logging.getLogger("sentence_transformers")  # has a logger of its own
    level = other.level
    remarks.disable_progress_bar()
    disable_progress_bars()
    remarks.set_verbosity_error()
    other.setLevel(logging.ERROR)
    try:
        yield
    finally:
        other.setLevel(level)
        remarks.set_verbosity(verbosity)
        if bars:
            remarks.enable_progress_bar()
        if hub_bars:
            enable_progress_bars()
