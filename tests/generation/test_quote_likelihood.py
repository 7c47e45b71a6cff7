"""The batched gain against one plain forward pass per text."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fonte.generation.quote_likelihood import question_gain
from tests.tiny import tiny_language_model

TEXTS = ["The table is 120 cm wide.", "Clean the filter.", "The court held that the contract was not valid, " * 4]
QUESTION = "What is the width of the table?"


def plain(model, before: str, question: str) -> np.ndarray:
    """Return log p of each token of the question, one row at a time, without padding."""
    prefix = list(model.encode(before))
    asked, opening = list(model.encode(f"\nQuestion: {question}")), len(model.encode("\nQuestion:"))
    with torch.inference_mode():
        logits = model.model(input_ids=torch.tensor([prefix + asked])).logits[0].double()
    table = torch.log_softmax(logits, -1)
    return np.array([float(table[len(prefix) + i - 1, token]) for i, token in enumerate(asked)])[opening:]


def test_gain_equals_plain_forward_passes():
    model = tiny_language_model()
    gain = question_gain(model, QUESTION, TEXTS)
    expected = np.stack([plain(model, text, QUESTION) - plain(model, "Text", QUESTION) for text in TEXTS])
    np.testing.assert_allclose(gain, expected, atol=2e-4)


def test_batches_do_not_change_the_numbers(monkeypatch):
    model = tiny_language_model()
    together = question_gain(model, QUESTION, TEXTS)
    monkeypatch.setattr("fonte.generation.quote_likelihood._BATCH_TOKENS", 1)
    np.testing.assert_allclose(question_gain(model, QUESTION, TEXTS), together, atol=2e-4)


def test_order_of_texts_does_not_matter():
    model = tiny_language_model()
    np.testing.assert_allclose(
        question_gain(model, QUESTION, TEXTS)[::-1], question_gain(model, QUESTION, TEXTS[::-1]), atol=2e-4
    )


def test_long_questions_and_texts_fit_a_small_window():
    model = tiny_language_model()
    gain = question_gain(model, "how wide " * 3000, ["the table " * 3000])
    assert np.isfinite(gain).all()


@pytest.mark.models
def test_the_bundled_model_finds_the_question_likelier_after_its_answer(language_model):
    texts = ["The kettle holds 1.7 litres of water.", "The court dismissed the appeal."]
    gain = question_gain(language_model, "How much water fits into the kettle?", texts).mean(axis=1)
    assert gain[0] > gain[1] + 0.3
