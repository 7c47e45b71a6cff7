from __future__ import annotations

import json
from typing import Annotated

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from fonte.errors import ModelError, UsageError
from fonte.models.language_model import fold
from fonte.models.local import LocalLanguageModel
from fonte.values import Prompt, PromptPassage
from tests.tiny import tiny_language_model, tiny_language_model_folder, tiny_llama_config

PASSAGES = (PromptPassage("b4", "[b4]\n", "The light is green.\n"), PromptPassage("k2", "", "漢字 👩‍🚀\n"))
PROMPT = Prompt("Be brief.", "Sources:\n", PASSAGES, "What colour?")


@pytest.fixture(scope="module")
def model() -> LocalLanguageModel:
    return tiny_language_model(context_window=512)


def reference_greedy(model: LocalLanguageModel, ids: tuple[int, ...], count: int) -> list[int]:
    """Decode without a cache: the whole sequence anew for every token."""
    sequence = list(ids)
    for _ in range(count):
        with torch.no_grad():
            logits = model.model(torch.tensor([sequence])).logits[0, -1].clone()
        logits[len(model.tokenizer) :] = -torch.inf
        sequence.append(int(logits.argmax()))
        if sequence[-1] == 258:
            break
    return sequence[len(ids) :]


def test_greedy_decoding_is_that_of_the_model_without_a_cache(model):
    ids = model.segment(PROMPT).token_ids
    expected = reference_greedy(model, ids, 24)
    reply = model.generate(PROMPT, max_tokens=24)
    assert list(reply.token_ids) == [token for token in expected if token != 258]
    assert reply.prompt_tokens == len(ids)
    assert reply.completion_tokens == len(expected)


@pytest.mark.parametrize("seed", range(4))
def test_stream_folds_to_generate_and_text_is_that_of_the_tokens(model, seed):
    options = {"max_tokens": 40, "temperature": 1.3, "seed": seed}
    whole = model.generate(PROMPT, **options)
    deltas = list(model.stream(PROMPT, **options))
    assert fold(deltas) == whole
    assert whole.text == model.decode(whole.token_ids)
    assert model.generate(PROMPT, **options) == whole
    for end in range(len(deltas)):
        shown = "".join(delta.text for delta in deltas[:end])
        ids = [token for delta in deltas[:end] for token in delta.token_ids]
        assert model.decode(ids).startswith(shown.rstrip("\ufffd"))


def test_seeds_differ_and_temperature_zero_ignores_them(model):
    texts = {model.generate(PROMPT, max_tokens=12, temperature=1.0, seed=seed).token_ids for seed in range(6)}
    assert len(texts) > 3
    assert model.generate(PROMPT, max_tokens=12, seed=1) == model.generate(PROMPT, max_tokens=12, seed=2)


def test_sampling_follows_the_softmax(model):
    prompt = Prompt(head="x")
    ids = model.segment(prompt).token_ids
    with torch.no_grad():
        logits = model.model(torch.tensor([ids])).logits[0, -1].double()
    logits[len(model.tokenizer) :] = -torch.inf
    expected = torch.softmax(logits / 0.7, -1).numpy()
    drawn = [model.generate(prompt, max_tokens=1, temperature=0.7, seed=seed) for seed in range(300)]
    likeliest = int(expected.argmax())
    share = sum(likeliest in reply.token_ids for reply in drawn) / 300
    assert abs(share - expected[likeliest]) < 4 * (expected[likeliest] / 300) ** 0.5 + 0.02


def test_a_stop_string_ends_the_text_before_itself(model):
    whole = model.generate(PROMPT, max_tokens=60, temperature=1.0, seed=5)
    visible = whole.text.replace("\ufffd", "\n").split("\n")
    stop = max(visible, key=len)[1:3]
    cut = model.generate(PROMPT, max_tokens=60, temperature=1.0, seed=5, stop=[stop])
    assert cut.finish_reason == "stop"
    assert cut.text == whole.text[: whole.text.index(stop)]
    assert whole.token_ids[: len(cut.token_ids)] == cut.token_ids


