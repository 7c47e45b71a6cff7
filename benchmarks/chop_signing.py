"""What goes before each chunk: nothing, the true name, another one's, or what a method found out by itself."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from chop_cutting import Cut
from chop_streams import Text

from fonte.chunking import embedded_text, keyword_text
from fonte.chunking.chop import document_signatures
from fonte.chunking.chop.words import words
from fonte.values import Signature


@dataclass(frozen=True)
class Signed:
    """A cut whose chunks carry signatures, with what that took; `boundaries` None: the method looks for none."""

    cut: Cut
    boundaries: set[int] | None = None
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    model: str | None = None

    @property
    def embedded(self) -> list[str]:
        """The texts that are embedded."""
        return [embedded_text(chunk) for chunk in self.cut.chunks]

    @property
    def keywords(self) -> list[str]:
        """The texts of the keyword index."""
        return [keyword_text(chunk) for chunk in self.cut.chunks]

    def accuracy(self) -> float | None:
        """Return the share of chunks whose model is the device they belong to, whatever is said of the maker."""
        if not any(chunk.signature for chunk in self.cut.chunks):
            return None
        pairs = zip(self.cut.chunks, self.cut.owners, strict=True)
        right = [_bare(chunk.signature.get("model") or "") == _bare(owner) for chunk, owner in pairs]
        return round(sum(right) / len(right), 4)


def unsigned(cut: Cut) -> Signed:
    """Return the chunks as they are."""
    return Signed(cut)


def sign_true(cut: Cut, names: Mapping[str, str]) -> Signed:
    """Return every chunk signed with the name that `names` has for its owner."""
    return Signed(_with(cut, [Signature((("model", names[owner]),)) for owner in cut.owners]))


def sign_cascade(texts: list[Text], cut: Cut) -> Signed:
    """Return every chunk signed by the free stages of the cascade; each text is a file of its own."""
    begun = time.perf_counter()
    found = document_signatures(
        [
            (text.document, [c.text for c, w in zip(cut.chunks, cut.where, strict=True) if w == at])
            for at, text in enumerate(texts)
        ]
    )
    signatures = [signature for signed in found for signature in signed.signatures]
    starts, position = set(), 0
    for signed in found:
        starts |= {position + gap for gap, decided in enumerate(signed.gaps) if decided.decision == "new"}
        position += len(signed.gaps)
    return Signed(_with(cut, signatures), starts, seconds=time.perf_counter() - begun)


def _with(cut: Cut, signatures: list[Signature]) -> Cut:
    chunks = [replace(chunk, signature=own) for chunk, own in zip(cut.chunks, signatures, strict=True)]
    return Cut(cut.texts, chunks, cut.where, cut.embedder)


def _bare(name: str) -> list[str]:
    return [word for word in words(name.replace("_", " ")) if word != "samsung"]
