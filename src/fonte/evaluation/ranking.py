"""Retrieval measures over a run and its judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from fonte.errors import UsageError
from fonte.evaluation.measuring import Measured
from fonte.evaluation.questions import Question
from fonte.evaluation.trec import Qrels, Run
from fonte.measures.hit import hit
from fonte.measures.mean_rank import mean_rank
from fonte.measures.ndcg import ndcg
from fonte.measures.recall import recall
from fonte.measures.reciprocal_rank import average_precision, reciprocal_rank
from fonte.measures.retrieval import Relevance, order
from fonte.measures.score import Score, scored, summarise

DEPTHS = (1, 5, 10)

Function = Callable[[Sequence[str], Relevance], Score]


def measure_run(run: Run, qrels: Qrels, depths: Sequence[int] = DEPTHS, seed: int = 0) -> Measured:
    """Measure a run over every question that is judged; names are those of ir-measures.

    A judged question that the run does not hold counts as an empty ranking (0), not as absent; questions of the run
    that nobody judged are left out and counted in `notes`. `mean_rank_of_gold` has no name there. Errors: `UsageError`
    where run and judgments share no question.
    """
    if not run.keys() & qrels.keys():
        raise UsageError(
            f"Run and judgments share no question: the first of the run is {next(iter(run), '')!r}, the first judged "
            f"one {next(iter(qrels), '')!r}. Check that both belong to the same question set."
        )
    rankings = {question: order(run.get(question, {})) for question in qrels}
    measures = {
        name: summarise(
            {question: _one(function, rankings[question], qrels[question]) for question in qrels},
            bounds=None if name == "mean_rank_of_gold" else (0.0, 1.0),
            seed=seed,
        )
        for name, function in _functions(depths).items()
    }
    return Measured(measures, notes=_notes(run, qrels))


def qrels_of(questions: Sequence[Question]) -> Qrels:
    """Return the judgments that a question set holds itself: its gold passages, else its gold documents."""
    return {question.id: grades for question in questions if (grades := question.relevance)}


def _functions(depths: Sequence[int]) -> dict[str, Function]:
    return {
        **{f"Success@{k}": partial(hit, k=k) for k in depths},
        **{f"R@{k}": partial(recall, k=k) for k in depths},
        **{f"nDCG@{k}": partial(ndcg, k=k) for k in depths},
        "RR": reciprocal_rank,
        "AP": average_precision,
        "nDCG": ndcg,
        "mean_rank_of_gold": mean_rank,
    }


def _one(function: Function, ranking: Sequence[str], grades: Mapping[str, int]) -> Score:
    score = function(ranking, grades)
    return scored(score.value, "the run has no results") if score.value is not None and not ranking else score


def _notes(run: Run, qrels: Qrels) -> tuple[str, ...]:
    missing, unjudged = sum(name not in run for name in qrels), sum(name not in qrels for name in run)
    notes = []
    if missing:
        notes.append(f"{missing} of {len(qrels)} judged questions have no results in the run; they score 0.")
    if unjudged:
        notes.append(f"{unjudged} questions of the run are not judged; they are left out.")
    return tuple(notes)
