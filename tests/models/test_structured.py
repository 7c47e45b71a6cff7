from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import UsageError
from fonte.models.structured import json_part, mismatch

OBJECT = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
@settings(max_examples=50, deadline=None)
def test_json_alone_is_kept_as_it_is(value):
    text = json.dumps(value)
    assert json_part(f"  {text}\n", {}) == text
    assert mismatch(text, {}) == ""


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        'Here it is [1]: {"a": 1}.',
        '```json\n{"a": 1}\n```',
        'First {"b": 2}, no: {"a": 1}',
        '{"a": 1}{"a": 2}',
    ],
)
def test_json_is_found_among_words(text):
    assert json_part(text, OBJECT) == '{"a": 1}'


@pytest.mark.parametrize("text", ["", "no", "{", "[" * 5000, '{"a": 1', "\ud800"])
def test_what_is_no_json_is_told_so(text):
    assert "not JSON" in mismatch(json_part(text, OBJECT), OBJECT)


def test_the_reason_names_the_place():
    assert mismatch('{"a": "x"}', OBJECT).startswith("$.a:")
    assert "'b' was unexpected" in mismatch('{"a": 1, "b": 2}', OBJECT)
    with pytest.raises(UsageError, match="schema is not valid"):
        mismatch("1", {"type": "nonsense"})
