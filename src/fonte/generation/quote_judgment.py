"""Which sentences of the passages answer a question, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fonte.generation.quote_candidates import Candidate, candidates
from fonte.generation.quote_features import TextEmbedder, coverage, identity_matrix, kind_match, similarities
from fonte.generation.quote_identity import Identity, identities
from fonte.generation.quote_weights import WITHOUT_MODEL, QuoteWeights, load_weights, shares
from fonte.values import Passage

READ_BY_MODEL = 12
"""Sentences that the language model reads; the others are set aside by the cheaper features."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """The candidates that came into question, best first, with one row of features each.

    `scores` order them, `probability` says how likely it is that the best one answers (0 without candidates), `chosen`
    are the positions to quote, in the order in which they are shown. `with_model` tells whether the language model's
    likelihoods took part.
    """

    candidates: tuple[Candidate, ...]
    identities: tuple[Identity, ...]
    table: NDArray[np.float64]
    scores: NDArray[np.float64]
    probability: float
    chosen: tuple[int, ...]
    with_model: bool

    @property
    def answerable(self) -> bool:
        """Whether the best sentence more likely answers than not."""
        return self.probability >= 0.5


def judge(question: str, passages: Sequence[Passage], language_model: Any, embedder: TextEmbedder) -> Judgment:
    """Weigh every sentence of `passages` and choose those that answer `question`.

    `language_model` takes part when it runs on this machine; a server, which gives no log-probabilities for a prompt,
    or None leaves the choice to the embedder, the words and the names, with weights of their own.
    """
    from fonte.models import LocalLanguageModel

    found = candidates(passages)
    named = identities(question, passages, found)
    table = cheap_table(question, passages, found, named, embedder)
    local = isinstance(language_model, LocalLanguageModel)
    if local and found:
        keep = np.argsort(-load_weights(False).choice(table), kind="stable")[:READ_BY_MODEL]
        found, named = [found[row] for row in keep], [named[row] for row in keep]
        table = np.column_stack([table[keep], gains(question, found, language_model)])
    return decide(found, named, table, load_weights(local), local)


def cheap_table(
    question: str,
    passages: Sequence[Passage],
    found: Sequence[Candidate],
    named: Sequence[Identity],
    embedder: TextEmbedder,
) -> NDArray[np.float64]:
    """Return the features that need no language model: [candidate, feature], columns as `WITHOUT_MODEL`."""
    if not found:
        return np.zeros((0, len(WITHOUT_MODEL)))
    return np.column_stack(
        [
            similarities(question, found, embedder),
            coverage(question, passages, found, embedder),
            identity_matrix(named),
            kind_match(question, found),
        ]
    )


def gains(question: str, found: Sequence[Candidate], language_model: Any) -> NDArray[np.float64]:
    """Return how much likelier each token of the question is after a candidate, mean in nats; 0 for an empty one."""
    from fonte.generation.quote_likelihood import question_gain

    gain = question_gain(language_model, question, [candidate.in_context for candidate in found])
    return np.asarray(gain.mean(axis=1)) if gain.size else np.zeros(len(found))


def decide(
    found: Sequence[Candidate],
    named: Sequence[Identity],
    table: NDArray[np.float64],
    weights: QuoteWeights,
    with_model: bool,
) -> Judgment:
    """Order the candidates by `weights` and choose: the pure part of `judge`."""
    scores = weights.choice(table)
    order = np.argsort(-scores, kind="stable")
    found, named = [found[row] for row in order], [named[row] for row in order]
    table, scores = table[order], scores[order]
    probability = weights.probability(table[0]) if found else 0.0
    chosen = _choose(found, named, scores, weights)
    return Judgment(tuple(found), tuple(named), table, scores, probability, chosen, with_model)


def _choose(
    found: Sequence[Candidate], named: Sequence[Identity], scores: NDArray[np.float64], weights: QuoteWeights
) -> tuple[int, ...]:
    """Return what to quote: in every group that the question names, the best sentence and those nearly as good.

    In a group the same words are quoted once, from the better source. Sentences of one passage keep its order.
    """
    picked: list[int] = []
    for group in _groups(named):
        belief = shares(scores[group])
        near = [row for row, share in zip(group, belief, strict=True) if share >= weights.ratio * belief[0]]
        picked.extend({found[row].shown: row for row in reversed(near)}.values())
    kept = sorted(picked)[: weights.most]
    passages = list(dict.fromkeys(found[row].passage for row in kept))
    return tuple(sorted(kept, key=lambda row: (passages.index(found[row].passage), found[row].start)))


def _groups(named: Sequence[Identity]) -> list[list[int]]:
    """Return the rows by what the question calls their document, when it calls several by different words; else all."""
    calls = list(dict.fromkeys(identity.named for identity in named if identity.named))
    separate = [call for call in calls if not any(call & other for other in calls if other is not call)]
    if len(separate) < 2:
        return [list(range(len(named)))] if named else []
    return [[row for row, identity in enumerate(named) if identity.named == call] for call in separate]
