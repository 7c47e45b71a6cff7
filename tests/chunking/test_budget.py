"""How the window is shared between a chunk's text and what stands before it."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.chunking.budget import Budget
from fonte.chunking.outline import Context
from fonte.chunking.text import embedded_text
from fonte.settings import ChunkingSettings
from fonte.values import Chunk
from tests.chunking.documents import lines
from tests.chunking.toy_embedder import TOKENIZERS, ToyEmbedder


def budget(window=100, tokenizer="word_piece", reserve=0, **setting):
    return Budget(ChunkingSettings(**setting), ToyEmbedder(window, tokenizer), reserve)


def before(context):
    return embedded_text(Chunk("", "", "", 0, 0, 0, "", context.title, context.heading, context.header))


def test_the_text_gets_what_context_special_tokens_and_reserve_leave():
    context = Context("the unit", ("the key",), "the air")
    taken = ToyEmbedder().count_tokens([before(context)])[0]
    assert budget().room(context) == 100 - 2 - taken
    assert budget(reserve=20).room(context) == 100 - 2 - 20 - taken
    assert budget(tokens=50).room(context) == 50
    assert budget(tokens=95).room(context) == 98 - taken
    assert budget(context=False).room(context) == 98


def test_a_context_that_fits_is_left_alone_and_an_empty_one_is_empty():
    context = Context("the unit", ("the key", "the air"), "the court")
    assert budget().shorten(context) == context
    assert budget().shorten(Context()) == Context()
    assert budget(context=False).shorten(context) == Context()


def test_outer_headings_go_first_then_the_header_then_the_ends_of_lines():
    context = Context("the unit", ("winter " * 10, "summer " * 10, "the key"), "the court")
    assert budget(80).shorten(context).heading == ("summer " * 10, "the key")
    assert budget(48).shorten(context).heading == ("the key",)
    shortened = budget(48).shorten(replace(context, header="the | " * 30))
    assert (shortened.title, shortened.heading) == ("the unit", ("the key",))
    assert shortened.header.startswith("the | the")
    assert len(shortened.header) < 60
    assert not shortened.header.endswith("|")
    shortened = budget(48).shorten(Context("the unit " * 40, ("the key " * 40,)))
    assert shortened.title.startswith("the unit the unit")
    assert shortened.heading[0].startswith("the key the key")


contexts = st.builds(Context, lines, st.lists(lines, max_size=4).map(tuple), st.one_of(st.just(""), lines))


@settings(max_examples=100, deadline=None)
@given(contexts, st.integers(20, 200), st.sampled_from(sorted(TOKENIZERS)))
def test_context_takes_at_most_a_third_and_text_beside_it_is_never_promised_too_much(context, window, tokenizer):
    allowance = budget(window, tokenizer)
    embedder = ToyEmbedder(window, tokenizer)
    room = allowance.room(context)
    assert room >= allowance.smallest_room
    for length in range(len(context.heading) + 1):
        shortened = allowance.shorten(replace(context, heading=context.heading[:length]))
        taken = embedder.count_tokens([before(shortened)])[0]
        assert taken <= (window - 2) // 3
        assert taken + room <= window - 2


def test_tokenizers_that_add_tokens_at_seams_keep_two_tokens_free():
    assert budget(context=False).smallest_room == 98
    assert budget(tokenizer="byte_pairs", context=False).smallest_room == 96


@pytest.mark.parametrize("tokens", [99, 120])
def test_tokens_above_the_window_are_refused(tokens):
    with pytest.raises(Exception, match=rf"chunking\.tokens = {tokens} does not fit.*98.*embedder\.window = 256"):
        budget(tokens=tokens)
