"""BERTScore against the bert-score package, and by brute force."""

import numpy as np
import pytest

from fonte.measures import TokenVectors, bert_score, bert_scores
from tests.tiny import tiny_embedder_folder

TEXTS = [
    "Clean the filter every month.",
    "The filter is cleaned monthly, never with water above 40 degrees.",
    "Press the power button.",
    "The light turns green when the power button is pressed and held for three seconds.",
]
PAIRS = [(one, other) for one in TEXTS for other in TEXTS]


def source_folder():
    """The transformers part of the tiny embedder."""
    folder = tiny_embedder_folder()
    return str(folder)


@pytest.fixture(scope="module")
def encode():
    from fonte.measures.token_encoder import TokenEncoder

    return TokenEncoder.from_pretrained(source_folder())


def test_equals_the_bert_score_package(encode, tmp_path):
    from bert_score import BERTScorer

    # The package takes any path with "t5" in it for a T5; the drawn name of a temporary folder may have that.
    (tmp_path / "encoder").symlink_to(source_folder())
    reference = BERTScorer(model_type=str(tmp_path / "encoder"), num_layers=2, device="cpu")
    precision, recall, f1 = reference.score([one for one, _ in PAIRS], [other for _, other in PAIRS])
    ours = bert_scores(PAIRS, encode)
    assert [one.precision for one in ours] == pytest.approx(precision.tolist(), abs=1e-4)
    assert [one.recall for one in ours] == pytest.approx(recall.tolist(), abs=1e-4)
    assert [one.f1 for one in ours] == pytest.approx(f1.tolist(), abs=1e-4)


def test_by_brute_force():
    random = np.random.default_rng(0)

    def vectors(count):
        values = random.normal(size=(count, 5))
        values /= np.linalg.norm(values, axis=1, keepdims=True)
        return TokenVectors(values.astype(np.float32), np.array([False, *[True] * (count - 2), False]))

    known = {"a": vectors(6), "b": vectors(9)}
    [found] = bert_scores([("a", "b")], lambda texts: [known[text] for text in texts])
    best = [max(float(x @ y) for y in known["b"].vectors) for x in known["a"].vectors[1:-1]]
    assert found.precision == pytest.approx(np.mean(best), abs=1e-6)
    [turned] = bert_scores([("b", "a")], lambda texts: [known[text] for text in texts])
    assert (turned.recall, turned.f1) == pytest.approx((found.precision, found.f1))


def test_batches_windows_and_order_change_nothing(encode):
    long = " ".join(TEXTS * 40)
    alone = [bert_scores([pair], encode)[0].f1 for pair in [*PAIRS[:3], (long, TEXTS[0])]]
    together = [one.f1 for one in bert_scores([*PAIRS[:3], (long, TEXTS[0])], encode)]
    assert together == pytest.approx(alone, abs=1e-5)
    [whole] = encode([long])
    assert len(whole.vectors) > encode.window  # read in windows, not cut
    assert bert_scores([(long, TEXTS[0])], encode)[0].recall > 0


def test_empty_texts(encode):
    assert bert_scores([], encode) == []
    assert bert_scores([("", "Clean.")], encode)[0].f1 == 0
    assert bert_score(" ", ["x"], encode).value == 0
    assert bert_score("x", [], encode).status == "not_applicable"
    assert bert_score(TEXTS[0], TEXTS, encode).value == pytest.approx(1, abs=1e-5)
