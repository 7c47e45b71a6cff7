import json

import numpy as np
import pytest

from fonte.attribution import METHODS, Measurement, Question, attribute
from fonte.attribution.recording import from_json, to_json
from fonte.errors import RecordError
from tests.attribution.games import FIRST, prompt, voting
from tests.attribution.test_attribute import VOTES, question


def measured(method: str, **options):
    model = voting((*VOTES, 0.02))
    measurement = Measurement(model, prompt(5, signatures=True), (1, 0, 1), placebos=[(FIRST + 5,)])
    asked = question(5, method, spans=((0, 3), (1, 2)), **options)
    return measurement, asked, attribute(measurement, asked)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_effects_are_computed_again_without_the_model(method):
    measurement, asked, found = measured(method)
    payload = json.loads(json.dumps(to_json(measurement, asked), allow_nan=False))
    again = attribute(*from_json(payload))
    assert again.effects == found.effects
    assert again.memory_share == found.memory_share
    assert (again.noise, again.placebo, again.unit, again.status) == (
        found.noise,
        found.placebo,
        found.unit,
        found.status,
    )
    assert again.tokens == found.tokens


def test_another_question_is_answered_from_the_record_as_far_as_it_goes():
    measurement, asked, _ = measured("clime")
    known, _ = from_json(to_json(measurement, asked))
    found = attribute(known, question(5, "leave_one_out"))
    np.testing.assert_allclose([effect.value for effect in found.effects[0]], VOTES, atol=1e-4)
    missing = attribute(known, question(5, "shapley"))
    assert missing.status == "budget"
    assert {effect.status for effect in missing.effects[0]} <= {"measured", "no_measurable_effect", "not_measured"}


def test_with_a_model_the_rest_is_measured():
    measurement, asked, _ = measured("leave_one_out")
    known, _ = from_json(to_json(measurement, asked), measurement.model)
    assert attribute(known, question(5, "shapley")).status == "complete"


def test_the_question_survives():
    asked = question(3, "lasso", spans=((0, 2), (1, 3)), first=(2,), budget=1.5, seed=9, least=0.25)
    measurement = Measurement(voting((1, 2, 3)), prompt(3), (1, 0, 1))
    assert from_json(json.loads(json.dumps(to_json(measurement, asked))))[1] == asked
    assert isinstance(asked, Question)


@pytest.mark.parametrize("damage", [{"version": 99}, {"segments": None}, {"noise": {"sound": 1}}, {"question": {}}])
def test_what_is_damaged_is_refused(damage):
    measurement, asked, _ = measured("leave_one_out")
    with pytest.raises(RecordError):
        from_json(to_json(measurement, asked) | damage)


def test_missing_parts_are_refused():
    with pytest.raises(RecordError):
        from_json({})
