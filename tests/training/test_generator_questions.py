"""What a generator is measured on was never evidence in its training."""

import json

import pytest

from benchmarks.generator_questions import APART, FILES, apart, development, training
from fonte.evaluation.questions import Question, QuestionPassage


def question(name, *gold, other=()):
    passages = [QuestionPassage(f"g{text}", text, gold=True) for text in gold]
    return Question(name, "?", ("x",), (*passages, *(QuestionPassage(f"o{text}", text) for text in other)))


@pytest.mark.parametrize("text", ["The tower is 41 m high.", "the  Tower is\n41 m high", "“Tower is 41 m high.”"])
def test_a_shared_gold_passage_is_found_however_it_is_written(text):
    measured = [question("dev", "The tower is 41 m high.", "Rossi built it.")]
    rows = [question("shared", "Another.", text), question("apart", "The tower is 14 m high.", other=(text,))]
    assert [one.id for one in apart(rows, measured)] == ["apart"]


def test_distractors_and_empty_passages_are_no_evidence():
    measured = [question("dev", "...", other=("The tower is 41 m high.",))]
    rows = [question("one", "The tower is 41 m high."), question("two", "!"), question("three")]
    assert apart(rows, measured) == rows
    assert apart(rows, []) == rows
    assert apart([], measured) == []


def test_training_rows_share_no_gold_passage_with_any_development_question(tmp_path):
    path = tmp_path / FILES["nq_oracle"]
    path.parent.mkdir()
    rows = [
        {
            "id": str(number),
            "question": f"{number}?",
            "answers": ["x"],
            "passages": [{"id": "p", "text": f"Passage {number % 450}.", "gold": True}],
        }
        for number in range(500)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    kept, shared = training(tmp_path, "nq_oracle", ["nq_oracle"])
    measured = development(tmp_path, "nq_oracle")
    texts = {one.passages[0].text for one in measured}
    assert len(measured) == APART["nq_oracle"]
    assert shared > 0
    assert len(kept) + shared + len(measured) == len(rows)
    assert not {one.id for one in kept} & {one.id for one in measured}
    assert not {one.passages[0].text for one in kept} & texts
    assert len(training(tmp_path, "nq_oracle")[0]) == len(kept) + shared
