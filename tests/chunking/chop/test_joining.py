"""Known ends of documents: what is found of them is counted rightly."""

from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.chunking.chop import Continuity, decide, joined
from fonte.chunking.chop.joining import ORDERS
from tests.chunking.chop.manuals import DEVICES, manual

NAMED = [[f"{name} user manual", *manual(seed)] for seed, name in enumerate(DEVICES)]
NEVER, ALWAYS = Continuity(shift=-1000.0), Continuity(shift=1000.0)


def test_covers_are_found_and_nothing_else():
    found = joined(NAMED, Continuity())
    assert found.joins == found.found == ORDERS * (len(DEVICES) - 1)
    assert (found.false, found.taken_apart, found.mistakes) == (0, 0, 0)
    assert found == joined(NAMED, Continuity())


def test_a_model_that_never_or_always_sees_an_end():
    nothing = joined(NAMED, NEVER)
    assert (nothing.found, nothing.false, nothing.taken_apart) == (0, 0, 0)
    assert nothing.mistakes == nothing.joins
    everything = joined(NAMED, ALWAYS)
    assert everything.taken_apart == len(NAMED)
    alone = [sum(gap.decision == "new" for gap in decide(document, ALWAYS)) for document in NAMED]
    assert everything.found + everything.false <= ORDERS * (sum(alone) + len(NAMED))


def test_without_a_second_document_there_is_no_join():
    assert joined([], Continuity()).joins == 0
    assert joined(NAMED[:1], Continuity()).joins == 0


@given(st.lists(st.lists(st.text(max_size=30), min_size=1, max_size=5), max_size=5))
@settings(deadline=None, max_examples=50)
def test_any_texts_give_counts_that_fit_together(documents):
    found = joined(documents, Continuity())
    assert found.joins == ORDERS * max(len(documents) - 1, 0)
    assert 0 <= found.found <= found.joins
    assert 0 <= found.false <= ORDERS * (sum(map(len, documents)) - len(documents))
    assert 0 <= found.taken_apart <= len(documents)
