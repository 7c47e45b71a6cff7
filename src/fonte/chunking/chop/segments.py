"""Segments: runs of units that share a signature, and how it was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fonte.chunking.chop.boundaries import Ask, Gap, decide
from fonte.chunking.chop.continuity import Continuity
from fonte.chunking.chop.identity import Identity, discriminating, identify
from fonte.chunking.chop.names import without_shared_brand
from fonte.values import Document, Signature

Name = Callable[[Document, Sequence[str], Identity], Identity]
"""Completes an identity that the free sources left open, from the units of one document: the lazy model stage."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Units `first` to `last` (both included, from 0) of one text, which are one document with one signature.

    `sources` says where each field came from; `continuity` is the probability (0 to 1) that the text went on at the
    segment's beginning: 0 at the start of a file.
    """

    first: int
    last: int
    signature: Signature
    sources: tuple[tuple[str, str], ...]
    continuity: float


@dataclass(frozen=True, slots=True)
class SignedText:
    """A text with its gaps (one before each unit), segments, and the signature of each unit."""

    gaps: tuple[Gap, ...]
    segments: tuple[Segment, ...]
    signatures: tuple[Signature, ...]


def document_signatures(
    texts: Sequence[tuple[Document, Sequence[str]]],
    model: Continuity | None = None,
    ask: Callable[[Sequence[str]], Ask] | None = None,
    name: Name | None = None,
    fields: Sequence[str] | None = None,
) -> list[SignedText]:
    """Return the signed form of each document, given with its units (paragraphs or chunks) in order.

    Documents are hard boundaries: the first unit of each begins a segment. Inside of one, a new segment begins where
    `decide` finds another document. `fields` are the signature's fields in order (None: all that discriminate among
    these documents). No documents give [].
    """
    gaps = [tuple(decide(units, model, ask(units) if ask else None)) for _, units in texts]
    spans = [_spans(own) for own in gaps]
    found = [
        [_identify(document, units, first, last, name) for first, last in own]
        for (document, units), own in zip(texts, spans, strict=True)
    ]
    found = [_same_maker(own) for own in found]
    kept = discriminating([identity for own in found for identity in own]) if fields is None else fields
    return [_signed(*each, kept) for each in zip(gaps, spans, found, strict=True)]


def _spans(gaps: Sequence[Gap]) -> list[tuple[int, int]]:
    starts = [unit for unit, gap in enumerate(gaps) if gap.decision in ("start", "new")]
    return [(start, end - 1) for start, end in zip(starts, [*starts[1:], len(gaps)], strict=True)]


def _identify(document: Document, units: Sequence[str], first: int, last: int, name: Name | None) -> Identity:
    own = units[first : last + 1]
    whole = len(own) == len(units)
    # The file's name, title and headers speak of all of it: in a stream they name none of its documents.
    title, file_name, headers = (document.title, document.name, document.identity) if whole else ("", "", ())
    identity = identify(title, file_name, headers, own)
    return name(document, own, identity) if name and not identity.get("model") else identity


def _same_maker(identities: Sequence[Identity]) -> list[Identity]:
    names = without_shared_brand([identity.get("model") for identity in identities])
    return [
        Identity(tuple((key, own if key == "model" else value) for key, value in identity.fields), identity.sources)
        for identity, own in zip(identities, names, strict=True)
    ]


def _signed(
    gaps: Sequence[Gap], spans: Sequence[tuple[int, int]], found: Sequence[Identity], fields: Sequence[str]
) -> SignedText:
    segments, signatures = [], []
    for (first, last), identity in zip(spans, found, strict=True):
        values = tuple((name, identity.get(name)) for name in fields if identity.get(name))
        sources = tuple(source for source in identity.sources if source[0] in fields)
        continuity = 0.0 if gaps[first].decision == "start" else 1.0 - gaps[first].probability
        segments.append(Segment(first, last, Signature(values, "extracted"), sources, continuity))
        for unit in range(first, last + 1):
            status = "extracted" if unit == first else "inherited"
            signatures.append(Signature(values, "undecided" if gaps[unit].decision == "undecided" else status))
    return SignedText(tuple(gaps), tuple(segments), tuple(signatures))
