"""Measures: one per file, each a pure function that gives a value, or a status with the reason why there is none.

`summarise` turns the scores of a set into a mean with an interval; `compare` says whether two systems differ. Whether
a passage supports a sentence is asked of a `Support`, a function from pairs to probabilities.
"""

from fonte.measures.abstention import (
    Attempt,
    RiskCoverage,
    abstention_f1,
    coverage,
    right_silence,
    risk,
    risk_coverage,
    wrong_silence,
)
from fonte.measures.bert_score import BertScore, TokenVectors, bert_score, bert_scores
from fonte.measures.boundaries import (
    boundary_f1,
    boundary_precision,
    boundary_recall,
    boundary_window,
    perfect_stream,
    pk,
    window_diff,
)
from fonte.measures.calibration import brier_score, calibration_error
from fonte.measures.citation_effects import cited_likelihood, effective_citations, post_rationalised
from fonte.measures.citation_similarity import CitationMatch, case_blocks, citation_match, citation_similarity
from fonte.measures.citation_support import CitationSupport, citation_pairs, citation_support
from fonte.measures.cited import CitedAnswer, CitedPassage, CitedSentence
from fonte.measures.claim_recall import claim_pairs, claim_recall, claims_of
from fonte.measures.containment import containment, substring_accuracy
from fonte.measures.conventions import ALCE, AQUAECHR, FONTE, Conventions
from fonte.measures.counterfactual import Counterfactual, counterfactual, counterfactual_outcome
from fonte.measures.exact_match import exact_match
from fonte.measures.expressions import expression_match
from fonte.measures.hit import hit
from fonte.measures.invented import invented_citations
from fonte.measures.mean_rank import expected_rank, mean_rank
from fonte.measures.misattribution import misattribution, misattribution_pairs
from fonte.measures.ndcg import ndcg
from fonte.measures.quote_fidelity import Quoted, quote_fidelity, quote_verdict
from fonte.measures.recall import precision, recall
from fonte.measures.reciprocal_rank import average_precision, reciprocal_rank
from fonte.measures.reliance import Reliance, reliance
from fonte.measures.retrieval import order
from fonte.measures.rouge_l import rouge_l
from fonte.measures.score import Score, Summary, not_applicable, not_scored, scored, summarise
from fonte.measures.significance import (
    Comparison,
    compare,
    effect_size,
    holm,
    paired_bootstrap,
    permutation_p,
    smallest_detectable,
)
from fonte.measures.support import Pair, Support, known_support
from fonte.measures.token_f1 import token_f1
from fonte.measures.words import answer_words, squad_words, visible_answer

__all__ = [
    "ALCE",
    "AQUAECHR",
    "FONTE",
    "Attempt",
    "BertScore",
    "CitationMatch",
    "CitationSupport",
    "CitedAnswer",
    "CitedPassage",
    "CitedSentence",
    "Comparison",
    "Conventions",
    "Counterfactual",
    "Pair",
    "Quoted",
    "Reliance",
    "RiskCoverage",
    "Score",
    "Summary",
    "Support",
    "TokenVectors",
    "abstention_f1",
    "answer_words",
    "average_precision",
    "bert_score",
    "bert_scores",
    "boundary_f1",
    "boundary_precision",
    "boundary_recall",
    "boundary_window",
    "brier_score",
    "calibration_error",
    "case_blocks",
    "citation_match",
    "citation_pairs",
    "citation_similarity",
    "citation_support",
    "cited_likelihood",
    "claim_pairs",
    "claim_recall",
    "claims_of",
    "compare",
    "containment",
    "counterfactual",
    "counterfactual_outcome",
    "coverage",
    "effect_size",
    "effective_citations",
    "exact_match",
    "expected_rank",
    "expression_match",
    "hit",
    "holm",
    "invented_citations",
    "known_support",
    "mean_rank",
    "misattribution",
    "misattribution_pairs",
    "ndcg",
    "not_applicable",
    "not_scored",
    "order",
    "paired_bootstrap",
    "perfect_stream",
    "permutation_p",
    "pk",
    "post_rationalised",
    "precision",
    "quote_fidelity",
    "quote_verdict",
    "recall",
    "reciprocal_rank",
    "reliance",
    "right_silence",
    "risk",
    "risk_coverage",
    "rouge_l",
    "scored",
    "smallest_detectable",
    "squad_words",
    "substring_accuracy",
    "summarise",
    "token_f1",
    "visible_answer",
    "window_diff",
    "wrong_silence",
]
