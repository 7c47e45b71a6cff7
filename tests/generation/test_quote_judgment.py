"""Identity, choice and groups: the parts that need no model."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.generation.quote_candidates import Candidate, candidates
from fonte.generation.quote_identity import Identity, identities, missing
from fonte.generation.quote_judgment import decide
from fonte.generation.quote_weights import FEATURES, Linear, QuoteWeights, load_weights, shares
from fonte.values import Chunk, Passage

PLAIN = QuoteWeights(Linear.of({"cosine": 1.0}), Linear.of({"cosine": 1.0}), ratio=0.5, most=4)


def manual(model: str, text: str) -> Passage:
    name = f"pumps/stillaro-{model.lower()}.md"
    chunk = Chunk(name, "v", "p", 0, 0, len(text), text, title=f"Stillaro {model}: infusion pump")
    return Passage(chunk, name, 0.5)


PUMPS = (
    manual("S30", "A bubble above 80 µl stops the pump.\nA02 | Air in the tube"),
    manual("S60", "A bubble above 15 µl stops the pump. The rail hook is rated for 5 kg."),
)


def of(question: str) -> list[Identity]:
    return identities(question, PUMPS, candidates(PUMPS))


def test_the_other_model_lacks_the_code():
    first, *_, last = of("Which bubble stops the Stillaro S30?")
    assert first.codes == 1.0
    assert last.codes == 0.0


def test_a_model_that_does_not_exist_is_missing_everywhere():
    assert {identity.codes for identity in of("Which bubble stops the Stillaro S50?")} == {0.0}
    assert missing("Which bubble stops the Stillaro S50?", PUMPS) == ["S50"]
    assert missing("Which bubble stops the Stillaro S30?", PUMPS) == []


def test_a_bare_number_is_reported_with_the_word_before_it():
    assert missing("How loud is the Ventalba 290?", PUMPS) == ["Ventalba 290"]


def test_of_two_named_models_each_manual_must_hold_its_own():
    found = of("Which tolerates the larger bubble, the Stillaro S30 or the Stillaro S60?")
    assert {identity.codes for identity in found} == {1.0}
    assert {identity.named for identity in found} == {frozenset({"s30"}), frozenset({"s60"})}


def test_a_missing_second_model_is_still_asked_for():
    assert max(identity.codes for identity in of("Is the S30 or the S50 larger?")) == 0.5


def test_an_alarm_code_must_stand_in_the_sentence():
    own = [identity.own_codes for identity in of("What does A02 mean on a Stillaro S30?")]
    assert own == [0.0, 1.0, 0.0, 0.0]


def candidate(passage: int, start: int, text: str = "") -> Candidate:
    return Candidate(passage, start, start + 5, text or f"text {passage} {start}", "")


def table(scores: list[float]) -> np.ndarray:
    columns = np.zeros((len(scores), len(FEATURES)))
    columns[:, 0] = scores
    return columns


def identity(*named: str) -> Identity:
    return Identity(1, 1, frozenset(named))


def test_the_best_and_the_nearly_as_good_in_source_order():
    found = [candidate(0, 50), candidate(0, 10), candidate(1, 0)]
    judgment = decide(found, [identity()] * 3, table([2.0, 1.8, 0.0]), PLAIN, True)
    assert [judgment.candidates[row].start for row in judgment.chosen] == [10, 50]


def test_each_named_document_gives_its_best():
    found = [candidate(0, 0), candidate(0, 10), candidate(1, 20)]
    named = [identity("s30"), identity("s30"), identity("s60")]
    judgment = decide(found, named, table([3.0, 0.0, -5.0]), PLAIN, True)
    assert [judgment.candidates[row].start for row in judgment.chosen] == [0, 20]


def test_the_same_words_are_quoted_once():
    found = [candidate(0, 0, "Same."), candidate(1, 0, "Same.")]
    assert len(decide(found, [identity()] * 2, table([1.0, 1.0]), PLAIN, True).chosen) == 1


def test_the_same_words_of_two_named_documents_are_both_quoted():
    found = [candidate(0, 0, "Same."), candidate(1, 0, "Same.")]
    assert len(decide(found, [identity("s30"), identity("s60")], table([1.0, 0.5]), PLAIN, True).chosen) == 2


def test_nothing_found_is_not_answerable():
    judgment = decide([], [], np.zeros((0, len(FEATURES))), PLAIN, True)
    assert (judgment.probability, judgment.chosen, judgment.answerable) == (0.0, (), False)


def test_shipped_weights_prefer_what_they_should():
    for local in (True, False):
        weights = load_weights(local)
        choice = dict(zip(FEATURES, weights.choice.weights, strict=True))
        assert choice["cosine_in_context"] > 0
        assert choice["coverage"] > 0
        assert choice["codes"] > 0
        assert 0 < weights.ratio <= 1 <= weights.most
    assert load_weights(False).choice.weights[-1] == 0.0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(-20, 20), st.integers(0, 3), st.sampled_from(["", "a", "b"])), max_size=12))
def test_choice_is_bounded_and_ordered(rows):
    found = [candidate(passage, index * 10) for index, (_, passage, _) in enumerate(rows)]
    named = [identity(*name) for _, _, name in rows]
    judgment = decide(found, named, table([score for score, _, _ in rows]), PLAIN, True)
    assert len(set(judgment.chosen)) == len(judgment.chosen) <= PLAIN.most
    assert bool(judgment.chosen) == bool(rows)
    assert all(first >= second for first, second in pairwise(judgment.scores))
    places = [(judgment.candidates[row].passage, judgment.candidates[row].start) for row in judgment.chosen]
    for passage in {passage for passage, _ in places}:
        starts = [start for other, start in places if other == passage]
        assert starts == sorted(starts)


@given(st.lists(st.floats(-700, 700), max_size=10))
def test_shares_are_a_distribution(scores):
    belief = shares(scores)
    assert (belief >= 0).all()
    assert not scores or abs(belief.sum() - 1) < 1e-9
