import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import UsageError
from fonte.likelihood import PromptSegments, expand_passages, normalise_keep
from fonte.values import SegmentedPrompt
from tests.likelihood.prompts import random_prompt

PROMPT = SegmentedPrompt((1, 2), (((3,), (4, 5)), ((), (6,)), ((7,), (8, 9, 10))), (11,))


def test_segments_are_signature_and_text_of_each_passage_in_order() -> None:
    segments = PromptSegments.from_prompt(PROMPT)
    assert segments.segments == ((3,), (4, 5), (), (6,), (7,), (8, 9, 10))
    assert segments.passage == (0, 0, 1, 1, 2, 2)
    assert segments.kept(np.ones(6, dtype=bool)) == PROMPT.token_ids
    assert segments.kept(np.zeros(6, dtype=bool)) == (1, 2, 11)


def test_dropping_a_text_drops_its_signature_but_not_the_other_way() -> None:
    segments = PromptSegments.from_prompt(PROMPT)
    keep = normalise_keep([[1, 0, 1, 1, 0, 1]], segments)
    assert keep.tolist() == [[False, False, True, True, False, True]]


def test_the_callers_mask_is_not_changed() -> None:
    given_mask = np.array([[True, False, True, True, True, True]])
    normalise_keep(given_mask, PromptSegments.from_prompt(PROMPT))
    assert given_mask[0, 0]


def test_an_opened_passage_has_one_column_per_piece_and_keeps_its_signature_while_one_stays() -> None:
    segments = PromptSegments.from_prompt(PROMPT).open_passage(2, [(8,), (9, 10)])
    assert segments.segments == ((3,), (4, 5), (), (6,), (7,), (8,), (9, 10))
    assert segments.columns(2, signature=False) == [5, 6]
    assert segments.kept(np.ones(7, dtype=bool)) == PROMPT.token_ids
    keep = normalise_keep([[0, 1, 0, 1, 1, 0, 1], [0, 1, 0, 1, 1, 0, 0]], segments)
    assert keep[:, 4].tolist() == [True, False]
    again = segments.open_passage(2, [(8, 9, 10)])
    assert again == PromptSegments.from_prompt(PROMPT)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 6), st.integers(0, 2**32 - 1))
def test_passage_masks_keep_or_drop_whole_passages(passages: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    segments = PromptSegments.from_prompt(random_prompt(rng, passages))
    keep = rng.random((4, passages)) < 0.5
    wide = expand_passages(keep, segments)
    assert wide.shape == (4, 2 * passages)
    assert (normalise_keep(wide, segments) == wide).all()
    assert (wide[:, 1::2] == keep).all()


@pytest.mark.parametrize(
    "keep",
    [[True] * 6, [[True] * 5], [[[True] * 6]], [[0.5] * 6], [[2] * 6], [["a"] * 6], [[np.nan] * 6], 3, [[None] * 6]],
)
def test_a_mask_of_another_shape_or_kind_is_refused(keep: object) -> None:
    with pytest.raises(UsageError, match="mask"):
        normalise_keep(keep, PromptSegments.from_prompt(PROMPT))


def test_a_passage_that_does_not_exist_cannot_be_opened() -> None:
    with pytest.raises(UsageError, match="Passage 7"):
        PromptSegments.from_prompt(PROMPT).open_passage(7, [(1,)])
    with pytest.raises(UsageError):
        PromptSegments((), ((1,),), (), (), ())
