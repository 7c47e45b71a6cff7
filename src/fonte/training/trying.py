"""Try questions with the model before training, and choose those that teach something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from fonte.models.local import LocalLanguageModel
from fonte.training.curves import append_row, read_rows
from fonte.training.evidence import EvidenceScorer
from fonte.training.examples import Example
from fonte.training.generator_settings import GeneratorTraining
from fonte.training.reward import EvidenceReward
from fonte.training.sampling import sample_group
from fonte.training.selection import Selection, Tried, read_selection, selected


def chosen_examples(
    examples: Sequence[Example],
    model: LocalLanguageModel,
    training: GeneratorTraining,
    log: Path,
    tell: Callable[[str], None] = lambda message: None,
) -> Sequence[Example]:
    """Return the examples that `training.select` chooses, in order; all where it chooses none.

    Every question is sampled once, and `log` (JSONL) keeps what came of it, so that an interrupted selection goes on
    and several trainings can share one. Supervised training takes all.
    """
    selection = read_selection(training.select)
    if training.method != "grpo" or not selection.samples:
        return examples
    known = {row["id"]: row for row in read_rows(log)}
    reward = EvidenceReward(replace(training.reward, reward="accuracy"), None, model.decode)
    scorer = EvidenceScorer(model.model, dtype=training.score_dtype) if selection.by_variance < 1 else None
    for number, example in enumerate(examples):
        if example.id not in known:
            known[example.id] = _try(example, model, training, selection, reward, scorer, number)
            append_row(log, known[example.id])
            tell(f"tried {number + 1} of {len(examples)} questions: {known[example.id]['right']} right")
    torch.cuda.empty_cache()  # the samples' memory is the training's now; nothing happens without a GPU
    rows = [known[example.id] for example in examples]
    tried = [Tried(row["id"], row["right"], selection.samples, tuple(row["values"])) for row in rows]
    chosen = set(selected(tried, selection))
    return [example for example in examples if example.id in chosen]


def _try(
    example: Example,
    model: LocalLanguageModel,
    training: GeneratorTraining,
    selection: Selection,
    reward: EvidenceReward,
    scorer: EvidenceScorer | None,
    number: int,
) -> dict[str, Any]:
    samples = sample_group(
        model.model,
        example.prompt_ids,
        model.ends,
        model.decode,
        count=selection.samples,
        max_tokens=training.max_tokens,
        temperature=training.temperature,
        seed=training.seed * 1_000_003 + number,
    )
    right = sum((one.accuracy.value or 0.0) >= 0.5 for one in reward(example.case, samples))
    values: list[float] = []
    if scorer is not None:
        scores = scorer.score(example.case.prompt, (), [one.token_ids for one in samples])
        values = [scores.likelihoods(place).full / len(one.token_ids) for place, one in enumerate(samples)]
    return {"id": example.id, "right": right, "values": values}
