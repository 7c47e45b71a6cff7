"""The order of passages on their way to the language model."""

from fonte.ranking.rerank import rerank

__all__ = ["rerank"]
