"""Train a support scorer: a cross-encoder on pairs that people labelled, calibrated on pairs that it has not seen."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fonte.citations.support_model import EntailmentSupport
from fonte.errors import MissingExtraError, UsageError
from fonte.measures.calibration import calibration_error
from fonte.models.folder import resolve
from fonte.models.loading import quiet
from fonte.models.weights import require_safe
from fonte.training.support_pairs import SHIPPABLE, LabelledPair, read_pairs, split_pairs
from fonte.training.support_words import fit_words

try:
    from datasets import Dataset
    from sentence_transformers import CrossEncoder
    from sentence_transformers.cross_encoder import CrossEncoderTrainer, CrossEncoderTrainingArguments
    from sentence_transformers.cross_encoder.losses import BinaryCrossEntropyLoss
    from transformers import PrinterCallback, set_seed
except ImportError as missing:
    raise MissingExtraError(str(missing.name or "sentence-transformers"), "training") from None

WORK = ".training"


@dataclass(frozen=True, slots=True)
class SupportTraining:
    """How to train. `window` is in tokens, claim and premise together.

    `mismatched` is the share of additional pairs of a claim with another question's evidence, which are never
    supported: they teach that being well written is no support.
    """

    base: str = "all-minilm-l6-v2"
    epochs: float = 4
    batch_size: int = 16
    learning_rate: float = 5e-5
    window: int = 256
    mismatched: float = 0.15
    seed: int = 0
    shippable: bool = False


@dataclass(frozen=True, slots=True)
class SupportReport:
    """What came of it: pairs per side, and the error of the probabilities on the side that calibrated them."""

    folder: str
    train: int
    calibrate: int
    test: int
    calibration_error: float
    trained_on: str


def train_support(pairs: Path, output: Path, settings: SupportTraining | None = None) -> SupportReport:
    """Train on the `train` side of `pairs`, calibrate on the `calibrate` side, and write the model to `output`.

    The `test` side is never looked at. With `shippable` only pairs of `SHIPPABLE` sources are used. Every epoch is
    kept in `<output>.training` until the model is written, so that an interrupted training goes on where it stopped;
    a training of other settings or pairs there is refused. Errors: `UsageError` where `output` is taken, the pairs
    cannot be read, or a side holds one label only; `ModelError`.
    """
    chosen = settings or SupportTraining()
    if output.exists():
        raise UsageError(f"{output} exists. Choose another place, or move it away.")
    sides = split_pairs(read_pairs(pairs, SHIPPABLE if chosen.shippable else None), chosen.seed)
    work = output.with_name(output.name + WORK)
    _claim(work, chosen, sides["train"])
    set_seed(chosen.seed)  # the new head is drawn at random
    model = CrossEncoder(
        str(require_safe(resolve(chosen.base))),
        num_labels=1,
        max_length=chosen.window,
        trust_remote_code=False,
        local_files_only=True,
    )
    _fit(model, _examples(_reader(model), sides["train"], chosen), work, chosen)
    return _finish(model, sides, work, output, chosen)


def _claim(work: Path, settings: SupportTraining, pairs: Sequence[LabelledPair]) -> None:
    """Note in the work folder what is trained there, or check that it is this."""
    note = {**asdict(settings), "pairs": sorted(pair.id for pair in pairs)}
    path = work / "training.json"
    if path.is_file() and json.loads(path.read_text(encoding="utf-8")) != note:
        raise UsageError(f"{work} holds an unfinished training with other settings or pairs. Remove it to start anew.")
    work.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(note), encoding="utf-8")


def _reader(model: Any) -> EntailmentSupport:
    """Return the scorer that the model will be, so that it is trained on what it will be shown."""
    from fonte.citations.support_heads import Head

    scorer = EntailmentSupport(model.transformers_model, model.tokenizer, Head("sigmoid"), "training")
    scorer.window = min(scorer.window, int(model.max_seq_length or scorer.window))
    return scorer


def _examples(reader: EntailmentSupport, pairs: Sequence[LabelledPair], settings: SupportTraining) -> Any:
    """Return the pairs as the scorer reads them: of several windows the one with most of the claim's words."""
    chance = random.Random(settings.seed)
    told = [pair for pair in pairs if pair.premise.strip() and pair.claim.strip()]
    rows = [(pair.premise, pair.claim, float(pair.label)) for pair in told]
    for pair in chance.sample(told, int(len(told) * settings.mismatched)):
        other = chance.choice(told)
        if other.question != pair.question or not pair.question:
            rows.append((other.premise, pair.claim, 0.0 if other.claim != pair.claim else float(pair.label)))
    shown = [(_densest(reader.read(premise, claim)[0], claim), label) for premise, claim, label in rows]
    if len({label for _, label in shown}) < 2:
        raise UsageError(f"Training needs pairs of both labels; there are {len(shown)} of one.")
    return Dataset.from_dict(
        {
            "premise": [premise for (premise, _), _ in shown],
            "claim": [claim for (_, claim), _ in shown],
            "label": [label for _, label in shown],
        }
    )


def _densest(windows: Sequence[tuple[str, str]], claim: str) -> tuple[str, str]:
    words = set(claim.casefold().split())
    return max(windows, key=lambda window: len(words & set(window[0].casefold().split())))


def _fit(model: Any, examples: Any, work: Path, settings: SupportTraining) -> None:
    arguments = CrossEncoderTrainingArguments(
        output_dir=str(work),
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=settings.batch_size,
        learning_rate=settings.learning_rate,
        warmup_steps=0.1,
        weight_decay=0.01,
        seed=settings.seed,
        save_strategy="epoch",
        save_total_limit=1,
        logging_steps=50,
        report_to="none",
        disable_tqdm=True,
    )
    trainer = CrossEncoderTrainer(
        model=model, args=arguments, train_dataset=examples, loss=BinaryCrossEntropyLoss(model)
    )
    trainer.remove_callback(PrinterCallback)  # stdout is for answers
    trainer.train(resume_from_checkpoint=any(work.glob("checkpoint-*")) or None)


def _finish(
    model: Any, sides: dict[Any, list[LabelledPair]], work: Path, output: Path, settings: SupportTraining
) -> SupportReport:
    finished = work / "finished"
    shutil.rmtree(finished, ignore_errors=True)
    with quiet():
        model.save_pretrained(str(finished), create_model_card=False)
    scorer = EntailmentSupport.from_pretrained(str(finished))
    known = sides["calibrate"]
    sources = ", ".join(sorted({pair.source for side in sides.values() for pair in side if pair.source}))
    trained_on = f"{sources or 'unnamed pairs'}; train and calibrate sides of split_pairs(seed={settings.seed})"
    questions, labels = [(pair.premise, pair.claim) for pair in known], [pair.label for pair in known]
    scorer.calibrate(questions, labels, trained_on, fit_words(sides["train"], settings.seed)).save(finished)
    error = calibration_error(scorer(questions), labels)
    finished.replace(output)
    shutil.rmtree(work, ignore_errors=True)
    counts = (len(sides["train"]), len(sides["calibrate"]), len(sides["test"]))
    return SupportReport(str(output), *counts, error, trained_on)
