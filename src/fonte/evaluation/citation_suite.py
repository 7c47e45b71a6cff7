"""The citation measures over many answers, with all questions to the support scorer in few large batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fonte.evaluation.answers import GivenAnswer
from fonte.evaluation.cited_answers import cited_answer
from fonte.evaluation.questions import Question
from fonte.measures.citation_effects import cited_likelihood, effective_citations, post_rationalised
from fonte.measures.citation_similarity import citation_match
from fonte.measures.citation_support import CitationSupport, citation_pairs, citation_support
from fonte.measures.cited import CitedAnswer, CitedPassage
from fonte.measures.claim_recall import claim_pairs, claim_recall, claims_of
from fonte.measures.conventions import FONTE, Conventions
from fonte.measures.invented import invented_citations
from fonte.measures.misattribution import misattribution, misattribution_pairs
from fonte.measures.quote_fidelity import Quoted, quote_fidelity
from fonte.measures.score import Score, not_applicable, not_scored
from fonte.measures.support import Pair, Support
from fonte.measures.words import answer_words
from fonte.values import Effect

CLAIM = 4  # words: a shorter gold answer ("Tulsa") is no claim that a text could entail

Scores = dict[str, dict[str, Score]]


@dataclass(frozen=True)
class CitationItem:
    """One question with its answer; `cited` is None, with the `missing` score, where citations cannot be judged."""

    question: Question
    answer: GivenAnswer | None
    cited: CitedAnswer | None
    missing: Score

    @classmethod
    def of(cls, question: Question, answer: GivenAnswer | None, given: Sequence[CitedPassage] | None) -> CitationItem:
        """Prepare an answer; `given` None means that nobody knows which passages the system had."""
        if answer is None:
            return cls(question, None, None, not_applicable("no answer in the file"))
        if not answer.answered:
            return cls(question, answer, None, not_applicable("the system did not answer"))
        if given is None:
            reason = "neither the answer nor the question tells which passages the system was given"
            return cls(question, answer, None, not_scored(reason))
        return cls(question, answer, cited_answer(answer, given), not_applicable(""))

    @property
    def claims(self) -> tuple[str, ...]:
        """The claims that a good answer makes: those given, else the sentences of a gold answer that is one or more."""
        if listed := self.question.extra.get("claims"):
            return tuple(str(claim) for claim in listed)
        sentences = [claim for answer in self.question.answers[:1] for claim in claims_of(answer)]
        return tuple(claim for claim in sentences if len(answer_words(claim)) >= CLAIM)

    @property
    def spoken(self) -> str:
        """The answer without its markers."""
        if self.cited:
            return " ".join(sentence.text for sentence in self.cited.sentences)
        return self.answer.text if self.answer else ""


def citation_measures(
    items: Sequence[CitationItem], support: Support | None, conventions: Sequence[Conventions]
) -> tuple[Scores, tuple[str, ...]]:
    """Return the scores by measure and question, and the names of the measures that `support` judged."""
    scores: Scores = {
        "invented_citations": _each(items, lambda item, cited: invented_citations(cited)),
        "quote_fidelity": _each(items, _quotes),
        "citation_match": _each(items, _match),
    }
    if _any_effects(items):
        scores["effective_citations"] = _each(items, lambda item, cited: effective_citations(_effects(item)))
        scores["cited_likelihood"] = _each(items, _likelihood)
    scores = {name: found for name, found in scores.items() if not _all_not_applicable(found)}
    judged = _judged(items, support, conventions) if support else {}
    return {**judged, **scores}, tuple(judged)


def _judged(items: Sequence[CitationItem], support: Support, conventions: Sequence[Conventions]) -> Scores:
    support(_pairs(items, conventions))
    scores: Scores = {}
    for convention in conventions:
        prefix = "" if convention is FONTE else f"{convention.name}_"
        found = {item.question.id: _supported(item, support, convention) for item in items}
        scores[f"{prefix}citation_recall"] = {name: one.recall for name, one in found.items()}
        scores[f"{prefix}citation_precision"] = {name: one.precision for name, one in found.items()}
    scores["misattribution"] = _each(items, lambda item, cited: misattribution(cited, support))
    if any(item.claims for item in items):
        scores["claim_recall"] = {item.question.id: claim_recall(item.spoken, item.claims, support) for item in items}
    if _any_effects(items):
        scores["post_rationalised"] = _each(items, lambda item, cited: _rationalised(item, cited, support))
    return scores


def _pairs(items: Sequence[CitationItem], conventions: Sequence[Conventions]) -> list[Pair]:
    cited = [item.cited for item in items if item.cited]
    pairs = [pair for convention in conventions for pair in citation_pairs(cited, convention)]
    claims = [pair for item in items for pair in claim_pairs(item.spoken, item.claims)]
    return list(dict.fromkeys([*pairs, *misattribution_pairs(cited), *claims]))


def _each(items: Sequence[CitationItem], function: Callable[[CitationItem, CitedAnswer], Score]) -> dict[str, Score]:
    return {item.question.id: function(item, item.cited) if item.cited else item.missing for item in items}


def _supported(item: CitationItem, support: Support, conventions: Conventions) -> CitationSupport:
    if item.cited is None:
        return CitationSupport(item.missing, item.missing)
    return citation_support(item.cited, support, conventions)


def _quotes(item: CitationItem, cited: CitedAnswer) -> Score:
    texts = {passage.id: passage.text for passage in cited.given}
    citations = (item.answer.citations if item.answer else None) or ()
    quotes = [
        Quoted(
            one.quote,
            texts.get(one.passage_id, ""),
            tuple(text for name, text in texts.items() if name != one.passage_id),
        )
        for one in citations
        if one.quote
    ]
    return quote_fidelity(quotes)


def _match(item: CitationItem, cited: CitedAnswer) -> Score:
    gold = [passage.id for passage in item.question.passages if passage.gold]
    return citation_match([passage.id for passage in cited.cited], gold, cited.all_invented).f1


def _any_effects(items: Sequence[CitationItem]) -> bool:
    answers = [item.answer for item in items if item.answer]
    return any(one.effects or any(citation.effect for citation in one.citations or ()) for one in answers)


def _effects(item: CitationItem) -> list[Effect]:
    """Return one effect per citation: its own, else that of its passage, else one that was not measured."""
    if item.answer is None:
        return []
    known = {effect.passage_id: effect for effect in item.answer.effects}
    return [
        one.effect or known.get(one.passage_id) or Effect(one.passage_id, "not_measured")
        for one in item.answer.citations or ()
    ]


def _likelihood(item: CitationItem, cited: CitedAnswer) -> Score:
    effects = item.answer.effects if item.answer else ()
    return cited_likelihood(effects, {passage.id for passage in cited.cited})


def _rationalised(item: CitationItem, cited: CitedAnswer, support: Support) -> Score:
    pairs, effects = _cited_pairs(item, cited)
    return post_rationalised(effects, support(pairs)) if pairs else not_applicable("the answer cites nothing")


def _cited_pairs(item: CitationItem, cited: CitedAnswer) -> tuple[list[Pair], list[Effect]]:
    """Return each distinct (passage, sentence) that is cited, with the passage's effect."""
    effects = {effect.passage_id: effect for effect in _effects(item)}
    effects |= {effect.passage_id: effect for effect in (item.answer.effects if item.answer else ())}
    found = {
        (FONTE.join([passage]), sentence.text): effects.get(passage.id, Effect(passage.id, "not_measured"))
        for sentence in cited.sentences
        for passage in sentence.passages
    }
    return list(found), list(found.values())


def _all_not_applicable(scores: dict[str, Score]) -> bool:
    return all(score.status == "not_applicable" for score in scores.values())