def test_a_prompt_over_the_window_is_an_error_with_both_numbers(model):
    long = Prompt(head="a" * 600)
    tokens = len(model.segment(long).token_ids)
    for ask in (model.generate, model.stream):
        with pytest.raises(ModelError, match=rf"{tokens} tokens.*512"):
            ask(long, max_tokens=1)
    with pytest.raises(ModelError, match="512"):
        model.choose([long], ["a"])
    nearly = Prompt(head="a" * (600 - (tokens - 512) - 3))
    reply = model.generate(nearly, max_tokens=50, temperature=1.0)
    assert reply.prompt_tokens + reply.completion_tokens <= 512
    assert reply.finish_reason == "length" or reply.completion_tokens < 3


def test_the_end_of_turn_token_ends_and_is_not_text(model):
    endings = [model.generate(PROMPT, max_tokens=400, temperature=1.5, seed=seed) for seed in range(3)]
    ended = [reply for reply in endings if reply.finish_reason == "stop"]
    assert ended
    for reply in ended:
        assert 258 not in reply.token_ids
        assert reply.completion_tokens == len(reply.token_ids) + 1


class Device(BaseModel):
    kind: str = Field(max_length=8)
    numbers: list[Annotated[int, Field(ge=0, le=99)]] = Field(max_length=2)
    known: bool | None


SCHEMAS = [
    Device,
    Device.model_json_schema(),
    {"enum": ["a", "bb", 3]},
    {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"], "additionalProperties": False},
    {"type": "array", "items": {"type": "string", "maxLength": 4}, "minItems": 1, "maxItems": 2},
    {"type": "string", "pattern": "^[a-c]{2,5}$"},
]


@pytest.mark.parametrize("number", range(len(SCHEMAS)))
def test_an_answer_under_a_schema_always_fits_it(model, number):
    schema = SCHEMAS[number]
    wanted = schema if isinstance(schema, dict) else schema.model_json_schema()
    finished = 0
    for seed in range(4):
        reply = model.generate(PROMPT, max_tokens=90, temperature=2.0, seed=seed, schema=schema)
        assert fold(model.stream(PROMPT, max_tokens=90, temperature=2.0, seed=seed, schema=schema)) == reply
        if reply.finish_reason == "stop":
            finished += 1
            value = json.loads(reply.text)
            Draft202012Validator(wanted).validate(value)
            assert "  " not in json.dumps(reply.text.replace("  ", " "))
            reply.text.encode("utf-8")
    assert finished


def test_json_that_max_tokens_cuts_is_length(model):
    reply = model.generate(PROMPT, max_tokens=3, schema=Device)
    assert reply.finish_reason == "length"
    assert '{"kind": ""'.startswith(reply.text[:3])


@pytest.mark.parametrize(
    "schema", [{"type": "nonsense"}, {"$ref": "#/nowhere"}, "text", {"not": {"type": "string"}, "x": object()}]
)
def test_schemas_that_cannot_be_kept_to_are_refused_before_anything_is_written(model, schema):
    with pytest.raises(UsageError, match="schema"):
        model.stream(PROMPT, max_tokens=5, schema=schema)


def test_a_vocabulary_larger_than_the_tokenizer_is_never_written():
    model = tiny_language_model(tiny_llama_config(vocab_size=400))
    for schema in (None, Device):
        for seed in range(3):
            reply = model.generate(PROMPT, max_tokens=60, temperature=5.0, seed=seed, schema=schema)
            assert max(reply.token_ids) < len(model.tokenizer)


@given(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=5), st.text(max_size=5))
@settings(max_examples=25, deadline=None)
def test_choose_is_the_softmax_of_teacher_forced_sums(model, options, prefix):
    prompts = [PROMPT, Prompt(head="x"), PROMPT]
    found = model.choose(prompts, options, prefix=prefix)
    for prompt, row in zip(prompts, found, strict=True):
        before = [*model.segment(prompt).token_ids, *model.encode(prefix)]
        sums = []
        for option in options:
            ids = model.encode(option)
            with torch.no_grad():
                logits = model.model(torch.tensor([[*before, *ids]])).logits[0].float()
            log_probabilities = torch.log_softmax(logits, -1)
            sums.append(sum(float(log_probabilities[len(before) - 1 + i, token]) for i, token in enumerate(ids)))
        expected = np.exp(np.array(sums) - np.logaddexp.reduce(sums))
        assert np.allclose(row, expected, atol=1e-4)
        assert np.isclose(row.sum(), 1.0)


