"""Which tokens of a completion count, token by token; one token of the test tokenizer is one byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonte.training.counted_tokens import counted_tokens
from tests.tiny import byte_tokenizer

END = 258
LABELS = ("b4", "c5")


def decode(ids):
    return bytes(token for token in ids if token < 256).decode("utf-8", "replace")


def counted_text(text, span, *, end=True):
    ids = [*text.encode(), *([END] if end else [])]
    counted = counted_tokens(ids, decode, span, LABELS)
    assert len(counted) == len(ids)
    return bytes(token for token, counts in zip(ids, counted, strict=True) if counts and token < 256).decode(), bool(
        counted[-1]
    )


@pytest.mark.parametrize(
    ("text", "span", "wanted", "end"),
    [
        ("Paris [b4].", "full", "Paris [b4].", True),
        ("Paris [b4].", "after_thinking", "Paris [b4].", True),
        ("Paris [b4].", "answer", "Paris.", False),
        ("<think>so [b4]</think>Paris", "full", "<think>so [b4]</think>Paris", True),
        ("<think>so</think>Paris", "after_thinking", "Paris", True),
        ("<think>so</think>Paris", "answer", "Paris", False),
        ("<think>never ends", "answer", "", False),
        ("<think>never ends", "after_thinking", "", False),
        ("I think <answer>Rome [c5]</answer> ok", "answer", "Rome", False),
        ("See [3] and [2019] and [sic] here.", "answer", "See [3] and [2019] and [sic] here.", False),
        ("Città è qui [b4, c5].", "answer", "Città è qui.", False),
        ("", "answer", "", False),
    ],
)
def test_spans(text, span, wanted, end):
    assert counted_text(text, span) == (wanted, end)


@given(st.text(max_size=60), st.sampled_from(["full", "after_thinking", "answer"]))
def test_any_text_gives_one_boolean_per_token(text, span):
    ids = list(text.encode("utf-8", "surrogatepass"))
    counted = counted_tokens(ids, decode, span, LABELS)
    assert counted.shape == (len(ids),)
    assert counted.dtype == bool
    if span == "full":
        assert counted.all()


def test_the_tokenizer_of_the_tests_is_one_byte_a_token():
    assert byte_tokenizer()("è")["input_ids"] == list("è".encode())
