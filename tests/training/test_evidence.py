"""Scores with and without evidence, held against one full forward pass per completion and prompt."""

import numpy as np
import pytest
import torch

from fonte.errors import UsageError
from fonte.likelihood.forward import log_probabilities
from fonte.training.evidence import EvidenceScorer, leave_out
from fonte.values import SegmentedPrompt
from tests.tiny import tiny_language_model, tiny_llama_config


def prompt_of(passages=5, seed=0):
    rng = np.random.default_rng(seed)

    def ids(count):
        return tuple(int(token) for token in rng.integers(1, 250, count))

    return SegmentedPrompt(ids(9), tuple((ids(3), ids(int(rng.integers(8, 20)))) for _ in range(passages)), ids(6))


def completions_of(count=8, seed=1):
    rng = np.random.default_rng(seed)
    return [tuple(int(token) for token in rng.integers(1, 250, int(rng.integers(1, 14)))) for _ in range(count)]


def naive(model, prompt, supporting, completions, all_removed=False):
    """One full pass per variant and completion, by an independent route."""
    sums = []
    for keep in leave_out(len(prompt.passages), supporting, all_removed=all_removed):
        kept = [
            token for stays, pair in zip(keep, prompt.passages, strict=True) if stays for part in pair for token in part
        ]
        before = [*prompt.head, *kept, *prompt.tail]
        row = []
        for completion in completions:
            with torch.no_grad():
                logits = model(torch.tensor([[*before, *completion]])).logits[0].float()
            log_softmax = logits.log_softmax(-1)
            row.append(sum(float(log_softmax[len(before) - 1 + n, token]) for n, token in enumerate(completion)))
        sums.append(row)
    return np.array(sums)


def sums(scores, completions):
    found = [scores.likelihoods(number) for number in range(len(completions))]
    rows = [[one.full, *one.without, *([] if one.without_all is None else [one.without_all])] for one in found]
    return np.array(rows).T


@pytest.fixture(scope="module")
def model():
    return tiny_language_model().model


@pytest.mark.parametrize("supporting", [(0,), (4,), (1, 3), (3, 1), (0, 1, 2, 3, 4)])
def test_equal_to_naive(model, supporting):
    prompt, completions = prompt_of(), completions_of()
    found = EvidenceScorer(model).score(prompt, supporting, completions, all_removed=True)
    expected = naive(model, prompt, supporting, completions, all_removed=True)
    np.testing.assert_allclose(sums(found, completions), expected, atol=1e-4)


def test_redundant_copies_single_tokens_and_repeated_completions(model):
    prompt = prompt_of()
    twice = SegmentedPrompt(prompt.head, (prompt.passages[0], prompt.passages[1], prompt.passages[0]), prompt.tail)
    completions = [(7,), (7,), (8, 9), (7,), (8, 9)]
    found = EvidenceScorer(model).score(twice, (0, 2), completions, all_removed=True)
    np.testing.assert_allclose(sums(found, completions), naive(model, twice, (0, 2), completions, True), atol=1e-4)
    assert found.likelihoods(0) == found.likelihoods(3)


def test_a_group_shares_its_contexts_and_gated_completions_cost_nothing(model):
    prompt, completions = prompt_of(10), [(n, n + 1, n + 2) for n in range(1, 9)]
    scorer = EvidenceScorer(model)
    scorer.score(prompt, (2, 6), completions)  # the self-check at first use
    every = scorer.score(prompt, (2, 6), completions).cost
    half = scorer.score(prompt, (2, 6), completions[:4]).cost
    length = len(prompt.token_ids)
    assert every.check == 0
    assert every.computed < 3 * length + 3 * 8 * 3
    assert half.computed < every.computed
    assert scorer.score(prompt, (2, 6), []).cost.computed == 0


def test_without_supporting_passages_only_the_full_prompt_is_scored(model):
    found = EvidenceScorer(model).score(prompt_of(), (), [(5, 6)])
    assert found.likelihoods(0).without == ()


@pytest.mark.parametrize("supporting", [(5,), (-1,), (1, 1)])
def test_positions_must_exist_once(model, supporting):
    with pytest.raises(UsageError, match="positions"):
        EvidenceScorer(model).score(prompt_of(), supporting, [(5,)])


def test_a_model_in_training_is_scored_like_one_at_rest_and_given_back():
    from transformers import AutoModelForCausalLM

    quiet = AutoModelForCausalLM.from_config(tiny_llama_config(attention_dropout=0.5)).eval()
    prompt, completions = prompt_of(), completions_of(3)
    reference = sums(EvidenceScorer(quiet).score(prompt, (1,), completions), completions)
    quiet.train()
    quiet.gradient_checkpointing_enable()
    scorer = EvidenceScorer(lambda: quiet)
    assert torch.is_grad_enabled()
    np.testing.assert_allclose(sums(scorer.score(prompt, (1,), completions), completions), reference, atol=1e-5)
    assert quiet.training
    assert torch.is_grad_enabled()
    with pytest.raises(UsageError):
        scorer.score(prompt, (1,), [(10_000,)])
    assert quiet.training
    loss = quiet(torch.tensor([[1, 2, 3]]), labels=torch.tensor([[1, 2, 3]])).loss
    loss.backward()  # nothing was left in inference mode