def test_choose_does_not_depend_on_the_prompts_beside(model):
    prompts = [PROMPT, Prompt(head="x"), Prompt(head="x", tail="y"), PROMPT]
    together = model.choose(prompts, ["yes", "no"])
    alone = np.concatenate([model.choose([prompt], ["yes", "no"]) for prompt in prompts])
    assert np.array_equal(together, alone)
    assert model.choose([], ["yes", "no"]).shape == (0, 2)
    with pytest.raises(UsageError, match="option"):
        model.choose([PROMPT], [])
    with pytest.raises(UsageError, match="option"):
        model.choose([PROMPT], ["yes", ""])


def test_a_remembering_model_says_the_same_and_reads_a_prompt_once(model):
    remembering, said = model.remembering(), ["", " yes", " yes and"]
    prompts = [PROMPT, Prompt(head="something else")]
    expected = {
        (prompt, prefix): model.choose([prompt], ["a", "bc"], prefix=prefix) for prompt in prompts for prefix in said
    }
    answers = {prompt: model.generate(prompt, max_tokens=6, temperature=1.0, seed=3) for prompt in prompts}
    read = []
    hook = model.model.register_forward_pre_hook(
        lambda _, args, given: read.append(given["input_ids"].shape[1]), with_kwargs=True
    )
    for prompt in prompts:
        stream = remembering.stream(prompt, max_tokens=6, temperature=1.0, seed=3)
        first = next(stream)  # asked in the middle of an answer, as sentences are
        for prefix in said[1:]:
            assert np.array_equal(remembering.choose([prompt], ["a", "bc"], prefix=prefix), expected[prompt, prefix])
        assert (*first.token_ids, *(token for delta in stream for token in delta.token_ids)) == answers[
            prompt
        ].token_ids
        assert remembering.generate(prompt, max_tokens=6, temperature=1.0, seed=3) == answers[prompt]
    hook.remove()
    sizes = [len(model.segment(prompt).token_ids) for prompt in prompts]
    assert [size for size in read if size >= min(sizes)] == sizes
    for prompt in prompts:
        assert np.array_equal(remembering.choose([prompt], ["a", "bc"]), expected[prompt, ""])


def test_many_options_of_different_length_are_scored_in_batches(model):
    options = ["a" * (1 + number % 7) + chr(97 + number) for number in range(25)]
    row = model.choose([PROMPT], options)[0]
    pairs = model.choose([PROMPT], [options[3], options[20]])[0]
    assert np.isclose(pairs[0] / pairs[1], row[3] / row[20], rtol=1e-3)


def test_arguments_out_of_range(model):
    with pytest.raises(UsageError, match="max_tokens"):
        model.generate(PROMPT, max_tokens=0)
    for temperature in (-1.0, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="temperature"):
            model.generate(PROMPT, max_tokens=1, temperature=temperature)
    assert model.generate(PROMPT, max_tokens=1, temperature=1.0, seed=-(2**70)).completion_tokens == 1


def test_fingerprints_tell_models_and_formats_apart():
    folder = str(tiny_language_model_folder())
    first = LocalLanguageModel.from_pretrained(folder, dtype="float32")
    assert first.fingerprint == LocalLanguageModel.from_pretrained(folder, dtype="float32").fingerprint
    assert first.fingerprint != LocalLanguageModel.from_pretrained(folder, dtype="bfloat16").fingerprint
    assert first.fingerprint != tiny_language_model(seed=1).fingerprint
    assert first.dtype == torch.float32
    assert first.device.type == "cpu"


