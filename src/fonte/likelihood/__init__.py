"""log p(answer | question, any subset of the passages), exactly and with shared work.

Importing this room loads no model library; the local engine loads torch when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fonte.likelihood.cost import Cost
from fonte.likelihood.evaluations import EvaluationStore, MemoryEvaluations, SqliteEvaluations, evaluation_key
from fonte.likelihood.masks import PromptSegments, expand_passages, normalise_keep
from fonte.likelihood.noise import Noise
from fonte.likelihood.plan import Scorer
from fonte.likelihood.score import score, scorer_for
from fonte.likelihood.scores import Scores

if TYPE_CHECKING:
    from fonte.likelihood.depth import Bounds
    from fonte.likelihood.remote import RemoteScorer
    from fonte.likelihood.scorer import LocalScorer

__all__ = [
    "Bounds",
    "Cost",
    "EvaluationStore",
    "LocalScorer",
    "MemoryEvaluations",
    "Noise",
    "PromptSegments",
    "RemoteScorer",
    "Scorer",
    "Scores",
    "SqliteEvaluations",
    "evaluation_key",
    "expand_passages",
    "normalise_keep",
    "score",
    "scorer_for",
]


_LAZY = {"Bounds": "depth", "LocalScorer": "scorer", "RemoteScorer": "remote"}


def __getattr__(name: str) -> Any:
    """Load what needs torch or an HTTP client only when it is asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
