import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import ModelError, UsageError
from fonte.likelihood import LocalScorer, MemoryEvaluations, PromptSegments, normalise_keep, score, scorer_for
from fonte.values import SegmentedPrompt
from tests.likelihood.architectures import ATTENTION
from tests.likelihood.prompts import ids, random_prompt
from tests.tiny import tiny_language_model


@pytest.fixture(scope="module")
def scorer() -> LocalScorer:
    return LocalScorer(ATTENTION["llama"](), fingerprint="tiny llama")


def prompt_and_mask(
    seed: int, passages: int = 4, rows: int = 9
) -> tuple[SegmentedPrompt, np.ndarray, np.random.Generator]:
    rng = np.random.default_rng(seed)
    return random_prompt(rng, passages), rng.random((rows, 2 * passages)) < 0.5, rng


def test_permuting_the_masks_permutes_the_scores_to_the_last_bit(scorer: LocalScorer) -> None:
    prompt, keep, rng = prompt_and_mask(1)
    answers = [ids(rng, 6), ids(rng, 3)]
    order = rng.permutation(len(keep))
    plain, permuted = score(scorer, prompt, answers, keep), score(scorer, prompt, answers, keep[order])
    np.testing.assert_array_equal(permuted.sums, plain.sums[order])


def test_equal_masks_and_equal_answers_are_computed_once(scorer: LocalScorer) -> None:
    prompt, keep, rng = prompt_and_mask(2, rows=3)
    answer = ids(rng, 5)
    once, thrice = score(scorer, prompt, [answer], keep), score(scorer, prompt, [answer] * 3, np.tile(keep, (4, 1)))
    assert thrice.cost.computed == once.cost.computed
    assert thrice.cost.evaluations == once.cost.evaluations
    assert thrice.cost.naive == 12 * once.cost.naive
    np.testing.assert_array_equal(thrice.sums, np.tile(once.sums, (4, 3)))


def test_sums_are_the_sums_of_the_tokens(scorer: LocalScorer) -> None:
    prompt, keep, rng = prompt_and_mask(3)
    scores = score(scorer, prompt, [ids(rng, 6), ids(rng, 1)], keep)
    assert scores.sums.dtype == np.float64
    assert [matrix.shape for matrix in scores.tokens] == [(9, 6), (9, 1)]
    for column, matrix in enumerate(scores.tokens):
        assert matrix.dtype == np.float32
        np.testing.assert_allclose(scores.sums[:, column], matrix.sum(1, dtype=np.float64))
    np.testing.assert_array_equal(scores.rows, np.arange(9))
    assert scores.status == "complete"


def test_empty_things_have_a_meaning(scorer: LocalScorer) -> None:
    prompt, keep, rng = prompt_and_mask(4)
    answer = ids(rng, 4)
    assert score(scorer, prompt, [], keep).sums.shape == (9, 0)
    assert score(scorer, prompt, [answer], np.zeros((0, 8), dtype=bool)).sums.shape == (0, 1)
    silent = score(scorer, prompt, [()], keep)
    assert silent.tokens[0].shape == (9, 0)
    assert (silent.sums == 0).all()
    assert silent.cost.computed == silent.cost.floor == 0
    mixed = score(scorer, prompt, [(), answer], keep)
    np.testing.assert_array_equal(mixed.sums[:, 0], 0)
    bare = score(scorer, SegmentedPrompt((5,), (), ()), [answer], np.ones((2, 0), dtype=bool))
    assert bare.sums[0] == bare.sums[1]
    assert bare.cost.evaluations == 1


def test_an_opened_passage_is_scored_like_any_segment(scorer: LocalScorer) -> None:
    rng = np.random.default_rng(5)
    text = ids(rng, 12)
    prompt = SegmentedPrompt((4,), (((5,), text), ((6,), ids(rng, 5))), (7,))
    answer = ids(rng, 4)
    opened = PromptSegments.from_prompt(prompt).open_passage(0, [text[:5], text[5:9], text[9:]])
    full = score(scorer, prompt, [answer], [[1, 1, 1, 1], [0, 0, 1, 1]])
    split = score(scorer, opened, [answer], [[1, 1, 1, 1, 1, 1], [1, 0, 0, 0, 1, 1], [1, 1, 0, 1, 1, 1]])
    np.testing.assert_allclose(split.sums[:2], full.sums, atol=1e-5)
    shorter = SegmentedPrompt((4,), (((5,), text[:5] + text[9:]), ((6,), prompt.passages[1][1])), (7,))
    np.testing.assert_allclose(split.sums[2], score(scorer, shorter, [answer], [[1] * 4]).sums[0], atol=1e-5)


def test_a_prompt_above_the_context_window_is_an_error_with_the_numbers() -> None:
    prompt = SegmentedPrompt((4,), (((), (5,) * 20), ((), (6,) * 20)), (7,))
    small = LocalScorer(ATTENTION["llama"](), context_window=30)
    with pytest.raises(UsageError, match=r"42 tokens.*answer 3, together 45.*window of 30"):
        score(small, prompt, [(8, 9, 10)], [[1, 1, 1, 0], [1, 1, 1, 1]])
    assert score(small, prompt, [(8, 9, 10)], [[1, 1, 1, 0]]).sums.shape == (1, 1)


