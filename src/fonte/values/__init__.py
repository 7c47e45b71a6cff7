"""Frozen values that travel between the rooms; every one is comparable and safe to share."""

from fonte.values.answer import Answer, Citation, Passage
from fonte.values.chunk import Chunk, Signature
from fonte.values.document import Block, Box, Document, Place, Word, content_id
from fonte.values.effect import Effect
from fonte.values.prompt import Prompt, PromptPassage, SegmentedPrompt

__all__ = [
    "Answer",
    "Block",
    "Box",
    "Chunk",
    "Citation",
    "Document",
    "Effect",
    "Passage",
    "Place",
    "Prompt",
    "PromptPassage",
    "SegmentedPrompt",
    "Signature",
    "Word",
    "content_id",
]
