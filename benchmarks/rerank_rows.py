"""From orders of candidates to the rows of the re-ranking benchmark, with intervals and paired differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rerank_cache import FloatArray
from rerank_retrieval import Candidates

from fonte.measures import ndcg, paired_bootstrap, permutation_p, recall, smallest_detectable
from fonte.measures.score import bootstrap

SHUFFLES = 20
POOLS = ("retrieved", "gold_added")
MEASURES = ("gold_rank", "recall@10", "mrr", "ndcg@10")
ANSWER_MEASURES = ("citation_faithfulness", "citation_similarity", "rouge_l", "bertscore", "claim_recall")

# From an item's candidates and pool to the scores of its keys, in the order of `keys_of`.
Scores = Callable[[Candidates, str], FloatArray]


@dataclass(frozen=True)
class Ranker:
    """A name, the language model whose behaviour it learnt (None: none), and how it scores.

    `answers` are the measures of answers by question, `plain` those of the same model with retrieval's order.
    """

    name: str
    language_model: str | None
    scores: Scores
    seconds: float | None = None
    answers: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    plain: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def keys_of(candidates: Candidates, pool: str) -> tuple[str, ...]:
    """Return the keys that are ranked: those retrieved, or these and the gold ones that retrieval missed."""
    return candidates.keys + (candidates.added if pool == "gold_added" else ())


def similarities_of(candidates: Candidates, pool: str) -> FloatArray:
    """Return the similarities of `keys_of`."""
    more = candidates.added_similarities if pool == "gold_added" else ()
    return np.array([*candidates.similarities, *more], dtype=np.float64)


def per_question(ranker: Ranker, candidates: Candidates, pool: str) -> dict[str, float]:
    """Return rank of the first gold passage, Recall@10, reciprocal rank and NDCG@10 of one question.

    The random order is the mean of twenty.
    """
    keys = keys_of(candidates, pool)
    if ranker.name != "random":
        return _measures(candidates, [keys[number] for number in _order(ranker.scores(candidates, pool))])
    seed = int.from_bytes(candidates.item.id.encode()[-7:], "little")
    generator = np.random.default_rng(seed)
    drawn = [_measures(candidates, [keys[i] for i in generator.permutation(len(keys))]) for _ in range(SHUFFLES)]
    return {name: float(np.mean([one[name] for one in drawn])) for name in drawn[0]}


def _order(scores: FloatArray) -> list[int]:
    return [int(number) for number in np.argsort(-scores, kind="stable")]


def _measures(candidates: Candidates, ranking: list[str]) -> dict[str, float]:
    gold = candidates.item.gold
    relevance = dict.fromkeys(sorted(gold), 1)
    first = next(rank for rank, key in enumerate(ranking, start=1) if key in gold)
    values = {"recall@10": recall(ranking, relevance, 10).value, "ndcg@10": ndcg(ranking, relevance, 10).value}
    return {
        "gold_rank": float(first),
        "mrr": 1 / first,
        **{name: float(value or 0.0) for name, value in values.items()},
    }


def row(
    set_name: str, pool: str, gold: str, ranker: Ranker, found: Mapping[str, Mapping[str, float]], recall_at: float
) -> dict[str, Any]:
    """Return one row; a measure that was not made is null."""
    ranks = np.array([one["gold_rank"] for one in found.values()])
    low, high = bootstrap(ranks, np.mean) if len(ranks) > 1 else (None, None)
    means = {name: _mean([one[name] for one in found.values()]) for name in ("recall@10", "mrr", "ndcg@10")}
    answers = {name: _mean([one[name] for one in ranker.answers.values() if name in one]) for name in ANSWER_MEASURES}
    return {
        "set": set_name,
        "pool": pool,
        "gold": gold,
        "ranker": ranker.name,
        "language_model": ranker.language_model,
        "n": len(found),
        "recall@50": round(recall_at, 4),
        "gold_rank_mean": _mean(ranks),
        "gold_rank_low": _round(low),
        "gold_rank_high": _round(high),
        **means,
        **(answers if pool == "retrieved" and gold == "all" else dict.fromkeys(ANSWER_MEASURES)),
        "seconds_per_query": _round(ranker.seconds),
    }


def curve_row(language_model: str, found: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """Return a point of a learning curve: mean rank of gold with its interval, and MRR."""
    ranks = np.array([one["gold_rank"] for one in found.values()])
    low, high = bootstrap(ranks, np.mean) if len(ranks) > 1 else (None, None)
    return {
        "language_model": language_model,
        "n": len(found),
        "gold_rank_mean": _mean(ranks),
        "gold_rank_low": _round(low),
        "gold_rank_high": _round(high),
        "mrr": _mean([one["mrr"] for one in found.values()]),
    }


def answer_comparisons(rankers: Sequence[Ranker]) -> Iterator[dict[str, Any]]:
    """Yield the paired differences of the answers that a ranker's order gives from those of retrieval's order.

    Both are by the same language model: the ranker's, or the first where it has none.
    """
    for ranker in rankers:
        for measure in ANSWER_MEASURES if ranker.answers and ranker.name != "retrieval" else ():
            head = {"ranker": ranker.name, "language_model": ranker.language_model, "measure": measure}
            yield {**head, "against": "retrieval", **comparison(ranker.answers, ranker.plain, measure)}


def comparison(
    first: Mapping[str, Mapping[str, float]], second: Mapping[str, Mapping[str, float]], measure: str = "gold_rank"
) -> dict[str, Any]:
    """Return the paired difference first minus second, with interval, p and the smallest that could have been seen."""
    shared = [name for name in first if name in second and measure in first[name] and measure in second[name]]
    differences = [first[name][measure] - second[name][measure] for name in shared]
    if len(differences) < 2:
        return {"n": len(differences), "status": "not_compared", "reason": "fewer than two questions in both"}
    low, high = paired_bootstrap(differences)
    return {
        "n": len(differences),
        "status": "compared",
        "difference": _mean(differences),
        "low": _round(low),
        "high": _round(high),
        "p": _round(permutation_p(differences)),
        "smallest_detectable": _round(smallest_detectable(differences)),
    }


def _mean(values: Sequence[float] | FloatArray) -> float | None:
    return _round(float(np.mean(values))) if len(values) else None


def _round(value: float | None) -> float | None:
    return None if value is None else round(float(value), 4)
