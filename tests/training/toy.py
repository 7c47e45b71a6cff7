"""Toy questions and settings, with which a training takes seconds."""

from fonte.evaluation.questions import Question, QuestionPassage
from fonte.training.examples import ExampleSettings
from fonte.training.generator_settings import GeneratorTraining
from fonte.training.reward_settings import RewardSettings
from tests.tiny import tiny_language_model_folder

PLACES = ("Rome", "Oslo", "Lima", "Bonn", "Cairo", "Quito", "Sofia", "Riga")


def toy_questions(count=8):
    return [
        Question(
            id=f"q{number}",
            question=f"Where is tower {number}?",
            answers=(PLACES[number % 8],),
            passages=(
                QuestionPassage("gold", f"Tower {number} is in {PLACES[number % 8]}.", gold=True),
                QuestionPassage("other", f"Tower {number + 50} is old.", gold=False),
            ),
        )
        for number in range(count)
    ]


def toy_training(base=None, **changes):
    values = {
        "base": base or str(tiny_language_model_folder()),
        "reward": RewardSettings(reward="clr", threshold=0.0),
        "examples": ExampleSettings(style="brief"),
        "steps": 2,
        "group": 4,
        "batch": 4,
        "max_tokens": 6,
        "learning_rate": 1e-3,
        "lora_rank": 4,
        "held_back": 2,
        "check_every": 1,
        "save_every": 1,
    }
    return GeneratorTraining(**{**values, **changes})
