"""Retrieval measures against ranx, ir-measures and scikit-learn."""

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from fonte.errors import UsageError
from fonte.measures import (
    average_precision,
    expected_rank,
    hit,
    mean_rank,
    ndcg,
    order,
    precision,
    recall,
    reciprocal_rank,
)
from fonte.measures.retrieval import gains

MEASURES = {
    "Success@{k}": lambda ranking, grades, k: hit(ranking, grades, k),
    "R@{k}": lambda ranking, grades, k: recall(ranking, grades, k),
    "P@{k}": lambda ranking, grades, k: precision(ranking, grades, k),
    "nDCG@{k}": lambda ranking, grades, k: ndcg(ranking, grades, k),
    "nDCG": lambda ranking, grades, k: ndcg(ranking, grades),
    "RR": lambda ranking, grades, k: reciprocal_rank(ranking, grades),
    "AP": lambda ranking, grades, k: average_precision(ranking, grades),
    "AP@{k}": lambda ranking, grades, k: average_precision(ranking, grades, k),
}


def random_set(seed, questions=30, documents=60):
    random = np.random.default_rng(seed)
    names = [f"d{number}" for number in range(documents)]
    qrels, run = {}, {}
    for question in range(questions):
        judged = random.choice(names, size=random.integers(1, 20), replace=False)
        grades = {name: int(grade) for name, grade in zip(judged, random.integers(-1, 4, len(judged)), strict=True)}
        grades[str(judged[0])] = int(random.integers(1, 4))
        found = random.choice(names, size=random.integers(1, 40), replace=False)
        scores = random.integers(0, 12, len(found)) / 4  # few distinct values: many ties
        qrels[f"q{question}"] = {str(name): grade for name, grade in grades.items()}
        run[f"q{question}"] = {str(name): float(score) for name, score in zip(found, scores, strict=True)}
    return run, qrels


@pytest.mark.parametrize("k", [1, 3, 10, 1000])
@pytest.mark.parametrize("name", MEASURES)
def test_equals_ir_measures_also_with_ties_grades_below_zero_and_k_above_n(name, k):
    run, qrels = random_set(k)
    theirs = {
        value.query_id: value.value
        for value in ir_measures.iter_calc([ir_measures.parse_measure(name.format(k=k))], qrels, run)
    }
    ours = {question: MEASURES[name](order(run[question]), qrels[question], k).value for question in qrels}
    assert ours == pytest.approx(theirs, abs=1e-6)


def test_equals_ranx_without_ties():
    k = 5
    from ranx import Qrels, Run, evaluate

    run, qrels = random_set(k + 1)
    random = np.random.default_rng(0)
    run = {question: {name: float(random.random()) for name in scores} for question, scores in run.items()}
    qrels = {question: {name: max(0, grade) for name, grade in grades.items()} for question, grades in qrels.items()}
    names = [f"hit_rate@{k}", f"recall@{k}", f"ndcg@{k}", f"ndcg_burges@{k}", "mrr"]  # each is compiled: keep few
    theirs = evaluate(Qrels(qrels), Run(run), names)
    ours = {
        names[0]: hit,
        names[1]: recall,
        names[2]: ndcg,
        names[3]: lambda ranking, grades, k: ndcg(ranking, grades, k, gain="exponential"),
        names[4]: lambda ranking, grades, k: reciprocal_rank(ranking, grades),
    }
    for name, function in ours.items():
        mean = np.mean([function(order(run[question]), qrels[question], k).value for question in qrels])
        assert mean == pytest.approx(theirs[name], abs=1e-9), name


def test_ndcg_equals_scikit_learn_on_full_rankings():
    random = np.random.default_rng(3)
    for _ in range(20):
        grades, scores = random.integers(0, 4, 12), random.permutation(12)
        if grades.any():
            names = [str(position) for position in range(12)]
            ranking = order(dict(zip(names, scores.astype(float), strict=True)))
            ours = ndcg(ranking, dict(zip(names, map(int, grades), strict=True)), 5).value
            assert ours == pytest.approx(ndcg_score([grades], [scores], k=5))


def test_the_ideal_is_global():
    assert ndcg(["a"], {"a": 1, "b": 3}).value < 1
    assert recall(["a"], {"a": 1, "b": 1}, 1).value == 0.5


def test_nothing_relevant_is_no_score_and_nothing_found_is_zero():
    for function in (hit, recall, precision, ndcg, reciprocal_rank, average_precision):
        assert function(["a"], {"a": 0}, 3).status == "not_applicable"
        assert function(["a"], {}, 3).value is None
        assert function([], {"a": 1}, 3).value == 0
        with pytest.raises(UsageError, match="k counts from 1"):
            function(["a"], {"a": 1}, 0)


@given(st.lists(st.sampled_from("abcdef"), max_size=12), st.dictionaries(st.sampled_from("abcdef"), st.integers(-1, 3)))
@settings(max_examples=100, deadline=None)
def test_repeating_a_document_never_helps(ranking, grades):
    once = list(dict.fromkeys(ranking))
    for function in (hit, recall, precision, ndcg, average_precision):
        repeated, plain = function(ranking, grades, 5), function(once, grades, 5)
        assert repeated.status == plain.status
        assert repeated.value is None or 0 <= repeated.value <= plain.value + 1e-12 <= 1 + 2e-12


def test_repeated_documents_take_up_their_rank():
    assert gains(["a", "a", "b"], {"a": 1, "b": 1}) == [1, 0, 1]


def test_order_refuses_what_is_no_number_and_breaks_ties_as_trec_eval():
    assert order({"a": 1.0, "c": 1.0, "b": 2.0}) == ["b", "c", "a"]
    with pytest.raises(UsageError, match="nan"):
        order({"a": float("nan")})


def test_mean_rank_counts_what_is_missing_only_with_a_known_pool():
    ranking = ["a", "b", "c"]
    assert mean_rank(ranking, {"a": 1, "c": 1}).value == 2
    assert mean_rank(ranking, {"a": 1, "z": 1}).status == "not_scored"
    assert mean_rank(ranking, {"z": 1}, pool=10).value == 7  # the mean of the ranks 4 to 10
    assert mean_rank(["a", "a", "b"], {"b": 1}).value == 2
    with pytest.raises(UsageError, match="pool of 3"):
        mean_rank(ranking, {"z": 1}, pool=3)


def test_the_expected_rank_is_that_of_random_orders():
    random = np.random.default_rng(0)
    ranks = np.array([random.permutation(20)[:3] + 1 for _ in range(20000)])
    mean, first = expected_rank(20, 3)
    assert ranks.mean() == pytest.approx(mean, abs=0.1)
    assert ranks.min(axis=1).mean() == pytest.approx(first, abs=0.1)