@pytest.mark.parametrize(
    ("prompt", "answer", "what"),
    [
        (SegmentedPrompt((97,), (), ()), (1,), "Token id 97 in the head.*below 97"),
        (SegmentedPrompt((1,), (), (-1,)), (1,), "Token id -1 in the tail"),
        (SegmentedPrompt((1,), (((2,), (3, 400)),), ()), (1,), "Token id 400 in the segment 1"),
        (SegmentedPrompt((1,), (), ()), (1, 2**70), "in the answer 0"),
        (SegmentedPrompt((1,), (), ()), "text", "answer 0 must be a sequence of token ids"),
        (SegmentedPrompt((1,), (), ()), (1.5,), "answer 0 must be a sequence of token ids"),
        (SegmentedPrompt((), (), ()), (1,), "without any token"),
        (SegmentedPrompt((), (((2,), ()),), ()), (1,), "without any token"),
    ],
)
def test_what_cannot_be_scored_is_refused_by_name(
    scorer: LocalScorer, prompt: SegmentedPrompt, answer, what: str
) -> None:
    keep = np.zeros((1, 2 * len(prompt.passages)), dtype=bool)
    with pytest.raises(UsageError, match=what):
        score(scorer, prompt, [answer], keep | bool(what.startswith("Token")))


def test_progress_counts_distinct_prompts(scorer: LocalScorer) -> None:
    prompt, keep, rng = prompt_and_mask(6)
    seen: list[tuple[int, int]] = []
    scores = score(scorer, prompt, [ids(rng, 3)], np.vstack([keep, keep]), progress=lambda *step: seen.append(step))
    assert seen == [(done, scores.cost.evaluations) for done in range(scores.cost.evaluations + 1)]


def test_a_cancelled_call_returns_what_is_ready_and_goes_on_from_the_store(scorer: LocalScorer) -> None:
    prompt, keep, rng = prompt_and_mask(7, rows=12)
    answers = [ids(rng, 5), ids(rng, 7)]
    whole = score(scorer, prompt, answers, keep)
    stop, store = threading.Event(), MemoryEvaluations()

    def progress(done: int, total: int) -> None:
        if done >= total // 2:
            stop.set()

    half = score(scorer, prompt, answers, keep, store=store, progress=progress, cancelled=stop.is_set)
    assert half.status == "cancelled"
    assert 0 < len(half.rows) < 12
    assert "stopped by the caller" in half.reason
    np.testing.assert_allclose(half.sums, whole.sums[half.rows], atol=1e-5)
    rest = score(scorer, prompt, answers, keep, store=store)
    np.testing.assert_allclose(rest.sums, whole.sums, atol=1e-5)
    assert rest.cost.stored == half.cost.evaluations - (whole.cost.evaluations - rest.cost.stored)
    assert half.cost.computed + rest.cost.computed < whole.cost.computed * 1.5


def test_cancelled_before_the_start_gives_no_rows(scorer: LocalScorer) -> None:
    prompt, keep, rng = prompt_and_mask(8)
    scores = score(scorer, prompt, [ids(rng, 3)], keep, cancelled=lambda: True)
    assert scores.sums.shape == (0, 1)
    assert scores.status == "cancelled"


def test_an_error_in_a_callback_leaves_model_and_torch_as_they_were(scorer: LocalScorer) -> None:
    import torch

    prompt, keep, rng = prompt_and_mask(9)

    def fail(done: int, total: int) -> None:
        assert not torch.is_inference_mode_enabled()
        if done:
            raise KeyError("the caller's own")

    with pytest.raises(KeyError):
        score(scorer, prompt, [ids(rng, 3)], keep, progress=fail)
    assert not torch.is_inference_mode_enabled()


def test_a_language_model_is_scored_by_one_scorer() -> None:
    language_model = tiny_language_model()
    assert scorer_for(language_model) is scorer_for(language_model)
    prompt = SegmentedPrompt(language_model.encode("Question: "), (((), language_model.encode("a table")),), ())
    scores = score(
        language_model, prompt, [language_model.encode("120 cm")], [[1, 1], [0, 0]], store=MemoryEvaluations()
    )
    assert (scores.sums < 0).all()
    with pytest.raises(ModelError, match="no log-probabilities"):
        score(object(), prompt, [(1,)], [[1, 1]])


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_hostile_prompts_never_give_nan_or_a_wrong_shape(data: st.DataObject) -> None:
    part = st.lists(st.integers(0, 96), max_size=6).map(tuple)
    passages = data.draw(st.lists(st.tuples(part, part), max_size=5))
    prompt = SegmentedPrompt(data.draw(part), tuple(passages), data.draw(part))
    answers = data.draw(st.lists(part, max_size=4))
    row = st.lists(st.booleans(), min_size=2 * len(passages), max_size=2 * len(passages))
    keep = np.array(data.draw(st.lists(row, min_size=1, max_size=6)), dtype=bool)
    keep = normalise_keep(keep.reshape(len(keep), 2 * len(passages)), PromptSegments.from_prompt(prompt))
    scorer = LocalScorer(MODEL, engine=data.draw(st.sampled_from(["depth", "breadth"])))
    shortest = min(len(PromptSegments.from_prompt(prompt).kept(line)) for line in keep)
    if shortest == 0 and any(answers):
        with pytest.raises(UsageError, match="without any token"):
            score(scorer, prompt, answers, keep)
        return
    scores = score(scorer, prompt, answers, keep)
    assert scores.sums.shape == (len(keep), len(answers))
    assert np.isfinite(scores.sums).all()
    assert (scores.sums <= 1e-4).all()


MODEL = ATTENTION["qwen2"]()


def test_importing_the_room_loads_no_model_library() -> None:
    heavy = "{'torch', 'transformers', 'lancedb', 'pyarrow'}"
    program = f"import sys, fonte.likelihood; print(sorted({heavy} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
