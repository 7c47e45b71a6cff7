"""How well an order agrees with targets: what stops a training, and what old and new re-rankers are compared by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fonte.errors import MissingExtraError
from fonte.training.reranker_targets import FloatArray, QuestionTargets, TargetScale, scaled

try:
    import torch
    from sentence_transformers.base.evaluation import BaseEvaluator
except ImportError as missing:
    raise MissingExtraError(str(missing.name or "sentence-transformers"), "training") from None


def concordance(scores: FloatArray, targets: FloatArray) -> float:
    """Return the share of pairs of passages that `scores` put in the order of `targets`, 0 to 1; chance is one half.

    A pair counts by how far its targets are apart, so that noise among passages without effect counts little; equal
    scores count half. Where all targets are equal there is nothing to order: one half.
    """
    gaps = targets[:, None] - targets[None, :]
    agreed = (np.sign(scores[:, None] - scores[None, :]) + 1) / 2
    weights = np.clip(gaps, 0.0, None)
    total = float(weights.sum())
    return float((weights * agreed).sum() / total) if total > 0 else 0.5


class Concordance(BaseEvaluator):  # type: ignore[misc]  # the library has no types
    """The mean concordance of a cross-encoder over questions, as sentence-transformers' trainer calls it."""

    def __init__(
        self, questions: Sequence[QuestionTargets], scale: TargetScale, gold_share: float, batch_size: int
    ) -> None:
        super().__init__()
        self._questions = [question for question in questions if len(question.passages) > 1]
        self._targets = [scaled(question, scale, gold_share) for question in self._questions]
        self._batch_size = batch_size

    def __call__(self, model: Any, output_path: str | None = None, epoch: int = -1, steps: int = -1) -> float:
        """Return the mean; one half where there is no question with two passages."""
        pairs = [(question.question, passage.text) for question in self._questions for passage in question.passages]
        if not pairs:
            return 0.5
        scores = model.predict(
            pairs, batch_size=self._batch_size, show_progress_bar=False, activation_fn=torch.nn.Identity()
        )
        values = np.asarray(scores, dtype=np.float64).reshape(-1)
        ends = np.cumsum([len(question.passages) for question in self._questions])[:-1]
        parts = np.split(values, ends)
        return float(np.mean([concordance(part, aim) for part, aim in zip(parts, self._targets, strict=True)]))
