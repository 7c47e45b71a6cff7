"""What goes before each chunk: nothing, the true name, another one's, or what a method found out by itself."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeVar

from chop_cutting import Cut
from chop_streams import Text

from fonte.chunking import embedded_text, keyword_text
from fonte.chunking.chop import document_signatures, identify
from fonte.chunking.chop.chunker import within
from fonte.chunking.chop.decision import continuity
from fonte.chunking.chop.extraction import SegmentHead, extract
from fonte.chunking.chop.names import without_shared_brand
from fonte.chunking.chop.schema import PRODUCT
from fonte.chunking.chop.topics import topic_nouns, topics
from fonte.chunking.chop.words import words
from fonte.models import LanguageModel
from fonte.records.outputs import OutputCache
from fonte.values import Signature

FIELDS = tuple(field.name for field in PRODUCT.fields)
RESERVE = 32  # tokens of the window that are kept for a signature

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Signed:
    """A cut whose chunks carry signatures, with what that took; `boundaries` None: the method looks for none."""

    cut: Cut
    boundaries: set[int] | None = None
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    model: str | None = None
    plain_vectors: bool = False
    plain_keywords: bool = False
    asks_named: bool = False

    @property
    def embedded(self) -> list[str]:
        """The texts that are embedded."""
        return [chunk.text if self.plain_vectors else embedded_text(chunk) for chunk in self.cut.chunks]

    @property
    def keywords(self) -> list[str]:
        """The texts of the keyword index."""
        return [chunk.text if self.plain_keywords else keyword_text(chunk) for chunk in self.cut.chunks]

    def accuracy(self, names: Mapping[str, str]) -> float | None:
        """Return the share of chunks whose model is the name of what they belong to, whatever is said of the maker."""
        if not names or not any(chunk.signature for chunk in self.cut.chunks):
            return None
        pairs = zip(self.cut.chunks, self.cut.owners, strict=True)
        right = [bare(chunk.signature.get("model") or "") == bare(names[owner]) for chunk, owner in pairs]
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


def with_topic_nouns(signed: Signed) -> Signed:
    """Return the chunks with the words that tell their topic from the others of the document that was found."""
    signatures: list[Signature] = []
    numbered = zip(signed.cut.chunks, signed.cut.where, strict=True)
    for _, own in groupby(numbered, key=lambda pair: (pair[1], pair[0].signature.get("model"))):
        run = [chunk for chunk, _ in own]
        for chunk, nouns in zip(run, topic_nouns(run, topics(run)), strict=True):
            known = dict(chunk.signature.fields) | {"nouns": nouns}
            signatures.append(Signature(tuple((name, known[name]) for name in FIELDS if known.get(name))))
    return replace(signed, cut=_with(signed.cut, signatures))


def _with(cut: Cut, signatures: list[Signature]) -> Cut:
    signed = [replace(chunk, signature=own) for chunk, own in zip(cut.chunks, signatures, strict=True)]
    chunks = [within(chunk, cut.embedder, RESERVE) for chunk in signed]
    return Cut(cut.texts, chunks, cut.where, cut.embedder)


def bare(name: str) -> list[str]:
    """Return the words of a name without the maker's."""
    return [word for word in words(name.replace("_", " ")) if word != "samsung"]


def sign_alone(cut: Cut) -> Signed:
    """Return every chunk signed by what it names itself, if anything: a prefix without continuity."""
    names = [identify("", "", (), [chunk.text]).get("model") for chunk in cut.chunks]
    return Signed(_with(cut, [Signature((("model", name),) if name else ()) for name in names]))


def sign_at_true_boundaries(cut: Cut) -> Signed:
    """Return every chunk signed by what the first chunk of its manual names: continuity without a mistake."""
    names: dict[str, str] = {}
    for chunk, owner in zip(cut.chunks, cut.owners, strict=True):
        names.setdefault(owner, identify("", "", (), [chunk.text]).get("model"))
    short = dict(zip(names, without_shared_brand(list(names.values())), strict=True))
    return sign_true(cut, short)


def sign_chop(cut: Cut, model: LanguageModel, calls: int | None, outputs: OutputCache | None) -> Signed:
    """Return every chunk signed as the paper has it: `model` decides every gap and names every segment.

    With `calls` only so many questions are asked, a third of them for names: gaps that are left go on, segments that
    are left stay unsigned. Outputs that are remembered count as asked.
    """
    begun = time.perf_counter()
    first = {cut.where.index(at) for at in range(len(cut.texts))}
    gaps = [at for at in range(1, len(cut.chunks)) if at not in first]
    gaps = gaps if calls is None else gaps[: 2 * calls // 3]
    pairs = [(cut.chunks[at - 1].text, cut.chunks[at].text) for at in gaps]
    decisions = _in_waves(pairs, lambda wave: continuity(wave, model, cache=outputs), "gaps")
    breaks = {at for at, decision in zip(gaps, decisions, strict=True) if not decision.continues}
    starts = sorted(first | breaks)
    heads = starts if calls is None else starts[: calls - 2 * calls // 3]
    texts = [cut.chunks[at].text for at in heads]
    named = _in_waves(texts, lambda wave: extract([SegmentHead(text) for text in wave], model, cache=outputs), "names")
    known = {at: extraction.signature for at, extraction in zip(heads, named, strict=True)}
    signatures: list[Signature] = []
    for at in range(len(cut.chunks)):
        inherited = replace(signatures[-1], status="inherited") if signatures else Signature()
        signatures.append(known.get(at, Signature(status="budget")) if at in first | breaks else inherited)
    tokens = sum(decision.tokens for decision in decisions) + sum(extraction.tokens for extraction in named)
    failed = sum(extraction.signature.status == "failed" for extraction in named)
    print(f"{len(breaks)} of {len(gaps)} gaps are new, {failed} of {len(named)} names failed", file=sys.stderr)
    asked = len(gaps) + len(heads)
    return Signed(_with(cut, signatures), breaks, asked, tokens, time.perf_counter() - begun, model.name)


def _in_waves(items: list[T], ask: Callable[[list[T]], list[R]], what: str) -> list[R]:
    found: list[R] = []
    begun = time.perf_counter()
    for first in range(0, len(items), 32):
        found += ask(items[first : first + 32])
        left = (time.perf_counter() - begun) / len(found) * (len(items) - len(found)) / 60
        print(f"{what}: {len(found)} of {len(items)}, {left:.1f} minutes left", file=sys.stderr, flush=True)
    return found
