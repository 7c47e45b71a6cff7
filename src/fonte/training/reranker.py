"""Train a re-ranker: a cross-encoder that predicts how much a passage will move the model's answer."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fonte.errors import MissingExtraError, UsageError
from fonte.models.folder import resolve
from fonte.models.loading import quiet
from fonte.models.weights import require_safe
from fonte.training.reranker_card import write_card
from fonte.training.reranker_evaluator import Concordance
from fonte.training.reranker_folds import grouped_folds
from fonte.training.reranker_losses import OBJECTIVES, Aimed, LossName, dataset_for, require_targets
from fonte.training.reranker_targets import QuestionTargets, TargetScale, require_scale, scaled
from fonte.training.work_folder import claim, last_checkpoint

try:
    import torch
    from sentence_transformers import CrossEncoder
    from sentence_transformers.cross_encoder import CrossEncoderTrainer, CrossEncoderTrainingArguments
    from transformers import EarlyStoppingCallback, PrinterCallback

    from fonte.models.hardware import choose_device, choose_dtype
except ImportError as missing:
    raise MissingExtraError(str(missing.name or "sentence-transformers"), "training") from None

WORK = ".training"


@dataclass(frozen=True, slots=True)
class RerankerTraining:
    """How to train.

    `base` is a name, folder or hub id. `targets` and `gold_share` are as in `scaled`. `batch_size` counts pairs (a
    list-wise loss takes whole questions, as many as come nearest to that). `window` is in tokens, question and passage
    together. Where there are questions to watch, training stops after `patience` epochs without a better order on them,
    and the best epoch is kept. `precision` is `auto` (what is fast here) or `float32`.
    """

    base: str = "all-minilm-l6-v2"
    loss: LossName = "mse"
    targets: TargetScale = "standardised"
    gold_share: float = 0.0
    epochs: int = 8
    patience: int = 2
    batch_size: int = 16
    learning_rate: float = 3e-5
    window: int = 256
    seed: int = 0
    precision: str = "auto"

    def __post_init__(self) -> None:
        """Refuse what cannot be trained, since settings come from files and command lines, and measuring takes long."""
        if self.loss not in OBJECTIVES:
            raise UsageError(f"The loss is {self.loss!r}; choose one of: {', '.join(OBJECTIVES)}.")
        require_scale(self.targets, self.gold_share)
        if self.loss == "cross_entropy" and self.targets != "ranks":
            raise UsageError("Cross entropy takes targets from 0 to 1. Use targets = ranks, or another loss.")

    def require_base(self) -> None:
        """Find the weights to start from without loading them. Errors: `ModelError`."""
        require_safe(resolve(self.base))


@dataclass(frozen=True, slots=True)
class TrainedReranker:
    """What came of it: where it lies, what it was trained on, and its order on the watched questions.

    `concordance` is None where no question was watched; see `Concordance`.
    """

    folder: str
    questions: int
    pairs: int
    watched: int
    concordance: float | None


def train_reranker(
    targets: Sequence[QuestionTargets],
    output: Path,
    settings: RerankerTraining | None = None,
    watched: Sequence[QuestionTargets] = (),
) -> TrainedReranker:
    """Train on `targets`, stop by `watched` (other questions), and write the model with its card to `output`.

    The folder loads in plain sentence-transformers, and gives the target's own numbers: no activation is applied. Every
    epoch is kept in `<output>.training` until then, so that an interrupted training goes on where it stopped. Errors:
    `UsageError` where `output` is taken, an unfinished training there had other settings or questions, no question has
    two passages, or the loss does not take such targets; `ModelError`.
    """
    chosen = settings or RerankerTraining()
    if output.exists():
        raise UsageError(f"{output} exists. Choose another place, or move it away.")
    usable = [question for question in targets if len(question.passages) > 1]
    if not usable:
        raise UsageError("There is nothing to train on: no question has two measured passages.")
    aimed = [(one, scaled(one, chosen.targets, chosen.gold_share)) for one in usable]
    require_targets(chosen.loss, aimed)
    work = output.with_name(output.name + WORK)
    claim(work, {**asdict(chosen), "questions": sorted(question.id for question in usable)})
    model = _base(chosen)
    evaluator = Concordance(watched, chosen.targets, chosen.gold_share, chosen.batch_size) if watched else None
    _fit(model, aimed, evaluator, work, chosen)
    pairs = sum(len(question.passages) for question in usable)
    reached = float(evaluator(model)) if evaluator else None
    report = TrainedReranker(str(output), len(usable), pairs, len(watched), reached)
    _finish(model, work, output, lambda folder: write_card(folder, usable, watched, asdict(chosen), asdict(report)))
    return report


def cross_validate(
    targets: Sequence[QuestionTargets],
    folder: Path,
    settings: RerankerTraining | None = None,
    *,
    folds: int = 5,
    watched_share: float = 0.15,
    most: int | None = None,
) -> dict[str, Path]:
    """Train a re-ranker per fold on the other folds; return for each question the one that has not seen it.

    Questions with a common group stay on one side. Of the training questions whole groups, about `watched_share`, stop
    the training instead of being learnt from; with `most`, at most so many of the others are learnt from, drawn by
    seed (for a learning curve). Trained folds found in `folder` are not trained again. Errors: as above, and
    `UsageError` for fewer groups than folds.
    """
    chosen = settings or RerankerTraining()
    fold_of = grouped_folds({question.id: question.groups for question in targets}, folds, chosen.seed)
    models: dict[str, Path] = {}
    for fold in range(folds):
        output = folder / f"fold-{fold}"
        rest = [question for question in targets if fold_of[question.id] != fold]
        if not output.is_dir():
            learnt, watched = split_watched(rest, watched_share, chosen.seed)
            if most is not None:
                random.Random(chosen.seed).shuffle(learnt)
                learnt = learnt[:most]
            train_reranker(learnt, output, replace(chosen, seed=chosen.seed + fold), watched)
        models |= {question.id: output for question in targets if fold_of[question.id] == fold}
    return models


def split_watched(
    questions: Sequence[QuestionTargets], share: float, seed: int
) -> tuple[list[QuestionTargets], list[QuestionTargets]]:
    """Return questions to learn from and questions to watch, whole groups each; none to watch where groups are few.

    Watched is the fold whose size is nearest to `share` of the questions, so that one large group stays learnt from.
    """
    parts = round(1 / share) if share > 0 else 0
    try:
        fold_of = grouped_folds({question.id: question.groups for question in questions}, parts, seed + 1)
    except UsageError:
        return list(questions), []
    sizes = Counter(fold_of.values())
    chosen = min(range(parts), key=lambda fold: (abs(sizes[fold] - share * len(questions)), fold))
    learnt = [question for question in questions if fold_of[question.id] != chosen]
    return learnt, [question for question in questions if fold_of[question.id] == chosen]


def _base(settings: RerankerTraining) -> Any:
    torch.manual_seed(settings.seed)  # the head of a base without one is drawn
    with quiet():
        return CrossEncoder(
            str(require_safe(resolve(settings.base))),
            num_labels=1,
            max_length=settings.window,
            activation_fn=torch.nn.Identity(),
            trust_remote_code=False,
            local_files_only=True,
            model_kwargs={"use_safetensors": True, "dtype": "float32"},
        )


def _fit(model: Any, aimed: Aimed, evaluator: Concordance | None, work: Path, settings: RerankerTraining) -> None:
    objective = OBJECTIVES[settings.loss]
    passages = max(round(float(np.mean([len(question.passages) for question, _ in aimed]))), 1)
    size = max(settings.batch_size // passages, 1) if objective.lists else settings.batch_size
    watching = {
        "eval_strategy": "epoch",
        "load_best_model_at_end": True,
        "metric_for_best_model": "eval_evaluator",
        "greater_is_better": True,
    }
    device = choose_device("auto")
    arguments = CrossEncoderTrainingArguments(
        output_dir=str(work),
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=size,
        learning_rate=settings.learning_rate,
        warmup_steps=0.1,
        weight_decay=0.01,
        seed=settings.seed,
        bf16=choose_dtype(settings.precision, device) == torch.bfloat16,
        use_cpu=device.type == "cpu",
        save_strategy="epoch",
        save_total_limit=1,
        logging_strategy="no",
        dataloader_pin_memory=False,
        report_to="none",
        disable_tqdm=True,
        **(watching if evaluator else {}),
    )
    trainer = CrossEncoderTrainer(
        model=model,
        args=arguments,
        train_dataset=dataset_for(settings.loss, aimed, settings.seed),
        loss=objective.make(model),
        evaluator=evaluator,
        callbacks=[EarlyStoppingCallback(settings.patience)] if evaluator else None,
    )
    trainer.remove_callback(PrinterCallback)  # stdout is for answers
    found = last_checkpoint(work)
    with quiet():
        trainer.train(resume_from_checkpoint=str(found[0]) if found else None)


def _finish(model: Any, work: Path, output: Path, card: Any) -> None:
    finished = work / "finished"
    shutil.rmtree(finished, ignore_errors=True)
    with quiet():
        model.save_pretrained(str(finished), create_model_card=False)
    card(finished)
    finished.replace(output)
    shutil.rmtree(work, ignore_errors=True)
