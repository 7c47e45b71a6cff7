"""The recipe of the paper: what it states, and that it starts at toy size."""

from pathlib import Path

import pytest

from fonte.errors import UsageError
from fonte.training.generator_settings import GeneratorTraining, read_training, with_values
from tests.tiny import tiny_language_model_folder
from tests.training.toy import toy_questions

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_recipe_states_what_the_paper_says():
    recipe = read_training(EXAMPLES / "papers" / "ctrl_rag.toml")
    assert recipe.base == "Qwen/Qwen3-8B"
    assert (recipe.group, recipe.kl, recipe.select, recipe.lora_rank) == (8, 0.0, "pass@8,variance", 0)
    reward = recipe.reward
    assert (reward.reward, reward.contribution, reward.threshold, reward.length) == ("hybrid", "min", 1.0, "sqrt")
    assert reward.span == "full"
    assert recipe.questions * recipe.group % recipe.batch == 0


def test_the_recipe_starts_at_toy_size(tmp_path):
    pytest.importorskip("trl")
    from fonte.training.generator import train_generator

    recipe = read_training(EXAMPLES / "papers" / "ctrl_rag.toml")
    toy = {
        "base": str(tiny_language_model_folder()),
        "steps": 1,
        "questions": 1,
        "max_tokens": 4,
        "select": "",
        "held_back": 0,
        "options": {"bf16": False},
    }
    report = train_generator(toy_questions(), tmp_path / "model", with_values(recipe, toy, "toy"))
    assert (report.status, report.steps) == ("trained", 1)


def test_configurations_for_accelerate_are_readable():
    from accelerate.commands.config.config_args import load_config_from_file

    for path in sorted((EXAMPLES / "training").glob("*.yaml")):
        assert load_config_from_file(str(path)).num_processes >= 1


def test_unknown_keys_and_wrong_types_are_named(tmp_path):
    path = tmp_path / "recipe.toml"
    for text, message in (
        ("stepz = 1\n", "unknown key 'stepz'"),
        ("[reward]\ntau = 1\n", "unknown key 'tau'"),
        ('steps = "many"\n', "steps"),
        ("[reward]\nspan = 'half'\n", "full, after_thinking, answer"),
        ("steps = \n", "TOML"),
    ):
        path.write_text(text)
        with pytest.raises(UsageError, match=message):
            read_training(path)
    path.write_text("learning_rate = 1\n[reward]\nthreshold = 2\n[examples]\nwords = 30\n")
    read = read_training(path)
    assert (read.learning_rate, read.reward.threshold, read.examples.words) == (1.0, 2.0, 30)


@pytest.mark.parametrize("changes", [{"method": "ppo"}, {"scorer": "x"}, {"group": 1}, {"steps": 0}, {"lora_rank": -1}])
def test_settings_refuse_what_cannot_be(changes):
    with pytest.raises(UsageError):
        GeneratorTraining(**changes)
