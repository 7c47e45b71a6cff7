"""What is trained from effects and labels, and the rewards; each module is imported where it is used (torch is large).

For other trainers: `from fonte.training import AnswerJudge` (texts in, rewards out) or `EvidenceReward` (token ids).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fonte.training.evidence import EvidenceScorer
    from fonte.training.judging import AnswerJudge
    from fonte.training.reward import Case, Completion, EvidenceReward
    from fonte.training.reward_settings import RewardSettings

_HOME = {
    "AnswerJudge": "judging",
    "Case": "reward",
    "Completion": "reward",
    "EvidenceReward": "reward",
    "EvidenceScorer": "evidence",
    "RewardSettings": "reward_settings",
}

__all__ = ["AnswerJudge", "Case", "Completion", "EvidenceReward", "EvidenceScorer", "RewardSettings"]


def __getattr__(name: str) -> Any:
    """Load what needs torch only when it is asked for."""
    if name in _HOME:
        return getattr(import_module(f"fonte.training.{_HOME[name]}"), name)
    raise AttributeError(f"module 'fonte.training' has no attribute {name!r}")
