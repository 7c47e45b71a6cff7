"""Supervised training through TRL: gold answers with the markers of their evidence, as start and as baseline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fonte.errors import MissingExtraError
from fonte.models.local import LocalLanguageModel
from fonte.training.evidence import EvidenceScorer
from fonte.training.examples import Example
from fonte.training.generator_settings import GeneratorTraining
from fonte.training.trainer_options import lora_of, shared_options

try:
    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer
except ImportError as missing:
    raise MissingExtraError(str(missing.name or "trl"), "training") from None


def sft_trainer(
    language_model: LocalLanguageModel,
    examples: Sequence[Example],
    training: GeneratorTraining,
    work: Path,
    make_watch: Callable[[Callable[[], Any], EvidenceScorer], Any],
) -> SFTTrainer:
    """Return the trainer, ready to run; the loss is over the target's tokens and the end token only."""
    holder: list[SFTTrainer] = []

    def policy() -> Any:
        return holder[0].model

    options = {
        **shared_options(training, work),
        "completion_only_loss": True,
        "max_length": None,
        "packing": False,
        **training.options,
    }
    trainer = SFTTrainer(
        model=language_model.model,
        args=SFTConfig(**options),
        train_dataset=Dataset.from_list([supervised_row(example, language_model) for example in examples]),
        processing_class=language_model.tokenizer,
        peft_config=lora_of(training),
        callbacks=[make_watch(policy, EvidenceScorer(policy, dtype=training.score_dtype))],
    )
    holder.append(trainer)
    return trainer


def supervised_row(example: Example, language_model: LocalLanguageModel) -> dict[str, list[int]]:
    """Return `input_ids`, and in `completion_mask` 1 for the target and the token that ends the answer."""
    prompt = list(example.prompt_ids)
    said = [*language_model.encode(example.target), end_token(language_model)]
    return {"input_ids": prompt + said, "completion_mask": [0] * len(prompt) + [1] * len(said)}


def end_token(language_model: LocalLanguageModel) -> int:
    """Return the id that ends an answer: the tokenizer's end of text if that is one, else the lowest."""
    own = language_model.tokenizer.eos_token_id
    return int(own) if own in language_model.ends else min(language_model.ends)