def test_loading_errors_say_what_to_do(tmp_path):
    folder = str(tiny_language_model_folder())
    with pytest.raises(ModelError, match="nonexistent"):
        LocalLanguageModel.from_pretrained("nonexistent")
    with pytest.raises(ModelError, match="number format"):
        LocalLanguageModel.from_pretrained(folder, dtype="int4")
    with pytest.raises(ModelError, match="device"):
        LocalLanguageModel.from_pretrained(folder, device="warp")
    with pytest.raises(ModelError, match=r"9999.*4096"):
        LocalLanguageModel.from_pretrained(folder, context_window=9999)
    assert LocalLanguageModel.from_pretrained(folder, context_window=100).context_window == 100
    (tmp_path / "model.safetensors").write_bytes(b"not a tensor file")
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    with pytest.raises(ModelError, match="cannot be loaded"):
        LocalLanguageModel.from_pretrained(str(tmp_path))


def _architectures():
    import transformers as t

    shape = {
        "vocab_size": 264,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 512,
        "initializer_range": 0.2,
    }
    return {
        "qwen3": t.Qwen3Config(**shape, head_dim=8),
        "mistral": t.MistralConfig(**shape, sliding_window=16),
        "gemma3": t.Gemma3TextConfig(
            **shape, head_dim=8, sliding_window=16, layer_types=["sliding_attention", "full_attention"]
        ),
        "mixtral": t.MixtralConfig(**shape, num_local_experts=4, num_experts_per_tok=2),
        "gpt2": t.GPT2Config(vocab_size=264, n_embd=32, n_layer=2, n_head=4, n_positions=512, initializer_range=0.2),
    }


@pytest.mark.parametrize("architecture", ["qwen3", "mistral", "gemma3", "mixtral", "gpt2"])
def test_other_architectures_decode_and_choose_as_without_a_cache(architecture):
    model = tiny_language_model(_architectures()[architecture])
    assert model.context_window == 512
    ids = model.segment(PROMPT).token_ids
    expected = [token for token in reference_greedy(model, ids, 12) if token != 258]
    assert list(model.generate(PROMPT, max_tokens=12).token_ids) == expected
    options = ["yes", "no", "perhaps"]
    sums = []
    for option in options:
        sequence = torch.tensor([[*ids, *model.encode(option)]])
        with torch.no_grad():
            scores = torch.log_softmax(model.model(sequence).logits[0].float(), -1)
        sums.append(sum(float(scores[len(ids) - 1 + i, token]) for i, token in enumerate(model.encode(option))))
    expected_row = np.exp(np.array(sums) - np.logaddexp.reduce(sums))
    assert np.allclose(model.choose([PROMPT], options)[0], expected_row, atol=1e-4)
    remembering = model.remembering()
    for _ in range(2):
        assert list(remembering.generate(PROMPT, max_tokens=12).token_ids) == expected
        asked = [each.choose([PROMPT], options, prefix="so ")[0] for each in (remembering, model)]
        assert np.array_equal(*asked)


@pytest.mark.models
def test_the_default_model_answers_and_keeps_to_a_schema(language_model):
    reply = language_model.generate(Prompt(head="What is the capital of France?"), max_tokens=20)
    assert "Paris" in reply.text
    assert reply.finish_reason == "stop"
    capital = language_model.generate(
        Prompt(head="What is the capital of France? Answer as JSON."),
        max_tokens=30,
        schema={
            "type": "object",
            "properties": {"capital": {"type": "string", "maxLength": 20}},
            "required": ["capital"],
            "additionalProperties": False,
        },
    )
    assert "Paris" in json.loads(capital.text)["capital"]
    row = language_model.choose(
        [Prompt(head="What is the capital of France?")], ["The capital is Paris.", "The capital is Rome."]
    )
    assert row[0, 0] > 0.9
