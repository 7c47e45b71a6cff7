"""The tokens of a long text, found piece by piece, are those of the text."""

import numpy as np
import pytest
from hypothesis import given, settings

from fonte.chunking import tokens
from fonte.chunking.tokens import LONGEST_TOKEN, TokenGrid
from tests.chunking.documents import lines
from tests.chunking.toy_embedder import TOKENIZERS, ToyEmbedder


@pytest.mark.parametrize("tokenizer", ["word_piece", "byte_pairs"])
@settings(max_examples=60, deadline=None)
@given(lines, lines)
def test_pieces_change_no_count(tokenizer, first, second):
    embedder = ToyEmbedder(tokenizer=tokenizer)
    text = " ".join([first, second] * 3)
    whole = TokenGrid(text, embedder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "PIECE", 64)
        pieces = TokenGrid(text, embedder)
    cut = sum(len(word) for word in text.split() if len(word) >= 32)  # a seam may fall inside a word of half a piece
    assert abs(len(whole) - len(pieces)) <= len(text) // 32 + cut  # a byte pair may end at a seam
    if tokenizer == "word_piece" and not cut:
        assert len(whole) == len(pieces) == embedder.count_tokens([text])[0]


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_no_token_stands_for_more_than_its_share_of_characters(tokenizer):
    text = "key " + " " * 5000 + "x" * 5000 + "\u200b" * 500
    grid = TokenGrid(text, ToyEmbedder(tokenizer=tokenizer))
    starts = [grid.offset(index) for index in range(len(grid))]
    assert starts == sorted(starts)
    assert max(np.diff([*starts, len(text)])) <= LONGEST_TOKEN


def test_counting_and_finding_are_inverse():
    embedder = ToyEmbedder()
    text = "The court held that there had been a violation of Article 6."
    grid = TokenGrid(text, embedder)
    assert len(grid) == embedder.count_tokens([text])[0] == grid.count(0, len(text))
    for index in range(len(grid)):
        assert grid.index(grid.offset(index)) == index
    assert grid.offset(len(grid)) == len(text)
    assert grid.index(0) == 0
    assert list(grid.indices(np.array([0, 3, len(text)]))) == [grid.index(0), grid.index(3), len(grid)]


def test_fitting_takes_as_much_as_allowed_and_always_something():
    grid = TokenGrid("The unit heats in winter, cools in summer.", ToyEmbedder())
    assert grid.text[: grid.fit(0, len(grid.text), 1000)] == grid.text
    for count in range(1, len(grid) + 1):
        end = grid.fit(0, len(grid.text), count)
        assert 0 < end <= len(grid.text)
        assert grid.count(0, end) <= count


def test_blank_text_has_no_tokens():
    assert len(TokenGrid("", ToyEmbedder())) == 0
