"""CHOP as the paper has it: every gap is decided by the language model, every segment gets its first chunk's signature.

No decision depends on a signature, so there are two waves, not a chain: all gaps, then the first chunk of each segment.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from fonte.chunking.chop.decision import Decision, continuity
from fonte.chunking.chop.extraction import Extraction, SegmentHead, extract
from fonte.chunking.chop.schema import PRODUCT, SignatureSchema
from fonte.models.language_model import LanguageModel
from fonte.values import Signature

if TYPE_CHECKING:
    from fonte.records.outputs import OutputCache


@dataclass(frozen=True, slots=True)
class SignedChunk:
    """What faithful CHOP says about one chunk.

    `signature.status` is `extracted` (the chunk begins a segment), `inherited`, or `failed` (the extraction of its
    segment's first chunk failed; then it is empty). `decision` is the gap before the chunk, None for the first one,
    which has no gap. `reason` is the extraction's, on the chunk that begins the segment. `calls` and `tokens` are
    what this chunk cost: its gap, and its extraction where it begins a segment.
    """

    signature: Signature
    decision: Decision | None
    reason: str = ""
    calls: int = 0
    tokens: int = 0

    @property
    def begins(self) -> bool:
        """Whether a segment begins here."""
        return self.decision is None or not self.decision.continues

    @property
    def continuity(self) -> float | None:
        """Probability that the chunk goes on with the one before; None for the first, and where `decision` failed."""
        return None if self.decision is None else self.decision.probability


def faithful_chop(
    texts: Sequence[str],
    model: LanguageModel,
    *,
    schema: SignatureSchema = PRODUCT,
    grounds: Sequence[str] = (),
    tokens: int | None = None,
    at_once: int = 1,
    cache: OutputCache | None = None,
    documents: Collection[str] = (),
) -> list[SignedChunk]:
    r"""Sign the chunks of one stream (CHOP, arXiv 2604.15802): $M_{i+1} = M_i$ if continuous, else extracted anew.

    `texts` are the chunks in order; none give []. Costs N - 1 decisions and one extraction per segment. Chunks of
    separate files are separate streams: call this once for each. `grounds` are texts beside the chunks in which a
    name may stand (title, running header, file name). `tokens`, `at_once`, `cache` and `documents` are those of
    `continuity` and `extract`. No error of a model leaves here; what failed says so.
    """
    pairs = list(pairwise(texts))
    gaps = continuity(pairs, model, tokens=tokens, at_once=at_once, cache=cache, documents=documents)
    decisions: list[Decision | None] = [None, *gaps][: len(texts)]
    segments = list(_segments(decisions))
    heads = [SegmentHead(texts[start], (*texts[start + 1 : end], *grounds)) for start, end in segments]
    extractions = extract(heads, model, schema=schema, at_once=at_once, cache=cache, documents=documents)
    return [
        _signed(number - start, decisions[number], extraction)
        for (start, end), extraction in zip(segments, extractions, strict=True)
        for number in range(start, end)
    ]


def _segments(decisions: Sequence[Decision | None]) -> Iterator[tuple[int, int]]:
    """Yield the first chunk of each segment and the one after its last."""
    starts = [number for number, gap in enumerate(decisions) if gap is None or not gap.continues]
    yield from pairwise([*starts, len(decisions)])


def _signed(position: int, decision: Decision | None, extraction: Extraction) -> SignedChunk:
    calls, tokens = (decision.calls, decision.tokens) if decision else (0, 0)
    if position == 0:
        calls, tokens = calls + extraction.calls, tokens + extraction.tokens
        return SignedChunk(extraction.signature, decision, extraction.reason, calls, tokens)
    status = "failed" if extraction.signature.status == "failed" else "inherited"
    return SignedChunk(replace(extraction.signature, status=status), decision, "", calls, tokens)
