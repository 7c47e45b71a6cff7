"""Whole trainings at toy size: equal however they are cut, batched or interrupted."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("trl")

from fonte.errors import UsageError
from fonte.training.curves import read_rows
from fonte.training.generator import train_generator
from fonte.training.generator_settings import GeneratorTraining
from fonte.training.reward_settings import RewardSettings
from tests.tiny import tiny_language_model_folder
from tests.training.test_evidence import tiny_mixture_config
from tests.training.toy import toy_questions, toy_training

SGD = {"optim": "sgd"}  # Adam divides by the gradient's size, so rounding would decide where it is small


def weights(folder):
    from safetensors.torch import load_file

    return load_file(str(Path(folder) / "model.safetensors"))


def largest_difference(first, second):
    one, other = weights(first), weights(second)
    assert one.keys() == other.keys()
    return max(float((one[name] - other[name]).abs().max()) for name in one)


@pytest.fixture(scope="module")
def base():
    return str(tiny_language_model_folder())


def test_a_training_ends_in_a_model_with_curves(tmp_path, base, capsys):
    from fonte.models import LocalLanguageModel

    half = tmp_path / "model.training" / "checkpoint-7"  # what a kill left half is passed over
    half.mkdir(parents=True)
    (half / "trainer_state.json").write_text('{"global_ste')
    seen = []
    report = train_generator(
        toy_questions(), tmp_path / "model", toy_training(base), advance=lambda done, total: seen.append((done, total))
    )
    assert (report.status, report.steps, report.examples) == ("trained", 2, 6)
    assert seen == [(1, 2), (2, 2)]
    assert capsys.readouterr().out == ""
    assert largest_difference(base, tmp_path / "model") > 0
    assert not (tmp_path / "model.training").exists()
    rows = read_rows(tmp_path / "model" / "curves.jsonl")
    assert [row["step"] for row in rows] == [0, 1, 2]
    wanted = {"reward", "contribution", "above_threshold", "near_threshold", "accuracy", "length"}
    assert set(rows[1]) >= wanted | {"ppl_with", "ppl_without", "frac_reward_zero_std", "held_back_accuracy"}
    assert rows[0]["held_back_drift"] == pytest.approx(0, abs=1e-5)
    assert report.before["held_back_questions"] == 2
    assert report.picture.endswith(".png") or "matplotlib" in report.picture
    assert LocalLanguageModel.from_pretrained(report.folder).model.num_parameters() > 0
    with pytest.raises(UsageError, match="exists"):
        train_generator(toy_questions(), tmp_path / "model", toy_training(base))


def test_small_batches_accumulated_are_one_large_batch(tmp_path, base):
    plain = {"group": 8, "held_back": 0, "lora_rank": 0, "options": SGD, "learning_rate": 0.1}
    train_generator(toy_questions(), tmp_path / "wide", toy_training(base, batch=8, **plain))
    train_generator(toy_questions(), tmp_path / "narrow", toy_training(base, batch=1, **plain))
    assert largest_difference(base, tmp_path / "wide") > 1e-4
    assert largest_difference(tmp_path / "wide", tmp_path / "narrow") < 3e-5
    wide, narrow = (read_rows(tmp_path / name / "curves.jsonl") for name in ("wide", "narrow"))
    for one, other in zip(wide, narrow, strict=True):
        assert one["reward"] == pytest.approx(other["reward"], abs=1e-4)
        assert one["contribution"] == pytest.approx(other["contribution"], abs=1e-4)


KILLED_AT_CHECKPOINT = """
import os
import signal
from pathlib import Path
from tests.training.toy import *
from fonte.training.generator import train_generator


def killed(done, total):
    if done == 3:
        os.kill(os.getpid(), signal.SIGKILL)


