"""Words as the lexical evidence counts them."""

from __future__ import annotations

import re
import unicodedata

# Scripts without spaces give single characters; elsewhere a word is letters and digits, with the sign of "S20+".
_WORD = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]|[^\\W_]+\\+?")


def words(text: str) -> list[str]:
    """Return the words of `text` in order, case-folded and compatibility-normalised; [] for a text without any."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
