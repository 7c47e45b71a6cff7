"""Every engine gives the oracle's numbers, for every architecture."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import ModelError
from fonte.likelihood import Bounds, LocalScorer, score
from fonte.likelihood.depth import DepthFirst
from fonte.likelihood.forward import Forward, scoring
from fonte.likelihood.masks import PromptSegments, normalise_keep
from fonte.likelihood.plan import Plan
from fonte.likelihood.trie import distinct_paths
from fonte.values import SegmentedPrompt
from tests.likelihood.architectures import ATTENTION, FORGETFUL, OWN_CACHE, STATEFUL, build, scaled_rotary
from tests.likelihood.prompts import ids, random_prompt

BOUNDS = {"one pass": Bounds(), "small pieces": Bounds(7, 97 * 4, 0.5), "large batches": Bounds(400, 1 << 26, 0.9)}
FACTORS = {"short_factor": [1.0] * 4, "long_factor": [3.0] * 4}


def reference(model, segments: PromptSegments, answers: list, keep: np.ndarray) -> np.ndarray:
    """Compute every sum with the model alone: full logits, no cache, nothing of ours."""
    sums = np.zeros((len(keep), len(answers)))
    for row, column in np.ndindex(*sums.shape):
        prompt = segments.kept(keep[row])
        sequence = torch.tensor([prompt + answers[column]])
        with torch.no_grad():
            logits = model(input_ids=sequence, use_cache=False).logits[0].double().log_softmax(-1)
        places = range(len(prompt), sequence.shape[1])
        sums[row, column] = sum(float(logits[place - 1, sequence[0, place]]) for place in places)
    return sums


def case(seed: int, passages: int = 5, rows: int = 7) -> tuple[SegmentedPrompt, list, np.ndarray]:
    rng = np.random.default_rng(seed)
    prompt = random_prompt(rng, passages)
    answers = [ids(rng, length) for length in (5, 9, 1, 8)]
    return prompt, answers, rng.random((rows, 2 * passages)) < 0.6


@pytest.mark.parametrize(
    ("name", "engine"), [*product(ATTENTION, ["depth", "breadth"]), *product(STATEFUL, ["breadth"])]
)
def test_engine_equals_oracle(name: str, engine: str) -> None:
    model = {**ATTENTION, **STATEFUL}[name]()
    prompt, answers, keep = case(len(name))
    segments = PromptSegments.from_prompt(prompt)
    expected = reference(model, segments, answers, normalise_keep(keep, segments))
    for bounds in BOUNDS.values():
        scores = score(LocalScorer(model, engine=engine, bounds=bounds), prompt, answers, keep)
        assert scores.engine == ("depth" if name in STATEFUL else engine)
        np.testing.assert_allclose(scores.sums, expected, atol=1e-4)


@pytest.mark.parametrize("name", [*FORGETFUL, *OWN_CACHE])
def test_models_that_cannot_share_a_prefix_are_computed_in_full_and_say_why(name: str) -> None:
    model = {**FORGETFUL, **OWN_CACHE}[name]()
    prompt, answers, keep = case(3, rows=3)
    segments = PromptSegments.from_prompt(prompt)
    scores = score(LocalScorer(model, check=False), prompt, answers, keep)
    assert scores.engine == "naive"
    assert "state" in scores.reason
    expected = reference(model, segments, answers, normalise_keep(keep, segments))
    np.testing.assert_allclose(scores.sums, expected, atol=1e-4)


@pytest.mark.parametrize("kind", ["longrope", "dynamic"])
def test_rotary_factors_that_depend_on_the_length(kind: str) -> None:
    options = FACTORS if kind == "longrope" else {"factor": 4.0}
    prompt, answers, keep = case(4)
    longest = len(prompt.token_ids) + 9
    short = score(LocalScorer(scaled_rotary(kind, longest + 1, **options)), prompt, answers, keep)
    assert short.engine == "depth"
    model = scaled_rotary(kind, longest // 2, **options)
    long = score(LocalScorer(model), prompt, answers, keep)
    assert long.engine == "naive"
    assert "rotary" in long.reason
    assert abs(long.sums - short.sums).max() > 1e-3
    again = score(LocalScorer(model), prompt, answers, keep[::-1])
    np.testing.assert_array_equal(again.sums[::-1], long.sums)


def test_encoder_decoders_are_refused() -> None:
    small = {"vocab_size": 97, "d_model": 16, "d_kv": 4, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    with pytest.raises(ModelError, match="encoder-decoder"):
        LocalScorer(build("T5ForConditionalGeneration", "T5Config", small))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 5), st.integers(1, 9), st.integers(0, 2**32 - 1), st.sampled_from(["depth", "breadth"]))
def test_engine_equals_oracle_on_any_prompt(passages: int, rows: int, seed: int, engine: str) -> None:
    model = ATTENTION["mistral"]()
    rng = np.random.default_rng(seed)
    prompt = random_prompt(rng, passages, longest=20)
    answers = [ids(rng, int(rng.integers(1, 12))) for _ in range(int(rng.integers(1, 5)))]
    keep = rng.random((rows, 2 * passages)) < rng.random()
    segments = PromptSegments.from_prompt(prompt)
    bounds = Bounds(int(rng.integers(1, 40)), int(rng.integers(97, 97 * 30)), float(rng.random()))
    scores = score(LocalScorer(model, engine=engine, bounds=bounds), prompt, answers, keep)
    expected = reference(model, segments, answers, normalise_keep(keep, segments))
    np.testing.assert_allclose(scores.sums, expected, atol=1e-4)


@pytest.mark.parametrize("engine", ["depth", "breadth", "naive"])
def test_answers_scored_together_equal_answers_scored_alone(engine: str) -> None:
    model = ATTENTION["qwen2"]()
    prompt, answers, keep = case(8)
    scorer = LocalScorer(model, engine=engine, bounds=BOUNDS["large batches"])
    together = score(scorer, prompt, answers, keep)
    for column, answer in enumerate(answers):
        alone = score(scorer, prompt, [answer], keep)
        np.testing.assert_allclose(together.tokens[column], alone.tokens[0], atol=1e-5)


def test_eight_answers_to_one_prompt_cost_a_sixth_of_naive_prompts() -> None:
    rng = np.random.default_rng(0)
    passages = tuple((ids(rng, 3), ids(rng, 57)) for _ in range(10))
    prompt = SegmentedPrompt(ids(rng, 20), passages, ids(rng, 20))
    answers = [ids(rng, 48) for _ in range(8)]
    keep = np.repeat(np.vstack([np.ones((1, 10), dtype=bool), ~np.eye(10, dtype=bool)]), 2, axis=1)
    model = build("LlamaForCausalLM", "LlamaConfig", max_position_embeddings=1024)
    scores = score(LocalScorer(model), prompt, answers, keep)
    assert scores.cost.naive >= 6 * scores.cost.computed
    assert scores.cost.computed <= 1.02 * scores.cost.floor


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 8), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_tokens_computed_stay_within_two_hundredths_of_the_floor(passages: int, rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    prompt = random_prompt(rng, passages, longest=15)
    keep = rng.random((rows, 2 * passages)) < 0.5
    scores = score(LocalScorer(ATTENTION["llama"]()), prompt, [ids(rng, 6)], keep)
    assert scores.cost.computed <= 1.02 * scores.cost.floor <= 1.02 * scores.cost.naive
    assert scores.cost.shared == scores.cost.naive - scores.cost.computed


def test_the_cache_never_holds_more_than_one_path() -> None:
    prompt, answers, keep = case(9, rows=12)
    segments = PromptSegments.from_prompt(prompt)
    paths, _ = distinct_paths(segments, normalise_keep(keep, segments))
    plan = Plan(paths, segments.tail, answers, dict.fromkeys(range(len(paths)), (0, 1, 3)))
    scorer = LocalScorer(ATTENTION["gemma3"]())
    walk = DepthFirst(scorer.forward, plan, Bounds(16, 1 << 20, 1.0), lambda: False)
    longest = max(sum(map(len, path)) for path in paths) + len(segments.tail) + max(map(len, answers))
    evaluations = iter(walk)
    for _ in paths:
        with scoring(scorer.model):
            next(evaluations)
        held = [layer.keys for layer in walk.cache.layers]
        assert all(keys.shape[0] == 1 and keys.shape[2] <= longest for keys in held)
        assert walk.cache.length <= longest


def test_one_forward_pass_stays_within_its_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    prompt, answers, keep = case(10)
    scorer = LocalScorer(ATTENTION["llama"](), bounds=Bounds(11, 97 * 5, 0.5), check=False)
    sizes = []
    plain = Forward.logits

    def measured(self, tokens, positions, **arguments):
        sizes.append((tokens.numel(), tokens.shape[0] * len(positions)))
        return plain(self, tokens, positions, **arguments)

    monkeypatch.setattr(Forward, "logits", measured)
    list(scorer.evaluate(_plan(prompt, answers, keep), lambda: False))
    assert max(tokens for tokens, _ in sizes) <= 11
    assert max(logits for _, logits in sizes) <= 5


def _plan(prompt, answers, keep) -> Plan:
    segments = PromptSegments.from_prompt(prompt)
    paths, _ = distinct_paths(segments, normalise_keep(keep, segments))
    return Plan(paths, segments.tail, answers, {number: tuple(range(len(answers))) for number in range(len(paths))})
