"""What both trainers are configured with."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch

from fonte.training.generator_settings import GeneratorTraining


def shared_options(training: GeneratorTraining, work: Path) -> dict[str, Any]:
    """Return the options that do not depend on the method; `WORLD_SIZE` says how many processes there are.

    Mixed precision is off unless asked for, so that sampled and scored likelihoods are those of the same weights.
    """
    on_cpu = not torch.cuda.is_available()
    return {
        "output_dir": str(work),
        "per_device_train_batch_size": training.batch,
        "gradient_accumulation_steps": training.accumulation(int(os.environ.get("WORLD_SIZE", "1"))),
        "learning_rate": training.learning_rate,
        "lr_scheduler_type": "constant",
        "max_steps": training.steps,
        "seed": training.seed,
        "logging_steps": 1,
        "save_strategy": "steps",
        "save_steps": training.save_every,
        "save_total_limit": 2,
        "report_to": "none",
        "disable_tqdm": True,
        "use_cpu": on_cpu,
        "bf16": False,
        "gradient_checkpointing": not on_cpu,
        "dataloader_pin_memory": not on_cpu,
    }


def lora_of(training: GeneratorTraining) -> Any:
    """Return the peft configuration of an adapter on all linear layers, or None where all weights are trained."""
    if not training.lora_rank:
        return None
    from peft import LoraConfig

    return LoraConfig(
        r=training.lora_rank,
        lora_alpha=2 * training.lora_rank,
        target_modules="all-linear",
        lora_dropout=0.0,
        task_type="CAUSAL_LM",
    )
