"""The losses that a re-ranker can be trained with, each with the data set that it reads."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fonte.errors import MissingExtraError, UsageError
from fonte.training.reranker_targets import FloatArray, QuestionTargets, interval_weights

try:
    import torch
    from datasets import Dataset
    from sentence_transformers.cross_encoder.losses import (
        BinaryCrossEntropyLoss,
        ListNetLoss,
        MarginMSELoss,
        MSELoss,
    )
    from sentence_transformers.util import batch_to_device
except ImportError as missing:
    raise MissingExtraError(str(missing.name or "sentence-transformers"), "training") from None

LossName = Literal["mse", "weighted_mse", "margin_mse", "list_net", "cross_entropy"]
Aimed = Sequence[tuple[QuestionTargets, FloatArray]]


class WeightedMSELoss(torch.nn.Module):
    """Mean over pairs of w (score - target)^2; a label is [target, w]. With w of one it is the mean squared error."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, inputs: list[list[str]], labels: Any, prompt: str | None = None, task: str | None = None) -> Any:
        """Return the loss of a batch of (question, text) columns."""
        wanted = torch.stack(list(labels)).to(self.model.device).float()
        pairs = list(zip(inputs[0], inputs[1], strict=True))
        features = batch_to_device(self.model.preprocess(pairs, prompt=prompt, task=task), self.model.device)
        scores = self.model(features)["scores"].view(-1).float()
        return (wanted[:, 1] * (scores - wanted[:, 0]) ** 2).mean()

    def get_config_dict(self) -> dict[str, str]:
        """Return what the library writes into its own model card: nothing."""
        return {}


@dataclass(frozen=True)
class Objective:
    """`make(model)` is the loss; `rows(aimed, seed)` its data set; `lists` says that a row holds all of a question."""

    make: Callable[[Any], Any]
    rows: Callable[[Aimed, int], Iterator[dict[str, Any]]]
    lists: bool = False


def _pairs(aimed: Aimed, seed: int) -> Iterator[dict[str, Any]]:
    for question, wanted in aimed:
        for passage, target in zip(question.passages, wanted, strict=True):
            yield {"question": question.question, "text": passage.text, "label": float(target)}


def _weighted(aimed: Aimed, seed: int) -> Iterator[dict[str, Any]]:
    for question, wanted in aimed:
        for passage, target, weight in zip(question.passages, wanted, interval_weights(question), strict=True):
            yield {"question": question.question, "text": passage.text, "label": [float(target), float(weight)]}


def _margins(aimed: Aimed, seed: int) -> Iterator[dict[str, Any]]:
    """Yield each passage against another of its question, drawn by `seed`; the label is the targets' difference."""
    chance = random.Random(seed)
    for question, wanted in aimed:
        texts = [passage.text for passage in question.passages]
        for first in range(len(texts)) if len(texts) > 1 else ():
            second = chance.choice([other for other in range(len(texts)) if other != first])
            margin = float(wanted[first] - wanted[second])
            yield {"question": question.question, "first": texts[first], "second": texts[second], "label": margin}


def _listed(aimed: Aimed, seed: int) -> Iterator[dict[str, Any]]:
    for question, wanted in aimed:
        texts = [passage.text for passage in question.passages]
        if len(texts) > 1:
            yield {"question": question.question, "texts": texts, "labels": [float(target) for target in wanted]}


OBJECTIVES: dict[LossName, Objective] = {
    # The paper's: mean squared error on continuous targets.
    "mse": Objective(MSELoss, _pairs),
    # Counts a target by how sure it is.
    "weighted_mse": Objective(WeightedMSELoss, _weighted),
    # Only differences within a question count, so its level need not be learnt (Hofstätter et al. 2020).
    "margin_mse": Objective(MarginMSELoss, _margins),
    # The distribution over a question's passages (ListNet, Cao et al. 2007); for standardised targets.
    "list_net": Objective(ListNetLoss, _listed, lists=True),
    # For targets from 0 to 1: ranks, or labels of relevance.
    "cross_entropy": Objective(BinaryCrossEntropyLoss, _pairs),
}


def require_targets(loss: LossName, aimed: Aimed) -> None:
    """Refuse targets outside 0 to 1 for cross entropy, which has no least value with them. Errors: `UsageError`."""
    if loss == "cross_entropy" and any(((wanted < 0) | (wanted > 1)).any() for _, wanted in aimed):
        raise UsageError("Cross entropy takes targets from 0 to 1. Use targets = ranks, or another loss.")


def dataset_for(loss: LossName, aimed: Aimed, seed: int) -> Any:
    """Return the `datasets.Dataset` of questions and what the re-ranker is to give for their passages."""
    return Dataset.from_list(list(OBJECTIVES[loss].rows(aimed, seed)))
