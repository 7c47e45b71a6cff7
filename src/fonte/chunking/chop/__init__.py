"""CHOP: chunks that carry a signature of what they belong to, found for free where that is possible."""

from fonte.chunking.chop.boundaries import Gap, decide
from fonte.chunking.chop.continuity import Continuity, calibrated
from fonte.chunking.chop.identity import Identity, identify
from fonte.chunking.chop.segments import Segment, SignedText, document_signatures

__all__ = [
    "Continuity",
    "Gap",
    "Identity",
    "Segment",
    "SignedText",
    "calibrated",
    "decide",
    "document_signatures",
    "identify",
]
