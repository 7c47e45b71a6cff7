from __future__ import annotations

import itertools
import json
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import ModelError
from fonte.models.embedder import Embedder
from tests.tiny import tiny_embedder, tiny_embedder_folder

TEXT = st.text(max_size=60) | st.text(alphabet="The power button, 漢字é \n", max_size=120)


@pytest.fixture(scope="module")
def small() -> Embedder:
    return tiny_embedder(window=32, batch_size=4)


@given(st.lists(TEXT, max_size=9), st.randoms())
@settings(max_examples=30, deadline=None)
def test_a_text_has_one_vector_whatever_is_beside_it(small, texts, random):
    texts = [small.windows(text, 30)[0] for text in texts]
    vectors = small.embed_documents(texts)
    assert vectors.shape == (len(texts), small.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    order = list(range(len(texts)))
    random.shuffle(order)
    shuffled = small.embed_documents([texts[index] for index in order])
    assert np.allclose(shuffled, vectors[order], atol=1e-5)
    for index, text in enumerate(texts):
        assert np.allclose(small.embed_documents([text])[0], vectors[index], atol=1e-5)
        assert np.allclose(small.embed_query(text), vectors[index], atol=1e-5)


@given(TEXT)
@settings(max_examples=60, deadline=None)
def test_offsets_are_code_points_in_order_and_counts_agree(small, text):
    offsets = small.token_offsets(text)
    assert offsets.shape == (small.count_tokens([text])[0], 2)
    assert all(0 <= start < end <= len(text) for start, end in offsets)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(offsets))


@given(TEXT, st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_windows_join_to_the_text_and_fit(small, text, tokens):
    pieces = small.windows(text, tokens)
    assert "".join(pieces) == text
    assert all(
        count <= tokens for count, piece in zip(small.count_tokens(pieces), pieces, strict=True) if len(piece) > 1
    )


def test_offsets_of_wide_characters():
    assert tiny_embedder().token_offsets("The 漢字👩‍🚀 a")[0].tolist() == [0, 3]
    assert tiny_embedder().token_offsets("").shape == (0, 2)


def test_a_text_over_the_window_is_an_error_that_names_it(small):
    fits = "a " * 30
    assert small.embed_documents([fits]).shape == (1, 32)
    with pytest.raises(ModelError, match=r"Text 1 has 31 tokens.* reads 30 "):
        small.embed_documents(["a", fits + "a", "b"])
    assert small.embed_documents([]).shape == (0, 32)


def test_a_long_question_is_the_mean_of_its_windows(small):
    text = "the power button " * 20
    pieces = small.windows(text, 30)
    mean = small.embed_documents(pieces).mean(axis=0)
    assert np.allclose(small.embed_query(text), mean / np.linalg.norm(mean), atol=1e-5)


@pytest.mark.parametrize(
    "question", ["", " ", "\x00\x01\x02", "\u202e", "\udcff", "\ufeff", "a" * 20000, "a b " * 5000, "漢" * 20000]
)
def test_no_question_breaks_it(small, question):
    vector = small.embed_query(question)
    assert vector.shape == (32,)
    assert np.isclose(np.linalg.norm(vector), 1, atol=1e-5)


def test_a_question_without_tokens_is_the_empty_one(small):
    assert np.array_equal(small.embed_query("\x00\x01"), small.embed_query(""))


def test_the_window_can_be_raised_to_what_the_architecture_reads():
    folder = str(tiny_embedder_folder())
    usual, wide = Embedder.from_pretrained(folder), Embedder.from_pretrained(folder, window=512)
    assert (usual.window, wide.window, usual.special_tokens) == (256, 512, 2)
    assert wide.embed_documents(["a " * 510]).shape == (1, 32)
    assert usual.fingerprint != wide.fingerprint
    with pytest.raises(ModelError, match=r"513.*512"):
        Embedder.from_pretrained(folder, window=513)


def test_the_fingerprint_follows_weights_and_pooling(tmp_path):
    folder = tiny_embedder_folder()
    assert Embedder.from_pretrained(str(folder)).fingerprint == tiny_embedder().fingerprint
    assert tiny_embedder(seed=1).fingerprint != tiny_embedder().fingerprint
    changed = shutil.copytree(folder, tmp_path / "cls")
    pooling = next(changed.glob("*Pooling*/config.json"))
    pooling.write_text(json.dumps({**json.loads(pooling.read_text()), "pooling_mode": "cls"}))
    other = Embedder.from_pretrained(str(changed))
    assert other.fingerprint != tiny_embedder().fingerprint
    assert not np.allclose(other.embed_query("power"), tiny_embedder().embed_query("power"), atol=1e-3)


def test_prompts_of_the_model_are_used_and_counted(tmp_path):
    folder = shutil.copytree(tiny_embedder_folder(), tmp_path / "prompted")
    config = folder / "config_sentence_transformers.json"
    prompts = {"query": "question: ", "document": "the text: "}
    config.write_text(json.dumps({**json.loads(config.read_text()), "prompts": prompts}))
    prompted, plain = Embedder.from_pretrained(str(folder), window=32), tiny_embedder(window=32)
    assert np.allclose(prompted.embed_query("power"), plain.embed_query("question: power"), atol=1e-5)
    assert np.allclose(prompted.embed_documents(["power"]), plain.embed_documents(["the text: power"]), atol=1e-5)
    assert prompted.special_tokens == 2 + plain.count_tokens(["the text: "])[0]
    with pytest.raises(ModelError, match="Text 0"):
        prompted.embed_documents(["a " * 30])


def test_what_is_no_embedder_is_refused(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="cannot be loaded as a sentence-transformers"):
        Embedder.from_pretrained(str(tmp_path))


@pytest.mark.models
def test_the_default_embedder(embedder):
    assert (embedder.window, embedder.dimension, embedder.special_tokens) == (256, 384, 2)
    vectors = embedder.embed_documents(["How to charge the battery", "Battery charging", "The court of appeal"])
    similarity = vectors @ vectors.T
    assert similarity[0, 1] > 0.7 > 0.3 > similarity[0, 2]


@pytest.mark.models
def test_another_number_format_gives_nearly_the_same_vectors(embedder):
    other = Embedder.from_pretrained("all-minilm-l6-v2", dtype="bfloat16")
    texts = ["The filter is cleaned every month.", "The Court finds a violation of Article 6.", "x"]
    exact, rounded = embedder.embed_documents(texts), other.embed_documents(texts)
    assert other.fingerprint == embedder.fingerprint
    assert rounded.dtype == exact.dtype == np.float32
    assert np.abs(exact @ exact.T - rounded @ rounded.T).max() < 0.01
    assert (exact * rounded).sum(axis=1).min() > 0.99
