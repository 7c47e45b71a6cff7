"""What the order of passages changes in answers: the ten best go to the language model, and its answer is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rerank_cache import Kept
from rerank_retrieval import Candidates

from fonte.chunking import sentences
from fonte.citations.support import SupportScorer
from fonte.generation.answering import write_answer
from fonte.generation.events import fold
from fonte.measures import (
    CitedAnswer,
    CitedPassage,
    CitedSentence,
    bert_score,
    citation_similarity,
    citation_support,
    claim_recall,
    claims_of,
    rouge_l,
)
from fonte.measures.bert_score import Encode
from fonte.models import LocalLanguageModel
from fonte.settings import GenerationSettings
from fonte.values import Answer, Chunk, Passage, Place, content_id

SHOWN = 10
MOST_TOKENS = 64


class Answers:
    """Answers of one language model in mode `write`, kept by question and the passages shown, with their measures."""

    def __init__(
        self, model: LocalLanguageModel, name: str, cache: Path, support: SupportScorer, encode: Encode
    ) -> None:
        self._model = model
        self._kept = Kept(cache / f"answers-{name}.jsonl")
        self._support = support
        self._encode = encode

    def measures(self, candidates: Candidates, order: Sequence[str]) -> dict[str, float]:
        """Return the answer measures with the first ten keys of `order` shown; what cannot be scored is left out."""
        keys = list(order[:SHOWN])
        name = content_id(candidates.item.id, self._support.name, *keys)
        return dict(self._kept.get(name, lambda: self._measure(candidates, keys)))

    def _measure(self, candidates: Candidates, keys: list[str]) -> dict[str, float]:
        item, pool = candidates.item, candidates.texts
        passages = [_passage(key, pool[key]) for key in keys]
        settings = GenerationSettings(mode="write", max_tokens=MOST_TOKENS)
        events = write_answer(item.question, passages, self._model, settings, lambda passage, start, end: Place())
        answer = fold(events, item.question, passages)
        cited = _cited(answer, dict(zip((passage.id for passage in passages), keys, strict=True)), pool)
        plain = " ".join(sentence.text for sentence in cited.sentences)
        gold_texts = [pool[key] for key in sorted(item.gold)]
        scores: dict[str, Any] = {
            "citation_faithfulness": citation_support(cited, self._support).recall,
            "citation_similarity": citation_similarity(gold_texts, cited.cited, self._support),
            "rouge_l": rouge_l(plain, [item.answer]),
            "bertscore": bert_score(plain, [item.answer], self._encode),
            "claim_recall": claim_recall(plain, claims_of(item.answer), self._support),
        }
        return {name: float(score.value) for name, score in scores.items() if score.value is not None}


def _passage(key: str, text: str) -> Passage:
    chunk = Chunk(key.partition("#")[0] or key, "1", key, 0, 0, len(text), text)
    return Passage(chunk, key, 0.0)


def _cited(answer: Answer, key_of: Mapping[str, str], pool: Mapping[str, str]) -> CitedAnswer:
    """Return the answer sentence by sentence, without its markers."""
    markers = sorted({(citation.marker_start, citation.marker_end) for citation in answer.citations})
    blank = "".join(
        " " if any(start <= at < end for start, end in markers) else letter for at, letter in enumerate(answer.text)
    )
    found = []
    for start, end in sentences(blank):
        here = [one for one in answer.citations if one.answer_start < end and start < one.answer_end]
        keys = dict.fromkeys(key_of[one.passage_id] for one in here)
        passages = tuple(CitedPassage(key, pool[key], group=key.partition("#")[0]) for key in keys)
        found.append(CitedSentence(" ".join(blank[start:end].split()), passages))
    return CitedAnswer(tuple(sentence for sentence in found if sentence.text), len(answer.invented_markers))
