"""The split of labelled pairs, and a whole training at toy size."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import UsageError
from fonte.training.support_pairs import LabelledPair, read_pairs, split_pairs

PAIRS = st.lists(
    st.builds(
        LabelledPair,
        st.uuids().map(str),
        st.sampled_from([f"Claim {number}." for number in range(30)]),
        st.just(("evidence",)),
        st.integers(0, 1),
        st.just("s"),
        st.sampled_from(["", *(f"question {number}?" for number in range(20))]),
    ),
    max_size=60,
)


@given(PAIRS, st.integers(0, 3))
@settings(max_examples=100, deadline=None)
def test_no_claim_and_no_question_is_on_two_sides(pairs, seed):
    sides = split_pairs(pairs, seed)
    assert sorted(pair.id for side in sides.values() for pair in side) == sorted(pair.id for pair in pairs)
    for part in ("claim", "question"):
        values = [{getattr(pair, part).casefold() for pair in side} - {""} for side in sides.values()]
        assert sum(map(len, values)) == len(set().union(*values))
    again = split_pairs(pairs[::-1], seed)
    assert {name: {pair.id for pair in side} for name, side in again.items()} == {
        name: {pair.id for pair in side} for name, side in sides.items()
    }


def test_shares_are_kept_over_many_groups():
    pairs = [LabelledPair(str(number), f"claim {number}", ("e",), 1) for number in range(3000)]
    sides = split_pairs(pairs)
    assert [len(sides[name]) / 3000 for name in ("train", "calibrate", "test")] == pytest.approx(
        [0.6, 0.15, 0.25], abs=0.03
    )


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_pairs_are_read_with_their_sources(tmp_path):
    rows = [
        {"id": "a", "claim": "c", "evidence": ["e", "f"], "label": 1, "src": "WiCE", "question": None},
        {"claim": "d", "evidence": [], "label": 0, "src": "Other", "question": "q"},
    ]
    path = write(tmp_path / "pairs.jsonl", rows)
    first, second = read_pairs(path)
    assert (first.premise, second.id, second.question) == ("e\n\nf", "2", "q")
    assert read_pairs(path, ["WiCE"]) == [first]
    with pytest.raises(UsageError, match="there are: Other, WiCE"):
        read_pairs(path, ["None"])
    with pytest.raises(UsageError, match="line 1: the label 2"):
        read_pairs(write(tmp_path / "bad.jsonl", [{**rows[0], "label": 2}]))


def toy_rows():
    """Pairs whose label shows in one word, so that any order of training and any number of threads learns it."""
    things = ["filter", "battery", "light", "button", "table", "machine", "court", "party"]
    rows = []
    for number in range(120):
        thing = things[number % 8]
        evidence = f"The {thing} is clean in step {number}. Store the {thing} in a dry place."
        claim = f"The {thing} is {'clean' if number % 2 else 'open'} in step {number}."
        rows.append(
            {
                "id": str(number),
                "claim": claim,
                "evidence": [evidence],
                "label": number % 2,
                "src": "WiCE",
                "question": f"question {number}?",
            }
        )
    return rows


def test_training_resumes_calibrates_and_loads(tmp_path, capsys):
    pytest.importorskip("datasets")
    from fonte.citations.support import load_support
    from fonte.training.support import SupportTraining, train_support
    from tests.tiny import tiny_embedder_folder

    pairs = write(tmp_path / "pairs.jsonl", toy_rows())
    base = str(tiny_embedder_folder(128, 128))
    settings_ = SupportTraining(base, epochs=6, batch_size=16, learning_rate=3e-3, window=64, shippable=True)
    output = tmp_path / "support"
    report = train_support(pairs, output, settings_)
    assert capsys.readouterr().out == "", "stdout is for answers"
    assert report.train + report.calibrate + report.test == 120
    assert 0 <= report.calibration_error <= 1
    assert "WiCE" in report.trained_on
    scorer = load_support(str(output))
    [score] = scorer.score([("The filter is clean.", "The filter is clean.")])
    assert score.calibrated
    assert 0 < score.value < 1
    assert not (tmp_path / "support.training").exists()
    with pytest.raises(UsageError, match="exists"):
        train_support(pairs, output, settings_)


def test_an_unfinished_training_of_something_else_is_not_gone_on_with(tmp_path):
    pytest.importorskip("datasets")
    from fonte.training.support import SupportTraining, train_support

    work = tmp_path / "support.training"
    work.mkdir()
    (work / "training.json").write_text(json.dumps({"base": "another"}))
    with pytest.raises(UsageError, match="other settings or pairs"):
        train_support(write(tmp_path / "pairs.jsonl", toy_rows()), tmp_path / "support", SupportTraining("x"))
