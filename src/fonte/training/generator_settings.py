"""How a generator is trained: one frozen value that a TOML file or the command line fills."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from fonte.errors import UsageError
from fonte.settings import DEFAULT_LANGUAGE_MODEL
from fonte.training.examples import ExampleSettings
from fonte.training.guard import Guard
from fonte.training.reward_settings import RewardSettings


@dataclass(frozen=True)
class GeneratorTraining:
    """`grpo` samples `group` completions per question and rewards them; `sft` imitates gold answers with markers.

    `questions` per optimizer step; `batch` completions (for `sft`: examples) go through the model at once on each
    process, and gradients are accumulated up to the step. `lora_rank` 0 trains all weights. `kl` is the weight of the
    KL penalty (the paper removed it). `scorer`: who scores the evidence: the `policy` itself, or its `start`.
    `max_tokens` bounds a completion. A run ends after `steps`, or (unless 0) with the first step after `minutes`.
    Every `check_every` steps `held_back` questions, kept out of training, are answered greedily. `select`: see
    `read_selection`. `dtype` of the weights, and of scoring (`score_dtype`, `own` or `float32`). `options` go to TRL's
    configuration as they are (`use_vllm`, `bf16`, `fsdp`, …).
    """

    base: str = DEFAULT_LANGUAGE_MODEL
    method: Literal["grpo", "sft"] = "grpo"
    reward: RewardSettings = field(default_factory=RewardSettings)
    examples: ExampleSettings = field(default_factory=ExampleSettings)
    guard: Guard = field(default_factory=Guard)
    steps: int = 100
    minutes: float = 0.0
    group: int = 8
    questions: int = 1
    batch: int = 8
    learning_rate: float = 1e-5
    lora_rank: int = 16
    max_tokens: int = 48
    temperature: float = 1.0
    kl: float = 0.0
    scorer: Literal["policy", "start"] = "policy"
    held_back: int = 32
    check_every: int = 20
    save_every: int = 10
    select: str = ""
    dtype: str = "float32"
    score_dtype: Literal["float32", "own"] = "float32"
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse numbers that cannot be."""
        if self.method not in ("grpo", "sft"):
            raise UsageError(f"The method is grpo or sft, not {self.method!r}.")
        if self.scorer not in ("policy", "start"):
            raise UsageError(f"The scorer is policy or start, not {self.scorer!r}.")
        if self.method == "grpo" and self.group < 2:
            raise UsageError("GRPO compares completions of one question, so a group needs at least 2.")
        least = {"steps": 1, "questions": 1, "batch": 1, "max_tokens": 1, "check_every": 1, "save_every": 1}
        for name, lowest in {**least, "lora_rank": 0, "held_back": 0}.items():
            if getattr(self, name) < lowest:
                raise UsageError(f"{name} must be at least {lowest}, not {getattr(self, name)}.")

    @property
    def watched_examples(self) -> ExampleSettings:
        """How held-back questions become prompts: without pooled distractors, which would depend on the other ones."""
        return replace(self.examples, pooled=0)

    def accumulation(self, processes: int) -> int:
        """Return over how many batches a step's gradients are summed. Errors: `UsageError` where it is no number."""
        total = self.questions * (self.group if self.method == "grpo" else 1)
        if total % (self.batch * processes):
            raise UsageError(
                f"A step has {total} completions, which {processes} processes cannot go through in batches of "
                f"{self.batch}. Choose a batch that divides {total} / {processes}."
            )
        return total // (self.batch * processes)

    def to_json(self) -> dict[str, Any]:
        """Return plain values: what identifies a training."""
        return {**asdict(self), "options": dict(self.options)}


def read_training(path: Path, start: GeneratorTraining | None = None) -> GeneratorTraining:
    """Read a TOML file with the fields as keys, and the tables `reward`, `examples`, `guard` and `options`.

    What it does not say is taken from `start`, else from the defaults. Errors: `UsageError` for a file that is not
    TOML, or a key or value that is not known.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read as TOML: {error}.") from None
    return with_values(start or GeneratorTraining(), values, str(path))


def with_values(training: GeneratorTraining, values: Mapping[str, Any], where: str) -> GeneratorTraining:
    """Return `training` with `values` (nested as in the file) in place of its own."""
    changed: dict[str, Any] = {}
    for name, value in values.items():
        known = {one.name for one in fields(training)}
        if name not in known:
            raise UsageError(f"{where}: unknown key {name!r}; there are: {', '.join(sorted(known))}.")
        before = getattr(training, name)
        if name in ("reward", "examples", "guard"):
            changed[name] = _with(before, value, f"{where}, [{name}]")
        elif name == "options":
            changed[name] = {**training.options, **value}
        else:
            changed[name] = _typed(before, value, f"{where}, {name}")
    return replace(training, **changed)


def _with(before: Any, values: Mapping[str, Any], where: str) -> Any:
    known = {one.name for one in fields(before)}
    if unknown := set(values) - known:
        raise UsageError(f"{where}: unknown key {min(unknown)!r}; there are: {', '.join(sorted(known))}.")
    typed = {name: _typed(getattr(before, name), value, f"{where}, {name}") for name, value in values.items()}
    return replace(before, **typed)


def _typed(before: Any, value: Any, where: str) -> Any:
    if isinstance(before, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if before is not None and type(value) is not type(before):
        raise UsageError(f"{where}: {value!r} must be of the type of {before!r}.")
    return value
