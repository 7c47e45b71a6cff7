import numpy as np
import pytest

from fonte.attribution import Measurement, Question, attribute
from fonte.attribution.passage_sentences import open_passage, passages_to_open, sentence_cuts
from fonte.attribution.placebo import TEXTS, placebos
from fonte.chunking import sentences
from fonte.errors import UsageError
from fonte.likelihood import MemoryEvaluations, PromptSegments, score
from fonte.values import Prompt, PromptPassage
from tests.tiny import tiny_language_model

TEXT_LISTS = (
    "The table is 120 cm wide. It weighs 18 kg.  It is made of oak.",
    "Clean the filter every month.\nNever use water above 40 degrees.",
    "One sentence only.",
)
ANSWER = "The table is 120 cm wide."


@pytest.fixture(scope="module")
def model():
    return tiny_language_model()


def measure(model, store=None):
    parts = tuple(PromptPassage(f"k{i}", f"[k{i}]\n", f"{text}\n[/k{i}]\n\n") for i, text in enumerate(TEXT_LISTS))
    given = model.segment(Prompt("Answer.", "Sources:\n", parts, "How wide?"))
    answer = model.encode(ANSWER)
    measurement = Measurement(model, given, answer, store, placebos(model))
    names = tuple(f"p{i}" for i in range(len(TEXT_LISTS)))
    return measurement, Question(names, TEXT_LISTS, ((0, len(answer)),))


def test_sentences_of_a_passage_by_the_naive_way(model):
    measurement, asked = measure(model)
    opened = open_passage(measurement, asked, 0, model)
    text = TEXT_LISTS[0]
    assert [text[start:end] for start, end in opened.sentences] == [
        "The table is 120 cm wide.",
        "It weighs 18 kg.",
        "It is made of oak.",
    ]
    own = measurement.segments.columns(0, signature=False)[0]
    spans = sentences(text)
    starts = [0, *(end for _, end in spans)]
    pieces = [model.encode(text[starts[i] : spans[i][1]]) for i in range(3)] + [model.encode("\n[/k0]\n\n")]
    assert tuple(token for piece in pieces for token in piece) == measurement.segments.segments[own]
    segments = measurement.segments.open_passage(0, pieces)
    columns = segments.columns(0, signature=False)
    keep = np.ones((4, len(segments.segments)), bool)
    keep[:, [c for c, owner in enumerate(segments.passage) if owner >= measurement.passages]] = False
    for row in range(3):
        keep[row + 1, columns[row]] = False
    sums = score(model, segments, [measurement.answer], keep).sums[:, 0]
    found = [effect.value for effect in opened.attribution.effects[0]]
    np.testing.assert_allclose(found, sums[0] - sums[1:], atol=1e-3)
    assert [effect.passage_id for effect in opened.attribution.effects[0]] == ["p0#0", "p0#1", "p0#2"]


def test_the_full_prompt_stays_token_for_token(model):
    store = MemoryEvaluations()
    measurement, asked = measure(model, store)
    full = measurement.masks(np.ones((1, 3), bool))
    measurement.evaluate(full)
    before = len(store)
    opened = open_passage(measurement, asked, 2, model)  # one sentence: full, none, none of the answer's memory
    assert len(store) == before + 1
    assert len(opened.attribution.effects[0]) == 1


def test_only_passages_that_matter_are_opened(model):
    measurement, asked = measure(model)
    found = attribute(measurement, asked)
    chosen = passages_to_open(found, most=2)
    assert len(chosen) <= 2
    strengths = [abs(found.effects[0][passage].value) for passage in chosen]
    assert strengths == sorted(strengths, reverse=True)
    quiet = attribute(measurement, Question(asked.passage_ids, asked.texts, asked.spans, least=1e6, groups=False))
    assert passages_to_open(quiet) == ()


def test_mistakes_are_told(model):
    measurement, asked = measure(model)
    with pytest.raises(UsageError, match="no passage 3"):
        open_passage(measurement, asked, 3, model)
    other = Question(asked.passage_ids, ("Something else entirely. Really.", *asked.texts[1:]), asked.spans)
    with pytest.raises(UsageError, match="another text"):
        open_passage(measurement, other, 0, model)
    blank = Question(asked.passage_ids, ("  ", *asked.texts[1:]), asked.spans)
    with pytest.raises(UsageError, match="no sentence"):
        open_passage(measurement, blank, 0, model)


class Pairs:
    """Two characters are a token, so that sentences end within one."""

    def encode(self, text):
        return tuple(hash(text[start : start + 2]) for start in range(0, len(text), 2))


def test_a_token_on_the_border_belongs_to_the_later_sentence():
    text = "Abc. Def. Ghij."
    ids = Pairs().encode(text + "\n")
    cuts = sentence_cuts(text, sentences(text), ids, Pairs())
    assert cuts == sorted(cuts)
    assert cuts[0] == 2  # "Ab" "c."
    assert cuts[1] == 4  # the fifth token holds the end of the second sentence and the space after it


def test_placebos_are_texts_in_tokens(model):
    made = placebos(model)
    assert len(made) == len(TEXTS)
    assert all(ids == model.encode(text) for ids, text in zip(made, TEXTS, strict=True))


def test_placebos_are_in_no_ablation_but_their_own(model):
    measurement, asked = measure(model)
    found = attribute(measurement, asked)
    assert found.placebo > 0
    plain = Measurement(model, PromptSegments.from_prompt(measure_prompt(model)), measurement.answer)
    again = attribute(plain, asked)
    assert [effect.value for effect in again.effects[0]] == pytest.approx(
        [effect.value for effect in found.effects[0]], abs=1e-3
    )


def measure_prompt(model):
    parts = tuple(PromptPassage(f"k{i}", f"[k{i}]\n", f"{text}\n[/k{i}]\n\n") for i, text in enumerate(TEXT_LISTS))
    return model.segment(Prompt("Answer.", "Sources:\n", parts, "How wide?"))
