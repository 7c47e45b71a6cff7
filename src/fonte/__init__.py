"""fonte: retrieval-augmented generation whose answers depend on the sources they cite.

Importing this package loads neither torch nor a server; `fonte.Corpus` and `fonte.Settings` load when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fonte.corpus import Corpus
    from fonte.settings import Settings

__all__ = ["Corpus", "Settings", "__version__"]
__version__ = "0.1.0"

_LAZY = {"Corpus": "fonte.corpus", "Settings": "fonte.settings"}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'fonte' has no attribute {name!r}")
