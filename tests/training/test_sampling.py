"""Completions of prompts as token ids: what a model's own generation settings must not change."""

from fonte.models.local import LocalLanguageModel
from fonte.training.sampling import greedy, sample_group
from tests.tiny import tiny_language_model_folder

PROMPTS = [(5, 6, 7), (8, 9, 10, 11, 12)]


def test_a_declared_repetition_penalty_does_not_count():
    model = LocalLanguageModel.from_pretrained(str(tiny_language_model_folder()), dtype="float32")

    def answers():
        return greedy(model.model, PROMPTS, model.ends, model.decode, max_tokens=12)

    before = answers()
    model.model.generation_config.repetition_penalty = 50.0
    assert answers() == before


def test_samples_depend_on_the_seed_alone():
    model = LocalLanguageModel.from_pretrained(str(tiny_language_model_folder()), dtype="float32")

    def samples(seed):
        return sample_group(model.model, PROMPTS[0], model.ends, model.decode, count=3, max_tokens=8, seed=seed)

    assert samples(1) == samples(1) != samples(2)
