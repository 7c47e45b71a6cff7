"""Re-ranking and its fusion with retrieval."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonte.ranking import fuse, rerank
from fonte.values import Chunk, Passage
from tests.tiny import tiny_reranker

SCORES = st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=1, max_size=12)


def passages(count):
    chunks = [Chunk("d", "v", "p", number, 0, 5, f"Passage {number} about the filter.") for number in range(count)]
    return [Passage(chunk, "d.md", 1 / (1 + number)) for number, chunk in enumerate(chunks)]


@given(SCORES, st.floats(0, 1))
def test_fusion_lies_between_its_ends(scores, weight):
    retrieval, reranking = (np.array(column, float) for column in zip(*scores, strict=True))
    fused = fuse(retrieval, reranking, weight)
    assert np.isfinite(fused).all()
    for end, source in ((0.0, retrieval), (1.0, reranking)):
        order = np.argsort(source, kind="stable")
        assert (np.diff(fuse(retrieval, reranking, end)[order]) >= 0).all()
    # what is better in both is never worse in between, and scale and origin of scores do not matter
    better = (retrieval[:, None] >= retrieval) & (reranking[:, None] >= reranking)
    assert (fused[:, None] - fused >= -1e-9)[better].all()
    np.testing.assert_allclose(fuse(3 * retrieval + 7, reranking / 2 - 1, weight), fused, atol=1e-6)


def test_fusion_of_nothing_and_of_nonsense():
    assert fuse([], [], 0.5).shape == (0,)
    with pytest.raises(ValueError, match="from 0 to 1"):
        fuse([1.0], [1.0], 1.5)


def test_the_weight_turns_the_order_of_retrieval_into_that_of_the_cross_encoder():
    reranker, found = tiny_reranker(), passages(6)
    assert rerank(reranker, "filter?", []) == []
    plain = rerank(reranker, "filter?", found)
    assert [p.rerank_score for p in plain] == sorted((p.rerank_score for p in plain), reverse=True)
    kept = rerank(reranker, "filter?", found, 0.0)
    assert [p.id for p in kept] == [p.id for p in found]
    assert {p.id: p.rerank_score for p in kept} == {p.id: p.rerank_score for p in plain}
