from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.likelihood import PromptSegments
from fonte.likelihood.cost import floor_tokens, naive_tokens
from fonte.likelihood.masks import expand_passages
from fonte.likelihood.trie import distinct_paths, visits
from fonte.values import SegmentedPrompt
from tests.likelihood.prompts import random_prompt


def brute_floor(paths: list) -> int:
    """Sum the tokens of all distinct prefixes, one by one."""
    return sum(len(prefix[-1]) for prefix in {path[:depth] for path in paths for depth in range(1, len(path) + 1)})


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 6), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_the_walk_rebuilds_every_prompt_and_computes_each_prefix_once(passages: int, rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    segments = PromptSegments.from_prompt(random_prompt(rng, passages, vocabulary=6))
    keep = rng.random((rows, 2 * passages)) < 0.6
    paths, prompt_of = distinct_paths(segments, keep)
    walk = visits(paths)
    assert sorted(visit.prompt for visit in walk) == list(range(len(paths)))
    path: tuple[int, ...] = ()
    reachable = {0}
    for visit in walk:
        assert visit.shared in reachable
        path = path[: visit.shared] + visit.tokens
        assert path == tuple(token for segment in paths[visit.prompt] for token in segment)
        reachable = {place for place in reachable if place <= visit.shared} | set(visit.branches)
        assert all(visit.shared < place <= visit.length for place in visit.branches)
    assert sum(len(visit.tokens) for visit in walk) == brute_floor(paths)
    for row, number in enumerate(prompt_of):
        assert segments.kept(keep[row]) == tuple(t for part in paths[number] for t in part) + segments.tail


def test_the_order_does_not_depend_on_the_order_of_the_masks() -> None:
    rng = np.random.default_rng(1)
    segments = PromptSegments.from_prompt(random_prompt(rng, 5))
    keep = rng.random((16, 10)) < 0.5
    shuffled = rng.permutation(16)
    assert distinct_paths(segments, keep)[0] == distinct_paths(segments, keep[shuffled])[0]


def test_copies_of_a_passage_are_one_prompt() -> None:
    passage = ((5,), (6, 7))
    segments = PromptSegments.from_prompt(SegmentedPrompt((1,), (passage, passage), (2,)))
    paths, prompt_of = distinct_paths(segments, expand_passages([[1, 0], [0, 1], [1, 1], [0, 0]], segments))
    assert len(paths) == 3
    assert prompt_of[0] == prompt_of[1]


def test_costs_of_leave_one_out_by_hand() -> None:
    # 4 passages of 10 tokens, head 3, tail 2, one answer of 5: prefixes 40 + (30 + 20 + 10) and five tails
    passages = tuple(((), tuple(range(10 * i, 10 * i + 10))) for i in range(4))
    segments = PromptSegments.from_prompt(SegmentedPrompt((97, 98, 99), passages, (95, 96)))
    keep = expand_passages(np.vstack([np.ones(4, dtype=bool), ~np.eye(4, dtype=bool)]), segments)
    paths, _ = distinct_paths(segments, keep)
    assert floor_tokens(paths, 2, [(1,) * 5]) == 3 + 40 + 60 + 5 * 7
    lengths = [len(segments.kept(row)) for row in keep]
    assert naive_tokens(lengths, [(1,) * 5]) == 45 + 4 * 35 + 5 * 5


def test_all_subsets_of_equal_passages_share_half() -> None:
    passages = tuple(((), tuple(range(10 * i, 10 * i + 10))) for i in range(5))
    segments = PromptSegments.from_prompt(SegmentedPrompt((99,), passages, ()))
    keep = expand_passages(np.array(list(product([0, 1], repeat=5))), segments)
    paths, _ = distinct_paths(segments, keep)
    assert sum(len(visit.tokens) for visit in visits(paths)) == 1 + 10 * 31


def test_a_long_chain_of_segments_is_no_problem() -> None:
    segments = PromptSegments((1,), tuple((i % 90,) for i in range(1500)), (2,), (0,) * 1500, (False,) * 1500)
    keep = ~np.eye(1500, dtype=bool)[:40]
    assert len(visits(distinct_paths(segments, keep)[0])) == 40
