from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import ModelError
from fonte.models.cross_encoder import Reranker
from tests.tiny import tiny_reranker, tiny_reranker_folder

TEXT = st.text(alphabet="the power button 漢é\n", max_size=80)


@pytest.fixture(scope="module")
def reranker() -> Reranker:
    return tiny_reranker(positions=48, batch_size=3)


@given(st.lists(st.tuples(TEXT, TEXT), max_size=8), st.randoms())
@settings(max_examples=25, deadline=None)
def test_scores_stay_with_their_pairs_in_any_order(reranker, pairs, random):
    scores = reranker.predict(pairs)
    assert scores.shape == (len(pairs),)
    assert scores.dtype == np.float32
    assert np.isfinite(scores).all()
    order = list(range(len(pairs)))
    random.shuffle(order)
    assert np.array_equal(reranker.predict([pairs[index] for index in order]), scores[order])


def test_rank_sorts_and_keeps_the_order_of_equals(reranker):
    texts = ["the court", "power button", "the court", "", "battery"]
    ranked = reranker.rank("power", texts)
    scores = reranker.predict([("power", text) for text in texts])
    assert sorted(index for index, _ in ranked) == list(range(5))
    assert [score for _, score in ranked] == sorted(scores.tolist(), reverse=True)
    assert all(np.isclose(score, scores[index]) for index, score in ranked)
    positions = [index for index, _ in ranked]
    assert positions.index(0) + 1 == positions.index(2)
    assert reranker.rank("power", []) == []
    assert reranker.predict([]).shape == (0,)


def test_a_long_passage_has_the_score_of_its_best_window(reranker):
    long = " ".join(f"word{number} the power" for number in range(60))
    windows = [window for row in reranker._parts("power", long) for _, window in row]
    assert len(windows) > 3
    assert reranker.predict([("power", long)])[0] == reranker.predict([("power", window) for window in windows]).max()
    covered = "".join(windows)
    assert all(f"word{number}" in covered for number in range(60))


@pytest.mark.parametrize("text", ["a" * 20000, "漢" * 5000, "\x00", "\udcff", "[SEP] [CLS]", "word " * 4000])
def test_no_text_breaks_it_and_nothing_is_cut(reranker, text):
    for query, passage in (("power", text), (text, "power")):
        assert np.isfinite(reranker.predict([(query, passage)])).all()
    room = reranker.window - 3
    for row in reranker._parts("power", text):
        assert all(len(reranker._offsets(a)) + len(reranker._offsets(b)) <= room for a, b in row)


def test_saving_and_loading_keeps_the_scores(reranker, tmp_path):
    reranker.save_pretrained(tmp_path / "saved")
    again = Reranker.from_pretrained(str(tmp_path / "saved"))
    pairs = [("power", "the power button"), ("power", "court")]
    assert np.allclose(again.predict(pairs), reranker.predict(pairs), atol=1e-6)
    assert (tmp_path / "saved" / "model.safetensors").is_file()


def test_fingerprints_and_refusals(tmp_path):
    folder = str(tiny_reranker_folder(48))
    assert Reranker.from_pretrained(folder).fingerprint == tiny_reranker(positions=48).fingerprint
    assert tiny_reranker(positions=48, seed=1).fingerprint != Reranker.from_pretrained(folder).fingerprint
    (tmp_path / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="cannot be loaded as a cross-encoder"):
        Reranker.from_pretrained(str(tmp_path))