train_generator(toy_questions(), Path({folder!r}), toy_training({base!r}, **{changes!r}), advance=killed)
"""


def test_a_training_killed_in_the_middle_goes_on_to_the_same_weights(tmp_path, base):
    changes = {"steps": 6, "check_every": 3}
    train_generator(toy_questions(), tmp_path / "whole", toy_training(base, **changes))
    killed = tmp_path / "killed"
    run = KILLED_AT_CHECKPOINT.format(folder=str(killed), base=base, changes=changes)
    ended = subprocess.run([sys.executable, "-c", run], cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL)
    assert ended.returncode == -signal.SIGKILL
    assert (tmp_path / "killed.training" / "checkpoint-2").exists()
    assert not killed.exists()
    report = train_generator(toy_questions(), killed, toy_training(base, **changes))
    assert report.steps == 6
    assert largest_difference(tmp_path / "whole", killed) < 1e-6
    whole, resumed = (read_rows(folder / "curves.jsonl") for folder in (tmp_path / "whole", killed))
    assert [row["step"] for row in resumed] == [row["step"] for row in whole] == list(range(7))
    for one, other in zip(whole, resumed, strict=True):
        assert one.get("reward") == pytest.approx(other.get("reward"), abs=1e-6)


def test_another_training_in_the_work_folder_is_not_gone_on_with(tmp_path, base):
    work = tmp_path / "model.training"
    work.mkdir()
    (work / "training.json").write_text(json.dumps({"base": "another"}))
    with pytest.raises(UsageError, match="other settings or questions"):
        train_generator(toy_questions(), tmp_path / "model", toy_training(base))


def test_supervised_training_learns_its_targets(tmp_path, base):
    training = toy_training(base, method="sft", steps=6, questions=4, learning_rate=1e-2)
    report = train_generator(toy_questions(), tmp_path / "model", training)
    losses = [row["loss"] for row in read_rows(tmp_path / "model" / "curves.jsonl") if "loss" in row]
    assert (report.status, len(losses)) == ("trained", 6)
    assert losses[-1] < losses[0]


def test_supervised_rows_count_the_target_and_its_end_only(base):
    from fonte.models.local import LocalLanguageModel
    from fonte.training.examples import build_examples
    from fonte.training.sft import supervised_row

    model = LocalLanguageModel.from_pretrained(base, dtype="float32")
    [example] = build_examples(toy_questions(1), model).examples
    row = supervised_row(example, model)
    counted = [token for token, counts in zip(row["input_ids"], row["completion_mask"], strict=True) if counts]
    assert model.decode(counted) == example.target
    assert counted[-1] in model.ends
    assert tuple(row["input_ids"][: -len(counted)]) == example.prompt_ids


def test_a_mixture_of_experts_trains_a_step(tmp_path):
    mixture = str(tiny_language_model_folder(tiny_mixture_config()))
    report = train_generator(toy_questions(), tmp_path / "model", toy_training(mixture, steps=1, lora_rank=0))
    assert report.status == "trained"
    assert largest_difference(mixture, tmp_path / "model") > 0


def test_groups_without_variance_stop_the_run(tmp_path, base):
    from fonte.training.guard import Guard

    training = toy_training(base, reward=RewardSettings(reward="accuracy"), steps=20, guard=Guard(patience=3))
    report = train_generator(toy_questions(), tmp_path / "model", training)
    assert (report.status, report.steps) == ("stopped", 3)
    assert "equal rewards" in report.reason
    assert not (tmp_path / "model").exists()
    assert (tmp_path / "model.training" / "checkpoint-3").exists()


def test_the_start_can_be_the_scorer(tmp_path, base):
    training = toy_training(base, scorer="start", lora_rank=0, steps=1, held_back=0)
    assert train_generator(toy_questions(), tmp_path / "model", training).status == "trained"


def test_questions_are_chosen_by_trying(tmp_path, base):
    with pytest.raises(UsageError, match="none was mixed"):
        train_generator(toy_questions(), tmp_path / "model", toy_training(base, select="pass@2,variance"))
    rows = read_rows(tmp_path / "model.training" / "selection.jsonl")
    assert [row["right"] for row in rows] == [0] * 6
    assert all(len(row["values"]) == 2 for row in rows)


def test_nothing_to_train_on_is_told_with_the_reasons(tmp_path, base):
    bare = [question.__class__(question.id, question.question, question.answers) for question in toy_questions()]
    with pytest.raises(UsageError, match="6: no supporting passage"):
        train_generator(bare, tmp_path / "model", toy_training(base))


def test_batches_must_fit_the_group(base):
    with pytest.raises(UsageError, match="Choose a batch"):
        GeneratorTraining(base, group=8, batch=3).accumulation(1)


def toy_trainer(training, tmp_path):
    """Return a trainer of two toy questions that has not run, its model and its examples."""
    from fonte.models.local import LocalLanguageModel
    from fonte.training.examples import build_examples
    from fonte.training.grpo import grpo_trainer
    from fonte.training.watch import Watch

    model = LocalLanguageModel.from_pretrained(training.base, dtype="float32")
    examples = build_examples(toy_questions(2), model, training.examples).examples

    def watch(policy, scorer):
        return Watch(tmp_path / "curves.jsonl", training.guard, None, 1)

    return grpo_trainer(model, examples, training, tmp_path / "work", watch), model, examples


def test_prompts_reach_the_trainer_as_the_tokens_that_are_scored(tmp_path, base):
    trainer, model, examples = toy_trainer(toy_training(base), tmp_path)
    prompt = trainer.train_dataset[1]["prompt"]
    ids, _, _ = trainer._tokenize_prompts([prompt])
    assert tuple(ids[0]) == examples[1].prompt_ids == examples[1].case.prompt.token_ids
    assert set(trainer.eos_token_ids) == set(trainer.generation_config.eos_token_id) == model.ends


@pytest.mark.parametrize(("options", "computed"), [({}, "torch.float32"), ({"bf16": True}, "torch.bfloat16")])
def test_completions_are_sampled_in_the_precision_that_is_trained(tmp_path, base, options, computed):
    import torch

    trainer, *_ = toy_trainer(toy_training(base, options=options, steps=1), tmp_path)
    seen = {"sampled": set(), "trained": set()}
    sampling = []
    generate = trainer._generate_single_turn

    def watched(*args, **named):
        sampling.append(True)
        try:
            return generate(*args, **named)
        finally:
            sampling.pop()

    trainer._generate_single_turn = watched
    layer = next(part for name, part in trainer.model.named_modules() if name.endswith("q_proj.base_layer"))

    def note(_, given, made):
        for phase, applies in (("sampled", sampling), ("trained", torch.is_grad_enabled())):
            if applies:
                seen[phase].add(str(made.dtype))

    layer.register_forward_hook(note)
    trainer.train()
    assert seen == {"sampled": {computed}, "trained": {computed}}
