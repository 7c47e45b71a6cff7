"""Where documents begin in a stream: right ones, none in single documents, and what a model is asked."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.chunking.chop import Continuity, calibrated, decide
from fonte.chunking.chop.continuity import WEIGHTS
from fonte.chunking.chop.evidence import NAMES, Evidence, Present
from tests.chunking.chop.manuals import DEVICES, manual, stream


def begins(gaps):
    return [unit for unit, gap in enumerate(gaps) if gap.decision in ("start", "new")]


@pytest.mark.parametrize("seed", range(6))
def test_covers_of_manuals_that_repeat_each_other(seed):
    units, starts, _ = stream(seed)
    assert begins(decide(units)) == starts


@pytest.mark.parametrize("seed", range(6))
def test_one_manual_is_one_document(seed):
    assert begins(decide([f"{DEVICES[seed]} user manual", *manual(seed)])) == [0]


def test_an_announced_part_is_no_cover():
    units = [
        "Ardesa 210 user manual",
        "Contents Ardesa 210 Ardesa 230 Cleaning",
        "Ardesa 210",
        "Ardesa 230",
        *manual(3),
    ]
    others = stream(1, [name for name in DEVICES if not name.startswith("Ardesa")])[0]
    found = begins(decide([*units, *others]))
    assert found[0] == 0
    assert not {2, 3} & set(found)


def test_a_bare_cover_with_the_beginning_of_the_last_name_is_another_device():
    """The Galaxy S8 after the Galaxy S8 Active, unless that manual calls its own device so."""
    others = ["Ardesa 210", *manual(2), "Belcanto K5 user manual", *manual(3)]
    first = ["Ardesa 210 Duo", *manual(1)]
    assert len(first) in begins(decide([*first, *others]))
    first = ["Ardesa 210 Duo", *manual(1), "The Ardesa 210 takes two filters.", *manual(4)]
    assert len(first) not in begins(decide([*first, *others]))


@given(st.lists(st.text(max_size=40), max_size=12))
@settings(deadline=None)
def test_any_text_gives_a_decision_per_unit(units):
    gaps = decide(units)
    assert len(gaps) == len(units)
    assert all(0.0 <= gap.probability <= 1.0 for gap in gaps)
    assert [gap.decision for gap in gaps[:1]] == ["start"] * bool(units)
    assert decide(units) == gaps


def test_a_model_is_asked_only_inside_the_band_and_believed():
    units, starts, _ = stream(2)
    wide = Continuity(same=0.0001, new=0.9999)
    asked = []

    def ask(gap):
        asked.append(gap)
        return float(gap in starts)

    gaps = decide(units, wide, ask)
    assert 0 < len(asked) < len(units)
    assert {gap.decided_by for gap in gaps} == {"file", "text", "model"}
    assert begins(gaps) == starts
    silent = decide(units, wide)
    assert {unit for unit, gap in enumerate(silent) if gap.decision == "undecided"} <= set(asked) | set(
        range(len(units))
    )


def test_evidence_has_a_name_for_each_number():
    evidence = Evidence(stream(0)[0])
    assert evidence.at(3, Present()).shape == (len(NAMES),) == (len(WEIGHTS),)


def test_calibration_needs_files_and_moves_probabilities_the_right_way():
    documents = [[f"{name} user manual", *manual(seed)] for seed, name in enumerate(DEVICES)]
    assert calibrated(documents[:3]) == Continuity()
    model = calibrated(documents)
    assert model == calibrated(documents)
    units, starts, _ = stream(5)
    assert begins(decide(units, model)) == starts
    doubtful = calibrated(documents, Continuity(shift=-4.0))
    assert doubtful.shift > -4.0 * doubtful.slope  # boundaries that were thought unlikely are there
