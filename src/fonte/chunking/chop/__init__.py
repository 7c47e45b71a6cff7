"""CHOP: chunks that carry a signature of what they belong to, found for free where that is possible."""

from fonte.chunking.chop.boundaries import Gap, decide
from fonte.chunking.chop.budgeted import BudgetedModel
from fonte.chunking.chop.chunker import ChopChunker, signing_chunker
from fonte.chunking.chop.continuity import Continuity, calibrated
from fonte.chunking.chop.faithful import faithful_chop
from fonte.chunking.chop.identity import Identity, discriminating, identify
from fonte.chunking.chop.joining import Joined, joined
from fonte.chunking.chop.segments import Segment, SignedText, document_signatures

__all__ = [
    "BudgetedModel",
    "ChopChunker",
    "Continuity",
    "Gap",
    "Identity",
    "Joined",
    "Segment",
    "SignedText",
    "calibrated",
    "decide",
    "discriminating",
    "document_signatures",
    "faithful_chop",
    "identify",
    "joined",
    "signing_chunker",
]
