"""What kind of thing is asked for, and which sentences hold one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.generation.quote_kinds import asked_kind, holds_kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How long does it take?", "duration"),
        ("I switched it off. How quickly is it warm?", "duration"),
        ("Ogni quanto si cambia il filtro?", "duration"),
        ("Wie lange dauert es?", "duration"),
        ("When does the time begin?", "moment"),
        ("By when must it be filed?", "moment"),
        ("Why was the claim dismissed?", "reason"),
        ("Perché è stata respinta?", "reason"),
        ("What sum was paid?", "number"),
        ("At which pressure does the valve open?", "number"),
        ("A che coppia si serra la vite?", "number"),
        ("Who must prove what when a neighbour complains?", ""),
        ("How do I clean it?", ""),
        ("", ""),
    ],
)
def test_asked_kind(question, kind):
    assert asked_kind(question) == kind


@pytest.mark.parametrize(
    ("kind", "sentence", "held"),
    [
        ("duration", "It takes 5 minutes.", True),
        ("duration", "It is left there for sixty days.", True),
        ("duration", "Si cambia ogni 18 mesi.", True),
        ("duration", "It opens at 14 bar.", False),
        ("moment", "Time begins when the harm could be measured.", True),
        ("moment", "It was signed on 3 March.", True),
        ("moment", "The pump is quiet.", False),
        ("reason", "The delay was due to a quarrel.", True),
        ("reason", "The ferry left late.", False),
        ("number", "They pay 580 ducats.", True),
        ("number", "17. The claim is dismissed.", False),
        ("number", "Harder than allowed in chapter 3.", False),
        ("number", "As paragraph 14 of the judgment requires.", False),
        ("number", "Four people are needed.", True),
        ("", "Anything.", True),
    ],
)
def test_holds_kind(kind, sentence, held):
    assert holds_kind(kind, sentence) is held


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text(question, sentence):
    assert holds_kind(asked_kind(question), sentence) in (True, False)
