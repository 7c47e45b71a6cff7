"""Training a re-ranker at toy size: every loss, resuming, folds, and a model that plain sentence-transformers loads."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonte.errors import UsageError
from fonte.training.reranker_folds import grouped_folds, together
from fonte.training.reranker_targets import (
    QuestionTargets,
    TargetFile,
    TargetPassage,
    interval_weights,
    scaled,
    target_rows,
)
from fonte.values import content_id

THINGS = ["filter", "battery", "light", "button", "table", "machine", "court", "party"]
EFFECTS = st.lists(st.floats(-50, 50, allow_nan=False).map(lambda value: round(value, 3)), min_size=1, max_size=12)


def question(number=0, effects=(3.0, 0.5, -0.25, 0.1), gold=(True, False, False, False), groups=()):
    """A question about one thing; the passage about it has the largest effect."""
    things = [THINGS[(number + other) % len(THINGS)] for other in range(len(effects))]
    texts = [f"{'Press' if at == 0 else 'Store'} the {thing}." for at, thing in enumerate(things)]
    passages = tuple(
        TargetPassage(
            f"p{at}",
            f"{'Press' if at == 0 else 'Store'} the {text}.",
            effect,
            effect - 0.2,
            effect + 0.2,
            mark,
            "a.md",
            at + 1,
        )
        for at, (text, effect, mark) in enumerate(zip(texts, effects, gold, strict=True))
    )
    asked = f"Is the {THINGS[number % len(THINGS)]} clean?"
    return QuestionTargets(f"q{number}", asked, "Yes.", passages, groups, ("tiny", "f00"), "leave_one_out")


@given(st.dictionaries(st.text(max_size=4), st.lists(st.sampled_from("abcdefgh"), max_size=2), max_size=30))
def test_what_shares_a_group_stays_together(groups):
    members = together(groups)
    assert sorted(name for group in members for name in group) == sorted(groups)
    owner = {name: number for number, group in enumerate(members) for name in group}
    for first in groups:
        for second in groups:
            if set(groups[first]) & set(groups[second]):
                assert owner[first] == owner[second]
    if len(members) >= 3:
        folds = grouped_folds(groups, 3)
        assert set(folds.values()) == {0, 1, 2}
        assert all(len({folds[name] for name in group}) == 1 for group in members)
        assert grouped_folds(dict(reversed(list(groups.items()))), 3) == folds


def test_folds_are_even_where_groups_allow():
    folds = grouped_folds({str(number): () for number in range(103)}, 5)
    assert sorted(list(folds.values()).count(fold) for fold in range(5)) == [20, 20, 21, 21, 21]
    with pytest.raises(UsageError, match="cannot make 5 folds"):
        grouped_folds({str(number): ("same",) for number in range(20)}, 5)


@given(EFFECTS)
def test_scales_keep_the_order(effects):
    asked = question(effects=tuple(effects), gold=(None,) * len(effects))
    raw, standard, ranks = (scaled(asked, scale) for scale in ("raw", "standardised", "ranks"))
    np.testing.assert_array_equal(raw, effects)
    order = np.argsort(raw, kind="stable")
    for values in (standard, ranks):
        assert np.isfinite(values).all()
        assert (np.diff(values[order]) >= -1e-9).all()
    assert ranks.mean() == pytest.approx(0.5)
    if np.std(effects) > 1e-6:
        assert (standard.mean(), standard.std()) == pytest.approx((0, 1), abs=1e-6)


def test_gold_is_mixed_in_on_the_scale_of_the_targets():
    asked = question(effects=(0.0, 1.0, 2.0, 3.0))
    np.testing.assert_allclose(scaled(asked, "ranks", 1.0), [1, 1 / 3, 1 / 3, 1 / 3])
    np.testing.assert_allclose(scaled(asked, "ranks", 0.5), [0.5, 1 / 3, 0.5, 2 / 3])
    full = scaled(asked, "raw", 1.0)
    assert (full.mean(), full.std()) == pytest.approx((1.5, np.std([0, 1, 2, 3])))
    unjudged = question(effects=(0.0, 1.0), gold=(True, None))
    np.testing.assert_array_equal(scaled(unjudged, "raw", 0.9), [0, 1])
    with pytest.raises(UsageError, match="from 0 to 1"):
        scaled(asked, "raw", 2.0)


def test_uncertain_targets_count_less():
    asked = question()
    sure = replace(asked.passages[0], low=2.99, high=3.01)
    weights = interval_weights(
        replace(asked, passages=(sure, replace(asked.passages[1], low=-5.0), *asked.passages[2:]))
    )
    assert weights.mean() == pytest.approx(1)
    assert weights[0] > weights[2] > weights[1]


def test_a_file_of_targets_survives_a_kill(tmp_path):
    file = TargetFile(tmp_path / "targets.jsonl")
    assert file.read() == []
    for number in range(3):
        file.append(question(number, groups=("a", "b")))
    content = file.path.read_bytes()
    for cut in (1, 40, 1000):
        file.path.write_bytes(content[:-cut])
        left = file.read()
        assert left == [question(number, groups=("a", "b")) for number in range(len(left))]
        asked = []

        def measure(name, asked=asked):
            asked.append(name)
            return question(int(name[1:]), groups=("a", "b"))

        names = ["q0", "q1", "q2"]
        assert [found.id for found in file.measured(names, measure)] == names
        assert asked == names[len(left) :]
        assert len(file.read()) == 3
    file.path.write_text('{"id": 3}\n')
    with pytest.raises(UsageError, match="line 1"):
        file.read()


def test_rows_for_datasets(tmp_path):
    datasets = pytest.importorskip("datasets")
    from fonte.training.reranker_dataset import write_dataset

    write_dataset([question(0), question(1)], tmp_path / "training" / "targets.parquet")
    rows = datasets.Dataset.from_parquet(str(tmp_path / "training" / "targets.parquet"), cache_dir=str(tmp_path))
    assert rows.to_list() == list(target_rows([question(0), question(1)]))
    assert len(rows) == 8
    assert {"question", "passage_id", "text", "target", "low", "high", "model", "seed", "prompt"} <= set(
        rows.column_names
    )


@pytest.mark.parametrize("loss", ["mse", "weighted_mse", "margin_mse", "list_net", "cross_entropy"])
def test_every_loss_learns_which_passage_is_meant(tmp_path, loss):
    pytest.importorskip("datasets")
    from fonte.training.reranker import RerankerTraining, train_reranker
    from tests.tiny import tiny_reranker_folder

    scale = "ranks" if loss == "cross_entropy" else "standardised"
    settings = RerankerTraining(
        str(tiny_reranker_folder()), loss, scale, epochs=4, learning_rate=3e-3, window=48, precision="float32"
    )
    questions = [question(number) for number in range(8)]
    report = train_reranker(questions, tmp_path / "out", settings, questions[:4])
    assert (report.questions, report.pairs, report.watched) == (8, 32, 4)
    assert report.concordance > 0.5
    assert not (tmp_path / "out.training").exists()


def test_nothing_is_printed_when_training_starts_from_an_embedder(tmp_path, capfd, caplog):
    pytest.importorskip("datasets")
    from fonte.training.reranker import RerankerTraining, train_reranker
    from tests.tiny import tiny_embedder_folder

    settings = RerankerTraining(str(tiny_embedder_folder()), epochs=1, window=48, precision="float32")
    capfd.readouterr()  # what making the embedder printed
    train_reranker([question(number) for number in range(3)], tmp_path / "out", settings)
    assert capfd.readouterr() == ("", "")
    assert not caplog.records  # each would be a line on stderr


def test_a_trained_model_loads_everywhere_and_says_what_it_is(tmp_path):
    pytest.importorskip("datasets")
    from sentence_transformers import CrossEncoder

    from fonte.models import Reranker
    from fonte.training.reranker import RerankerTraining, train_reranker
    from tests.tiny import tiny_embedder_folder

    settings = RerankerTraining(str(tiny_embedder_folder(64, 64)), epochs=1, window=48, seed=3)
    questions = [question(number) for number in range(4)]
    reports = [train_reranker(questions, tmp_path / name, settings) for name in ("one", "two")]
    assert reports[0].concordance is None
    pairs = [(one.question, passage.text) for one in questions for passage in one.passages]
    plain = CrossEncoder(str(tmp_path / "one"), device="cpu").predict(pairs)
    ours = [Reranker.from_pretrained(str(tmp_path / name)).predict(pairs) for name in ("one", "two")]
    np.testing.assert_allclose(ours[0], plain, atol=1e-5)
    np.testing.assert_allclose(ours[0], ours[1], atol=1e-6)
    card = (tmp_path / "one" / "README.md").read_text()
    assert "tiny" in card
    assert "Licence" in card
    note = json.loads((tmp_path / "one" / "reranker.json").read_text())
    assert note["questions"] == sorted(content_id(f"q{number}") for number in range(4))
    assert set(note["seen"]) == {mark for one in questions for mark in one.marks}
    with pytest.raises(UsageError, match="exists"):
        train_reranker(questions, tmp_path / "one", settings)
    with pytest.raises(UsageError, match="nothing to train on"):
        train_reranker([], tmp_path / "three", settings)


def test_an_unfinished_training_of_something_else_is_not_gone_on_with(tmp_path):
    pytest.importorskip("datasets")
    from fonte.training.reranker import RerankerTraining, train_reranker

    work = tmp_path / "out.training"
    work.mkdir()
    (work / "training.json").write_text("{}")
    with pytest.raises(UsageError, match="other settings or questions"):
        train_reranker([question()], tmp_path / "out", RerankerTraining("x"))


def test_a_checkpoint_that_a_kill_left_half_is_passed_over(tmp_path):
    pytest.importorskip("datasets")
    from fonte.training.reranker import RerankerTraining, train_reranker
    from tests.tiny import tiny_reranker_folder

    (tmp_path / "out.training" / "checkpoint-9").mkdir(parents=True)
    settings = RerankerTraining(str(tiny_reranker_folder()), epochs=1, window=48)
    assert train_reranker([question()], tmp_path / "out", settings).pairs == 4


def test_losses_that_do_not_take_the_targets_are_refused(tmp_path):
    pytest.importorskip("datasets")
    from fonte.training.reranker import RerankerTraining, train_reranker

    with pytest.raises(UsageError, match="choose one of: mse"):
        RerankerTraining(loss="hinge")
    with pytest.raises(UsageError, match="targets from 0 to 1"):
        train_reranker([question()], tmp_path / "out", RerankerTraining("x", "cross_entropy"))
    assert not (tmp_path / "out.training").exists()


def test_cross_validation_never_scores_what_it_has_seen(tmp_path):
    pytest.importorskip("datasets")
    from fonte.training.reranker import RerankerTraining, cross_validate
    from tests.tiny import tiny_reranker_folder

    questions = [question(number, groups=(f"gold {number % 6}",)) for number in range(12)]
    settings = RerankerTraining(str(tiny_reranker_folder()), epochs=1, window=48)
    models = cross_validate(questions, tmp_path, settings, folds=3)
    assert set(models) == {one.id for one in questions}
    for one in questions:
        seen = json.loads((models[one.id] / "reranker.json").read_text())["questions"]
        assert not {content_id(other.id) for other in questions if other.groups == one.groups} & set(seen)
        assert len(seen) > 2
    times = {path: path.stat().st_mtime_ns for path in models.values()}
    assert cross_validate(questions, tmp_path, settings, folds=3) == models
    assert {path: path.stat().st_mtime_ns for path in models.values()} == times


def test_a_learning_curve_learns_from_fewer_of_the_same_questions(tmp_path):
    pytest.importorskip("datasets")
    from fonte.training.reranker import RerankerTraining, cross_validate
    from tests.tiny import tiny_reranker_folder

    questions = [question(number, groups=(f"gold {number}",)) for number in range(12)]
    settings = RerankerTraining(str(tiny_reranker_folder()), epochs=1, window=48)
    learnt = {}
    for most in (2, 4, None):
        models = cross_validate(questions, tmp_path / str(most), settings, folds=3, watched_share=0, most=most)
        cards = {fold: (models[one.id] / "reranker.json").read_text() for one in questions for fold in [models[one.id]]}
        learnt[most] = {fold.name: set(json.loads(card)["questions"]) for fold, card in cards.items()}
    for fold, few in learnt[2].items():
        assert len(few) == 2
        assert few < learnt[4][fold] < learnt[None][fold]
        assert len(learnt[4][fold]) == 4


def test_a_large_group_is_learnt_from_and_not_watched():
    from fonte.training.reranker import split_watched

    questions = [question(number, groups=("large",) if number < 70 else (f"g{number}",)) for number in range(100)]
    learnt, watched = split_watched(questions, 0.15, 0)
    assert len(learnt) + len(watched) == 100
    assert 0 < len(watched) <= 30
    assert not {group for one in learnt for group in one.groups} & {group for one in watched for group in one.groups}
