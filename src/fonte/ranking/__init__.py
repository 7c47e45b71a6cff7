"""The order of passages on their way to the language model."""

from fonte.ranking.rerank import fuse, rerank

__all__ = ["fuse", "rerank"]
