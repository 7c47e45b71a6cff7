"""The probe recommends `write` only for models that answer from sources and abstain."""

import json

import pytest

from fonte.generation.probe import ProbeResult, probe
from tests.generation.scripted import ScriptedLanguageModel

RIGHT = [
    "It holds 23 litres.",
    "It is closed on Wednesdays.",
    "The harbour board was awarded the costs.",
    "It is orange.",
]
ABSTAINS = ["NOT_IN_SOURCES", "Not in sources."]


def result(*replies):
    return probe(ScriptedLanguageModel(*replies))


@pytest.mark.parametrize(
    ("replies", "answered", "abstained", "mode"),
    [
        (RIGHT + ABSTAINS, 1, 1, "write"),
        (["I do not know.", *RIGHT[1:], "NOT_IN_SOURCES", "It weighs 5 kg."], 0.75, 0.5, "write"),
        (["Hm.", "Hm.", *RIGHT[2:], *ABSTAINS], 0.5, 1, "quote"),
        ([*RIGHT, "It weighs 5 kg.", "Aldo Tamarra."], 1, 0, "quote"),
        (["The tanks hold 14, 23 and 37 litres.", "Monday or Wednesday.", *RIGHT[2:], *ABSTAINS], 0.5, 1, "quote"),
        (["NOT_IN_SOURCES"] * 6, 0, 1, "quote"),
        ([""] * 6, 0, 0, "quote"),
    ],
)
def test_the_recommendation(replies, answered, abstained, mode):
    found = result(*replies)
    assert (found.answered, found.abstained, found.cited, found.mode) == (answered, abstained, 0, mode)


def test_citing_is_measured_by_the_label_of_the_right_source():
    model = ScriptedLanguageModel(*RIGHT, *ABSTAINS)
    probe(model)
    labels = [[part.label for part in asked["prompt"].passages] for asked in model.asked]
    right = [f"{text} [{names[at]}]" for text, names, at in zip(RIGHT, labels, (1, 2, 0, 1), strict=False)]
    assert result(*right, *ABSTAINS).cited == 1
    wrong = [f"{text} [{names[at]}]" for text, names, at in zip(RIGHT, labels, (0, 0, 1, 0), strict=False)]
    assert result(*wrong, *ABSTAINS).cited == 0


def test_it_is_short_and_travels_as_json():
    model = ScriptedLanguageModel(*RIGHT, *ABSTAINS)
    found = probe(model)
    assert len(model.asked) == 6
    assert all((asked["temperature"], asked["max_tokens"] <= 64) == (0.0, True) for asked in model.asked)
    assert ProbeResult.from_json(json.loads(json.dumps(found.to_json()))) == found
    assert found.fingerprint == model.fingerprint


@pytest.mark.models
def test_the_bundled_model_is_for_quotes(language_model):
    assert probe(language_model).mode == "quote"
