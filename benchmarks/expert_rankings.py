"""Do automatic measures rank answers as law experts do? Spearman on AQuAECHR's annotated batches.

    python benchmarks/expert_rankings.py --data DIR [--support MODEL] [--bert-score MODEL] --json

Each batch holds four systems' answers to one question, ranked by experts for correctness, faithfulness and relevance of
citations. Measures are ranked within their batch (ties share a rank); the correlation is over all answers, its 95 %
interval a bootstrap over batches. The authors' own figures, with an 11 B entailment model: citation recall .38,
groundedness .32 and .26, exact match of citations .10, claim recall .09.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata, spearmanr

from fonte.citations.support import load_support
from fonte.measures import (
    AQUAECHR,
    CitedAnswer,
    CitedPassage,
    CitedSentence,
    bert_score,
    case_blocks,
    citation_match,
    citation_pairs,
    citation_similarity,
    citation_support,
    claim_pairs,
    claim_recall,
    claims_of,
    known_support,
    rouge_l,
)
from fonte.measures.citation_similarity import similarity_pairs

AGAINST = {
    "claim_recall": "rank_correctness",
    "rouge_l": "rank_correctness",
    "bert_score": "rank_correctness",
    "citation_recall": "rank_faithfulness",
    "citation_precision": "rank_faithfulness",
    "citation_match_f1": "rank_citation_relevance",
    "citation_similarity": "rank_citation_relevance",
}


@dataclass(frozen=True)
class Row:
    """One measure beside the experts' ranking that it is meant for."""

    measure: str
    experts: str
    n: int
    spearman: float
    low: float
    high: float


def main() -> int:
    """Measure every answer, correlate, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds aquaechr/")
    parser.add_argument("--support", help="support model; without it, the overlap of the quote")
    parser.add_argument("--bert-score", dest="encoder", help="encoder for BERTScore")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    folder = options.data / "aquaechr"
    if not folder.is_dir():
        print(f"developer data not found ({folder}): nothing to measure", file=sys.stderr)
        return 2
    rows = _correlate(_measured(folder, options), options.encoder is not None)
    if options.json:
        print(json.dumps({"rows": [asdict(row) for row in rows], "scorer": load_support(options.support).name}))
        return 0
    for row in rows:
        print(f"{row.measure:20} {row.experts:24} n {row.n}  {row.spearman:+.3f} [{row.low:+.3f}, {row.high:+.3f}]")
    return 0


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _measured(folder: Path, options: argparse.Namespace) -> list[list[dict[str, float]]]:
    """Return, batch by batch, the experts' ranks and the measures of every answer."""
    pool = {
        (row["case_id"], row["paragraph_number"]): CitedPassage(
            f"{row['case_id']}#{row['paragraph_number']}", row["text"], "", row["case_id"]
        )
        for row in _lines(folder / "paragraph_pool.jsonl")
    }
    questions = {row["question_number"]: row for row in _lines(folder / "questions.jsonl")}
    batches = _lines(folder / "expert_rankings.jsonl")
    answers = [
        [(one, _cited(one, pool), questions[batch["question_number"]]) for one in batch["generations"]]
        for batch in batches
    ]
    flat = [answer for batch in answers for answer in batch]
    support = known_support(_pairs(flat, pool), load_support(options.support))
    encode = _encoder(options.encoder, flat)
    return [[_scores(answer, pool, support, encode) for answer in batch] for batch in answers]


def _cited(generation: dict[str, Any], pool: dict[Any, CitedPassage]) -> CitedAnswer:
    sentences = []
    for part in generation["sentences"]:
        keys = [tuple(key) for key in part["citations"]]
        known = tuple(pool[key] for key in keys if key in pool)
        sentences.append(CitedSentence(part["sentence"], known, len(keys) - len(known)))
    return CitedAnswer(tuple(sentences))


def _gold(question: dict[str, Any], pool: dict[Any, CitedPassage]) -> list[CitedPassage]:
    keys = [(one["case_id"], one["paragraph_number"]) for one in question["gold"]]
    return [pool[key] for key in keys if key in pool]


def _pairs(answers: Sequence[Any], pool: dict[Any, CitedPassage]) -> list[tuple[str, str]]:
    pairs = citation_pairs([cited for _, cited, _ in answers], AQUAECHR)
    for generation, cited, question in answers:
        pairs += claim_pairs(generation["answer"], claims_of(question["answer"]))
        pairs += similarity_pairs(case_blocks(_gold(question, pool)), cited.cited)
    return pairs


def _encoder(name: str | None, answers: Sequence[Any]) -> Any:
    if name is None:
        return None
    from fonte.measures.token_encoder import TokenEncoder

    texts = list(dict.fromkeys(text for one, _, question in answers for text in (one["answer"], question["answer"])))
    known = dict(zip(texts, TokenEncoder.from_pretrained(name)(texts), strict=True))
    return lambda wanted: [known[text] for text in wanted]


def _scores(answer: Any, pool: dict[Any, CitedPassage], support: Any, encode: Any) -> dict[str, float]:
    generation, cited, question = answer
    gold = _gold(question, pool)
    both = citation_support(cited, support, AQUAECHR)
    match = citation_match([one.id for one in cited.cited], [one.id for one in gold], cited.all_invented)
    found = {
        "claim_recall": claim_recall(generation["answer"], claims_of(question["answer"]), support),
        "rouge_l": rouge_l(generation["answer"], [question["answer"]]),
        "citation_recall": both.recall,
        "citation_precision": both.precision,
        "citation_match_f1": match.f1,
        "citation_similarity": citation_similarity(case_blocks(gold), cited.cited, support),
    }
    if encode:
        found["bert_score"] = bert_score(generation["answer"], [question["answer"]], encode)
    values = {name: score.value or 0.0 for name, score in found.items()}
    return values | {name: float(generation[name]) for name in set(AGAINST.values())}


def _correlate(batches: list[list[dict[str, float]]], with_bert: bool) -> list[Row]:
    rows = []
    for measure, experts in AGAINST.items():
        if measure == "bert_score" and not with_bert:
            continue
        ranks = [
            (rankdata([-one[measure] for one in batch]), np.array([one[experts] for one in batch])) for batch in batches
        ]
        random = np.random.default_rng(0)
        samples = [_spearman([ranks[i] for i in random.integers(0, len(ranks), len(ranks))]) for _ in range(1000)]
        low, high = np.quantile(samples, [0.025, 0.975])
        count = sum(len(batch) for batch in batches)
        rows.append(Row(measure, experts, count, _spearman(ranks), float(low), float(high)))
    return rows


def _spearman(ranks: Sequence[tuple[np.ndarray, np.ndarray]]) -> float:
    ours, theirs = np.concatenate([a for a, _ in ranks]), np.concatenate([b for _, b in ranks])
    return float(spearmanr(ours, theirs).statistic) if np.ptp(ours) and np.ptp(theirs) else 0.0


if __name__ == "__main__":
    sys.exit(main())