@pytest.mark.usefixtures("fresh_accelerator")
def test_autocast_does_not_reach_the_scores():
    from accelerate import Accelerator
    from transformers import AutoModelForCausalLM

    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(tiny_llama_config()).eval()
    prompt, completions = prompt_of(), completions_of(3)
    reference = sums(EvidenceScorer(model).score(prompt, (1,), completions), completions)
    wrapped = Accelerator(mixed_precision="bf16", cpu=True).prepare_model(model)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        again = sums(EvidenceScorer(wrapped).score(prompt, (1,), completions), completions)
    np.testing.assert_allclose(again, reference, atol=1e-5)


def test_a_shorter_format_is_scored_by_a_float32_copy_of_the_live_weights():
    from transformers import AutoModelForCausalLM

    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(tiny_llama_config()).eval().to(torch.bfloat16)
    prompt, completions = prompt_of(), completions_of(3)
    scorer = EvidenceScorer(model)
    first = sums(scorer.score(prompt, (1,), completions), completions)
    np.testing.assert_allclose(first, naive(model.float(), prompt, (1,), completions), atol=1e-4)
    model.to(torch.bfloat16)
    own = EvidenceScorer(model, dtype="own").score(prompt, (1,), completions)
    assert np.abs(sums(own, completions) - first).max() > 1e-3
    with torch.no_grad():
        model.get_output_embeddings().weight.mul_(1.5)
    moved = sums(scorer.score(prompt, (1,), completions), completions)
    assert np.abs(moved - first).max() > 1e-2
    assert next(model.parameters()).dtype == torch.bfloat16


def test_the_adapter_can_be_switched_off():
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    torch.manual_seed(0)
    base = AutoModelForCausalLM.from_config(tiny_llama_config()).eval()
    prompt, completions = prompt_of(), completions_of(3)
    reference = sums(EvidenceScorer(base).score(prompt, (1, 2), completions), completions)
    with pytest.raises(UsageError, match="adapter"):
        EvidenceScorer(base, weights="base").score(prompt, (1,), completions)
    adapted = get_peft_model(base, LoraConfig(r=4, target_modules="all-linear", init_lora_weights=False))
    live = sums(EvidenceScorer(adapted).score(prompt, (1, 2), completions), completions)
    off = sums(EvidenceScorer(adapted, weights="base").score(prompt, (1, 2), completions), completions)
    np.testing.assert_allclose(off, reference, atol=1e-5)
    assert np.abs(live - reference).max() > 1e-2
    np.testing.assert_allclose(live, naive(adapted.eval(), prompt, (1, 2), completions), atol=1e-4)


def test_a_mixture_of_experts_is_scored_as_naively():
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_config(tiny_mixture_config()).eval()
    prompt, completions = prompt_of(), completions_of(4)
    found = EvidenceScorer(model).score(prompt, (1, 3), completions)
    np.testing.assert_allclose(sums(found, completions), naive(model, prompt, (1, 3), completions), atol=1e-3)


def tiny_mixture_config():
    from transformers import Qwen3MoeConfig

    return Qwen3MoeConfig(
        vocab_size=264,
        hidden_size=32,
        intermediate_size=64,
        moe_intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        num_experts=4,
        num_experts_per_tok=2,
        max_position_embeddings=4096,
    )


@pytest.mark.models
def test_equal_to_naive_on_the_default_model():
    from fonte.models import LocalLanguageModel

    model = LocalLanguageModel.from_pretrained("smollm2-135m-instruct", dtype="float32")
    texts = ["The tower of Calvenza is 41 m high.\n", "Bananas are yellow.\n", "It was built in 1873 by Rossi.\n"]
    passages = tuple(
        (model.encode(f"[{label}] "), model.encode(text)) for label, text in zip("abc", texts, strict=True)
    )
    prompt = SegmentedPrompt(model.encode("Sources:\n"), passages, model.encode("Who built the tower?\nAnswer:"))
    completions = [model.encode(text) for text in (" Rossi built it in 1873.", " It was built by Rossi", " Bananas")]
    found = EvidenceScorer(model.model).score(prompt, (0, 2), completions, all_removed=True)
    expected = naive(model.model, prompt, (0, 2), completions, all_removed=True)
    np.testing.assert_allclose(sums(found, completions), expected, atol=1e-3)
    assert found.likelihoods(0).full > found.likelihoods(0).without[1] + 1


def test_log_probabilities_are_the_engine_s():
    values = log_probabilities(torch.zeros(2, 4), torch.tensor([0, 3]))
    assert values == pytest.approx([-np.log(4)] * 2)


@pytest.mark.usefixtures("fresh_accelerator")
@pytest.mark.parametrize("wrapping", ["trl", "accelerate"])
def test_the_float32_copy_does_not_run_the_forward_of_the_model_that_is_trained(wrapping):
    from functools import wraps

    from accelerate import Accelerator
    from transformers import AutoModelForCausalLM

    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(tiny_llama_config()).eval().to(torch.bfloat16)
    prompt, completions = prompt_of(), completions_of(3)
    reference = sums(EvidenceScorer(model).score(prompt, (1,), completions), completions)
    if wrapping == "accelerate":
        model = Accelerator(mixed_precision="bf16", cpu=True).prepare_model(model)
    else:
        inner = model.forward
        model.forward = wraps(inner)(lambda *args, **options: inner(*args, **options))
    again = sums(EvidenceScorer(model).score(prompt, (1,), completions), completions)
    np.testing.assert_allclose(again, reference, atol=1e-5)
