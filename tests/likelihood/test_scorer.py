import numpy as np
import pytest
import torch

from fonte.likelihood import Bounds, LocalScorer, score
from fonte.likelihood.cache import PathLayer
from fonte.likelihood.forward import Forward
from tests.likelihood.architectures import ATTENTION, build
from tests.likelihood.prompts import ids, random_prompt


def case(seed: int = 0):
    rng = np.random.default_rng(seed)
    return random_prompt(rng, 5), [ids(rng, 8), ids(rng, 6)], rng.random((8, 10)) < 0.5


def test_a_model_in_training_is_scored_in_evaluation_mode_and_given_back() -> None:
    model = build("LlamaForCausalLM", "LlamaConfig", attention_dropout=0.5)
    expected = score(LocalScorer(model), *case()).sums
    model.train()
    model.model.layers[1].eval()
    model.gradient_checkpointing_enable()
    before = [module.training for module in model.modules()]
    scores = score(LocalScorer(model), *case())
    assert [module.training for module in model.modules()] == before
    np.testing.assert_allclose(scores.sums, expected, atol=1e-5)
    assert torch.is_grad_enabled()
    loss = model(input_ids=torch.tensor([[1, 2, 3]]), labels=torch.tensor([[1, 2, 3]])).loss
    loss.backward()  # nothing of the scoring got into the graph


@pytest.mark.usefixtures("fresh_accelerator")
def test_autocast_around_the_call_and_inside_the_model_does_not_count() -> None:
    from accelerate import Accelerator

    expected = score(LocalScorer(ATTENTION["llama"]()), *case()).sums
    with torch.autocast("cpu", dtype=torch.bfloat16):
        np.testing.assert_allclose(score(LocalScorer(ATTENTION["llama"]()), *case()).sums, expected, atol=1e-5)
    wrapped = Accelerator(mixed_precision="bf16", cpu=True).prepare_model(ATTENTION["llama"](), evaluation_mode=True)
    np.testing.assert_allclose(score(LocalScorer(wrapped), *case()).sums, expected, atol=1e-5)


def test_an_adapter_is_part_of_the_model() -> None:
    peft = pytest.importorskip("peft")
    plain = score(LocalScorer(ATTENTION["llama"]()), *case()).sums
    config = peft.LoraConfig(target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    model = peft.get_peft_model(ATTENTION["llama"](), config)
    scores = score(LocalScorer(model), *case())
    assert scores.engine == "depth"
    np.testing.assert_allclose(scores.sums, score(LocalScorer(model, engine="naive"), *case()).sums, atol=1e-4)
    with model.disable_adapter():
        np.testing.assert_allclose(score(LocalScorer(model), *case()).sums, plain, atol=1e-5)


def test_a_failed_self_check_computes_everything_in_full_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    model = ATTENTION["llama"]()
    expected = score(LocalScorer(model, engine="naive"), *case()).sums
    plain = PathLayer.update

    def forgetful(self, keys, values, *arguments, **options):
        keys, values = plain(self, keys, values, *arguments, **options)
        return keys.roll(1, dims=2), values  # as a stale cache would

    monkeypatch.setattr(PathLayer, "update", forgetful)
    scorer = LocalScorer(model)
    for _ in range(2):
        scores = score(scorer, *case())
        assert scores.engine == "naive"
        assert "self-check failed" in scores.reason
        np.testing.assert_allclose(scores.sums, expected, atol=1e-5)


def test_the_self_check_runs_once_and_is_counted_apart() -> None:
    scorer = LocalScorer(ATTENTION["llama"]())
    first, second = score(scorer, *case()), score(scorer, *case())
    assert first.cost.check > 0
    assert second.cost.check == 0
    assert first.cost.computed == second.cost.computed
    assert first.noise.comparisons == 1


def test_noise_grows_with_lower_precision_and_bounds_the_engines_error() -> None:
    rng = np.random.default_rng(0)
    prompt, answers, keep = random_prompt(rng, 5, longest=60), [ids(rng, 8), ids(rng, 6)], rng.random((8, 10)) < 0.5
    large = {"hidden_size": 128, "intermediate_size": 256, "initializer_range": 0.08}
    exact = LocalScorer(build("LlamaForCausalLM", "LlamaConfig", **large))
    assert exact.measure_noise(prompt.token_ids, answers).token < 1e-5
    rough = LocalScorer(build("LlamaForCausalLM", "LlamaConfig", **large).bfloat16())
    noise = rough.measure_noise(prompt.token_ids, answers)
    assert noise.dtype == "bfloat16"
    assert noise.comparisons == 6
    assert 1e-4 < noise.token < 0.5
    assert noise.for_length(0) == 0
    assert noise.for_length(4 * noise.tokens) == pytest.approx(4 * noise.total)
    scores = score(rough, prompt, answers, keep)
    assert scores.noise.comparisons == 7
    assert np.abs(scores.sums - score(exact, prompt, answers, keep).sums).max() < 1.0


def test_mixture_of_experts_noise_is_measured_too() -> None:
    prompt, answers, _ = case()
    assert LocalScorer(ATTENTION["mixtral"]().bfloat16()).measure_noise(prompt.token_ids, answers).comparisons == 6


def test_a_head_that_cannot_select_positions_is_still_right(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = score(LocalScorer(ATTENTION["llama"]()), *case()).sums
    plain = Forward.__init__

    def without_selection(self, model) -> None:
        plain(self, model)
        self._selects = False

    monkeypatch.setattr(Forward, "__init__", without_selection)
    np.testing.assert_allclose(score(LocalScorer(ATTENTION["llama"]()), *case()).sums, expected, atol=1e-5)


def test_small_bounds_change_nothing_but_the_calls() -> None:
    prompt, answers, keep = case(3)
    model = ATTENTION["gemma2"]()
    large = score(LocalScorer(model), prompt, answers, keep)
    small = score(LocalScorer(model, bounds=Bounds(1, 1, 0.0)), prompt, answers, keep)
    assert small.cost.calls > 3 * large.cost.calls
    np.testing.assert_allclose(small.sums, large.sums, atol=1e-4)


@pytest.mark.models
def test_the_default_model_agrees_with_full_passes(language_model) -> None:
    prompt = language_model.segment(_real_prompt())
    answer = language_model.encode("The filter is cleaned every month.")
    keep = np.repeat(np.vstack([np.ones((1, 3), dtype=bool), ~np.eye(3, dtype=bool)]), 2, axis=1)
    shared = score(LocalScorer(language_model.model), prompt, [answer], keep)
    full = score(LocalScorer(language_model.model, engine="naive"), prompt, [answer], keep)
    assert shared.engine == "depth"
    allowed = 1e-3 if language_model.dtype == torch.float32 else max(2 * shared.noise.for_length(len(answer)), 1.0)
    assert np.abs(shared.sums - full.sums).max() <= allowed
    assert shared.sums[0, 0] - shared.sums[1, 0] > 1  # the passage that says it carries the answer


def _real_prompt():
    from fonte.values import Prompt, PromptPassage

    texts = ("Clean the filter every month.\n", "The table is 120 cm wide.\n", "The court held it was not valid.\n")
    passages = tuple(PromptPassage(f"[{i}]", f"[{i}]\n", text) for i, text in enumerate(texts, start=1))
    return Prompt("Answer from the sources.", "Sources:\n", passages, "How often is the filter cleaned?\n")
