"""Train a generator to use its sources: questions to examples, a trainer, its watch, and a model folder at the end."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from fonte.errors import MissingExtraError, UsageError
from fonte.evaluation.questions import Question
from fonte.likelihood.forward import is_sharded
from fonte.models.loading import quiet
from fonte.models.local import LocalLanguageModel
from fonte.training.curves import cut_log, draw_curves, read_rows
from fonte.training.device import starting_device
from fonte.training.evidence import EvidenceScorer
from fonte.training.examples import Example, build_examples, split_by_hash
from fonte.training.generator_settings import GeneratorTraining
from fonte.training.held_back import HeldBack
from fonte.training.processes import is_main, main_first, of_main
from fonte.training.trying import chosen_examples
from fonte.training.work_folder import claim, last_checkpoint

WORK = ".training"
CURVES = "curves.jsonl"
Tell = Callable[[str], None]
Advance = Callable[[int, int], None]


@dataclass(frozen=True)
class GeneratorReport:
    """What came of it.

    `status` is `trained`, or `stopped` where the guard ended the run for `reason`; then nothing is at `folder`, and the
    checkpoints stay in `<folder>.training`. `examples` were trained on, `left_out` counts questions that could not be,
    by reason. `before` and `after` are held-back values; `curves` is their log, `picture` a file or why there is none.
    """

    folder: str
    status: str
    reason: str
    steps: int
    examples: int
    left_out: Mapping[str, int]
    before: Mapping[str, float]
    after: Mapping[str, float]
    curves: str
    picture: str

    def moved_to(self, folder: str) -> GeneratorReport:
        """Return the report of a model that lies in `folder` now; what lay beside it says so too."""
        picture = (
            folder + self.picture.removeprefix(self.folder) if self.picture.startswith(self.folder) else self.picture
        )
        return replace(self, folder=folder, curves=folder + self.curves.removeprefix(self.folder), picture=picture)


def train_generator(
    questions: Sequence[Question],
    output: Path,
    training: GeneratorTraining,
    held_back: Sequence[Question] | None = None,
    tell: Tell = lambda message: None,
    advance: Advance = lambda done, total: None,
) -> GeneratorReport:
    """Train on `questions` and write the model to `output`, a folder that `fonte ask` can use.

    `held_back` questions are watched, never trained on; None sets `training.held_back` of the questions apart by hash.
    The run lives in `<output>.training` until it is finished, and goes on where it stopped, however it was ended; what
    it then computes equals an uninterrupted run. Of several processes (`accelerate launch`) all must call this and get
    the same report; only the main one tells, advances and writes. Errors: `UsageError` where `output` is taken, another
    training lies in the work folder, or no example is left; `ModelError`.
    """
    if not is_main():
        tell, advance = _unheard, _unheard
    if output.exists():
        raise UsageError(f"{output} exists. Choose another place, or move it away.")
    watched, learned = split_by_hash(questions, training.held_back) if held_back is None else (held_back, questions)
    work = output.with_name(output.name + WORK)
    device = starting_device(torch.cuda.device_count(), training.options, os.environ)
    model = LocalLanguageModel.from_pretrained(training.base, dtype=training.dtype, device=device)
    made = build_examples(learned, model, training.examples)
    note = {**training.to_json(), "questions": [one.id for one in made.examples], "weights": model.fingerprint}
    with main_first():  # the others then find what the first one tried
        claim(work, note)
        examples = chosen_examples(made.examples, model, training, work / "selection.jsonl", tell)
    if not examples:
        reasons = "; ".join(f"{count}: {reason}" for reason, count in made.left_out.items())
        raise UsageError(f"No question is left to train on ({reasons or 'none was mixed'}). Use more, or other ones.")
    tell(f"training on {len(examples)} questions, watching {len(watched)}")
    watch_on = build_examples(watched, model, training.watched_examples).examples if watched else ()
    trainer, watch = _trainer(model, examples, watch_on, training, work, advance)
    _run(trainer, work)
    rows = read_rows(work / CURVES)
    steps = int(trainer.state.global_step)
    status = "stopped" if watch.reason else "trained"
    place = _finish(trainer, model, work, output) if status == "trained" else work
    picture = of_main(lambda: draw_curves(rows, place / "curves.png"))
    checks = [row for row in rows if "held_back_accuracy" in row]
    return GeneratorReport(
        folder=str(output),
        status=status,
        reason=watch.reason,
        steps=steps,
        examples=len(examples),
        left_out=made.left_out,
        before=_held_back(checks[:1]),
        after=_held_back(checks[-1:]),
        curves=str(place / CURVES),
        picture=picture or str(place / "curves.png"),
    )


def _trainer(
    model: LocalLanguageModel,
    examples: Sequence[Example],
    watched: Sequence[Example],
    training: GeneratorTraining,
    work: Path,
    advance: Advance,
) -> tuple[Any, Any]:
    try:
        from transformers import PrinterCallback

        from fonte.training.grpo import grpo_trainer
        from fonte.training.sft import sft_trainer
        from fonte.training.watch import Watch
    except ImportError as missing:
        raise MissingExtraError(str(missing.name or "trl"), "training") from None
    made: list[Watch] = []

    def make_watch(policy: Callable[[], Any], scorer: EvidenceScorer) -> Watch:
        check = None
        if watched:
            asked = HeldBack(watched, model, training.reward, training.max_tokens)
            base = EvidenceScorer(policy, dtype=training.score_dtype, weights="base") if training.lora_rank else None
            check = lambda: asked(policy(), scorer, base)  # noqa: E731 - the model exists only later
        made.append(Watch(work / CURVES, training.guard, check, training.check_every, training.minutes, advance))
        return made[0]

    build = grpo_trainer if training.method == "grpo" else sft_trainer
    trainer = build(model, examples, training, work, make_watch)
    trainer.remove_callback(PrinterCallback)  # it writes to stdout, which belongs to the answer
    if training.lora_rank and trainer.is_fsdp_enabled:
        raise UsageError("An adapter cannot be merged into sharded weights. Use lora_rank = 0, or one process.")
    return trainer, made[0]


def _run(trainer: Any, work: Path) -> None:
    found = last_checkpoint(work)
    if trainer.is_world_process_zero():
        for path in work.glob("checkpoint-*"):
            if found is None or int(path.name.rpartition("-")[2]) > found[1]:
                shutil.rmtree(path)  # what a kill left half
        cut_log(work / CURVES, found[1] if found else -1)
    trainer.accelerator.wait_for_everyone()
    trainer.train(resume_from_checkpoint=str(found[0]) if found else None)


def _finish(trainer: Any, model: LocalLanguageModel, work: Path, output: Path) -> Path:
    """Write the whole model (an adapter merged into it), then let it appear at `output` in one step."""
    trainer.accelerator.wait_for_everyone()
    # sharded weights are gathered by all processes together
    weights = trainer.accelerator.get_state_dict(trainer.model) if is_sharded(trainer.model) else None
    trained = trainer.accelerator.unwrap_model(trainer.model)
    finished = work / "finished"
    if trainer.is_world_process_zero():
        shutil.rmtree(finished, ignore_errors=True)
        with quiet():
            if hasattr(trained, "merge_and_unload"):
                trained.save_pretrained(str(finished / "adapter"))
                trained = trained.merge_and_unload()
            trained.config.use_cache = True
            trained.save_pretrained(str(finished), state_dict=weights)
            model.tokenizer.save_pretrained(str(finished))
        shutil.copyfile(work / CURVES, finished / CURVES)
        shutil.copyfile(work / "training.json", finished / "training.json")
        finished.replace(output)
        shutil.rmtree(work, ignore_errors=True)
    trainer.accelerator.wait_for_everyone()
    return output


def _unheard(*_: object) -> None:
    """Take what a process that is not the main one would tell."""


def _held_back(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    return {name: value for row in rows for name, value in row.items() if name.startswith("held_back")}
