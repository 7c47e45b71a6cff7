"""Documents cut into chunks: fixed windows, sentence similarity, or along the headings."""

from fonte.chunking.chunker import Chunker, SpanChunker, chunker_from
from fonte.chunking.sentences import sentences
from fonte.chunking.text import TEXT_VERSION, embedded_text, keyword_text, prompt_signature

__all__ = [
    "TEXT_VERSION",
    "Chunker",
    "SpanChunker",
    "chunker_from",
    "embedded_text",
    "keyword_text",
    "prompt_signature",
    "sentences",
]
