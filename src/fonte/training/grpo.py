"""Group relative policy optimisation through TRL, with prompts as the token ids that the reward scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Literal

from fonte.errors import MissingExtraError
from fonte.models.local import LocalLanguageModel
from fonte.training.evidence import EvidenceScorer
from fonte.training.examples import Example, training_rows
from fonte.training.generator_settings import GeneratorTraining
from fonte.training.reward import EvidenceReward
from fonte.training.trainer_options import lora_of, shared_options
from fonte.training.trl_reward import TrlReward

try:
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer
except ImportError as missing:
    raise MissingExtraError(str(missing.name or "trl"), "training") from None


class SegmentedGRPOTrainer(GRPOTrainer):  # type: ignore[misc]  # trl has no types
    """TRL's trainer, but a prompt becomes the token ids that it stands for instead of being tokenised as a text.

    Tokenised whole, a prompt has other tokens at the joints of its parts than the one the evidence is taken out of, and
    a passage that spells out a special token could end its turn.
    """

    def __init__(self, *args: Any, prompt_ids: dict[str, tuple[int, ...]], **options: Any) -> None:
        self._prompt_ids = prompt_ids
        super().__init__(*args, **options)

    def _tokenize_prompts(self, prompts: list[str]) -> tuple[list[list[int]], None, dict[str, Any]]:
        return [list(self._prompt_ids[prompt]) for prompt in prompts], None, {}

    def _generate_single_turn(self, *args: Any, **options: Any) -> Any:
        # in mixed precision only the forward pass of training is under autocast: sample from the policy that is trained
        # (vLLM has its own copy in its own dtype)
        with nullcontext() if self.use_vllm else self.accelerator.autocast():
            return super()._generate_single_turn(*args, **options)


def grpo_trainer(
    language_model: LocalLanguageModel,
    examples: Sequence[Example],
    training: GeneratorTraining,
    work: Path,
    make_watch: Callable[[Callable[[], Any], EvidenceScorer], Any],
) -> GRPOTrainer:
    """Return the trainer, ready to run; `make_watch(policy, scorer)` gives its callback.

    Errors: `UsageError` for settings that do not go together; what TRL refuses is raised as TRL raises it.
    """
    holder: list[GRPOTrainer] = []

    def policy() -> Any:
        return holder[0].model

    weights: Literal["live", "base"] = "base" if training.scorer == "start" and training.lora_rank else "live"
    scorer = EvidenceScorer(_start(language_model, training) or policy, dtype=training.score_dtype, weights=weights)
    needed = scorer if training.reward.needs_evidence else None
    reward = EvidenceReward(training.reward, needed, language_model.decode)
    rows = training_rows(examples)
    names = [row["prompt"] for row in rows]
    live = scorer if training.scorer == "policy" else EvidenceScorer(policy, dtype=training.score_dtype)
    # the trainer reads from here which tokens end a completion, to stop and to mask what comes after
    language_model.model.generation_config.eos_token_id = sorted(language_model.ends)
    trainer = SegmentedGRPOTrainer(
        model=language_model.model,
        reward_funcs=[TrlReward(reward, examples, language_model.ends)],
        args=_arguments(training, work),
        train_dataset=Dataset.from_list(rows),
        processing_class=language_model.tokenizer,
        peft_config=lora_of(training),
        callbacks=[make_watch(policy, live)],
        prompt_ids={name: example.prompt_ids for name, example in zip(names, examples, strict=True)},
    )
    holder.append(trainer)
    return trainer


def _start(language_model: LocalLanguageModel, training: GeneratorTraining) -> Any:
    """Return a frozen copy of the start where all weights are trained and the start scores, else None."""
    if training.scorer == "policy" or training.lora_rank:
        return None
    import copy

    return copy.deepcopy(language_model.model).eval().requires_grad_(False)


def _arguments(training: GeneratorTraining, work: Path) -> GRPOConfig:
    options = {
        "num_generations": training.group,
        "max_completion_length": training.max_tokens,
        "temperature": training.temperature,
        "beta": training.kl,
        **shared_options(training, work),
        **training.options,
    }
    return GRPOConfig(**options)
