"""Fixed windows: as long as asked for, overlapping as asked for, CHOP's 500 and 100 among them."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.chunking import chunker_from
from fonte.chunking.tokens import TokenGrid
from fonte.errors import ChunkingError
from fonte.settings import ChunkingSettings
from tests.chunking.documents import paragraphs
from tests.chunking.toy_embedder import ToyEmbedder

TEXT = " ".join(f"The unit heats in winter {number} and the court held." for number in range(400))


def windows(tokens, overlap, window=512, text=TEXT, context=False):
    setting = ChunkingSettings(chunker="fixed", tokens=tokens, overlap=overlap, context=context)
    embedder = ToyEmbedder(window)
    return chunker_from(setting, embedder).chunk([paragraphs(text)]), TokenGrid(text, embedder)


@pytest.mark.parametrize(("tokens", "overlap"), [(500, 100), (478, 96), (100, 0), (100, 50), (32, 8)])
def test_windows_have_the_length_and_the_overlap_asked_for(tokens, overlap):
    chunks, grid = windows(tokens, overlap)
    longest_word = 6
    for chunk in chunks[:-1]:
        assert tokens - longest_word <= grid.count(chunk.start, chunk.end) <= tokens
    for before, after in pairwise(chunks):
        assert overlap <= grid.count(after.start, before.end) <= overlap + (longest_word if overlap else 0)
    expected = 1 + -(-(len(grid) - tokens) // (tokens - overlap))
    assert expected <= len(chunks) <= 1.3 * expected


def test_windows_begin_and_end_between_words():
    chunks, _ = windows(100, 20)
    for chunk in chunks:
        assert TEXT[chunk.start - 1 : chunk.start] in ("", " ")
        assert TEXT[chunk.end : chunk.end + 1] in ("", " ")


def test_a_text_that_fits_is_one_window():
    chunks, _ = windows(100, 50, text="The unit heats.")
    assert [chunk.text for chunk in chunks] == ["The unit heats."]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["e\u0301", "👩\u200d👩\u200d👧", "🇮🇹", "क्षि", "한"]), min_size=30, max_size=120))
def test_grapheme_clusters_stay_whole(clusters):
    text = "".join(clusters)
    edges = {0}
    for cluster in clusters:
        edges.add(max(edges) + len(cluster))
    chunks, _ = windows(16, 0, window=64, text=text)
    assert {chunk.start for chunk in chunks} <= edges


@pytest.mark.parametrize(("tokens", "overlap", "context"), [(100, 100, False), (100, 500, False), (None, 170, True)])
def test_an_overlap_that_may_swallow_a_window_is_an_error(tokens, overlap, context):
    with pytest.raises(ChunkingError, match=rf"chunking.overlap = {overlap} must be smaller.*256"):
        windows(tokens, overlap, window=256, context=context)


def test_context_makes_windows_shorter_and_the_sum_fits():
    plain, grid = windows(500, 100)
    told, _ = windows(500, 100, context=True)
    assert told[0].title == "manual"
    assert len(told) >= len(plain)
    assert max(grid.count(chunk.start, chunk.end) for chunk in told) <= 500
