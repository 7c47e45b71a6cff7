"""Text as tokenizers and JSON can take it: without lone surrogates, which come from undecodable bytes."""

from __future__ import annotations

import re

_SURROGATES = re.compile("[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """Return `text` with lone surrogates as U+FFFD, one for one, so that offsets stay."""
    return _SURROGATES.sub("\ufffd", text)
