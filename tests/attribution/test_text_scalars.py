import numpy as np
import pytest

from fonte.attribution import Question, attribute
from fonte.attribution.text_scalars import (
    TextMeasurement,
    embedding_similarity,
    entailment_similarity,
    rouge_l_similarity,
)
from fonte.errors import UsageError
from fonte.models.language_model import Generation
from fonte.values import Prompt, PromptPassage


class Parrot:
    """Answers with the first words of every passage that it is shown; `restless` adds how often it was asked."""

    name = fingerprint = "parrot"
    context_window = 1000

    def __init__(self, restless=False):
        self.prompts = []
        self.restless = restless

    def count_tokens(self, text):
        return len(text.split())

    def generate(self, prompt, *, max_tokens, temperature=0.0, seed=0, stop=(), schema=None):
        self.prompts.append(prompt)
        words = [word for passage in prompt.passages for word in passage.text.split()[:2]]
        noise = ["again" * len(self.prompts)] if self.restless else []
        return Generation(" ".join((words + noise)[:max_tokens]), prompt_tokens=10, completion_tokens=len(words))


PASSAGES = tuple(
    PromptPassage(f"a{number}", f"[a{number}]\n", text)
    for number, text in enumerate(["red apple here\n", "red apple again\n", "   \n", "tall house there\n"])
)
PROMPT = Prompt("Answer.", "Sources:\n", PASSAGES, "What?")
ANSWER = "red apple red apple tall house"
ASKED = Question(("p0", "p1", "p2", "p3"), tuple(p.text for p in PASSAGES), ((0, len(ANSWER)), (20, 30)))


def test_leave_one_out_of_texts_by_pencil():
    model = Parrot()
    found = attribute(TextMeasurement(model, PROMPT, ANSWER, rouge_l_similarity()), ASKED)
    # six words; without a source of two words the F measure of 4 of 6 is 2 * 4/6 / (1 + 4/6) = .8
    np.testing.assert_allclose([effect.value for effect in found.effects[0]], [0.2, 0.2, 0.0, 0.2], atol=1e-9)
    assert found.effects[0][2].status == "no_measurable_effect"
    assert found.effects[0][0].unit == "similarity of the regenerated answer (rouge_l)"
    assert found.memory_share[0] == 0.0
    assert found.effects[0][3].signature_value == 0.0
    assert found.tokens.computed == sum(10 + len(p.passages) * 0 for p in model.prompts) + sum(
        2 * sum(bool(passage.text.strip()) for passage in p.passages) for p in model.prompts
    )


def test_dropping_a_text_drops_its_signature_and_labels_stay():
    model = Parrot()
    attribute(TextMeasurement(model, PROMPT, ANSWER, rouge_l_similarity()), ASKED)
    shown = {tuple(passage.label for passage in prompt.passages) for prompt in model.prompts}
    assert ("a1", "a2", "a3") in shown
    assert () in shown
    assert any(not passage.signature for prompt in model.prompts for passage in prompt.passages)


def test_answers_that_change_by_themselves_widen_the_intervals():
    steady = attribute(TextMeasurement(Parrot(), PROMPT, ANSWER, rouge_l_similarity()), ASKED)
    words = embedding_similarity(Letters())
    restless = attribute(TextMeasurement(Parrot(restless=True), PROMPT, ANSWER, words), ASKED)
    assert steady.noise == 0.0
    assert restless.noise > 0.0


class Letters:
    """Embeds by counting letters."""

    def embed_query(self, text):
        counts = np.array([text.count(chr(code)) for code in range(33, 127)], np.float32)
        return counts / max(float(np.linalg.norm(counts)), 1e-9)


@pytest.mark.parametrize(
    "similarity",
    [
        rouge_l_similarity(),
        embedding_similarity(Letters()),
        entailment_similarity(lambda pairs: [float(a == b) for a, b in pairs]),
    ],
    ids=lambda similarity: similarity.name,
)
def test_similarities_are_one_for_the_same_and_within_bounds(similarity):
    texts = ["red apple", "", "   ", "完全に別", "red apple tall", "\x00"]
    found = similarity.of(texts, "red apple")
    assert found.shape == (6,)
    assert found[0] == pytest.approx(1.0)
    assert ((found >= 0) & (found <= 1 + 1e-6)).all()
    assert similarity.of([], "red apple").shape == (0,)
    assert np.isfinite(similarity.of(["a"], "")).all()


def test_rouge_reads_more_than_ascii():
    found = rouge_l_similarity().of(["東京は大きい", "Ärger über Öl"], "東京は大きい")
    assert found.tolist() == [1.0, 0.0]
    assert rouge_l_similarity().of(["東京は小さい"], "東京は大きい")[0] > 0.5
    assert rouge_l_similarity().of(["ärger"], "Ärger")[0] == 1.0


def test_every_method_works_on_texts():
    for method in ("balanced", "clime", "lasso", "shapley", "local_shapley"):
        asked = Question(ASKED.passage_ids, ASKED.texts, ASKED.spans, method=method)
        found = attribute(TextMeasurement(Parrot(), PROMPT, ANSWER, rouge_l_similarity()), asked)
        assert np.isfinite([effect.value for effect in found.effects[0]]).all()


def test_mistakes_are_told():
    with pytest.raises(UsageError, match="empty answer"):
        TextMeasurement(Parrot(), PROMPT, "  ", rouge_l_similarity())
    measured = TextMeasurement(Parrot(), PROMPT, ANSWER, rouge_l_similarity())
    with pytest.raises(UsageError, match="rouge_l"):
        attribute(measured, Question(ASKED.passage_ids, ASKED.texts, ASKED.spans, scalar="logit"))


def test_a_budget_ends_it():
    measured = TextMeasurement(Parrot(), PROMPT, ANSWER, rouge_l_similarity())
    found = attribute(measured, Question(ASKED.passage_ids, ASKED.texts, ASKED.spans, budget=0.0))
    assert found.status == "budget"
    assert {effect.status for effect in found.effects[0]} == {"not_measured"}
