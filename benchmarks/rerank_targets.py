"""Targets of the re-ranking benchmark: how much each passage moves a language model's, or the gold, answer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rerank_cache import FloatArray, Kept
from rerank_retrieval import Candidates
from scipy.stats import rankdata, spearmanr

from fonte.attribution import Measurement, Question, attribute
from fonte.attribution.placebo import placebos
from fonte.likelihood import SqliteEvaluations
from fonte.models import LocalLanguageModel
from fonte.training.reranker_targets import QuestionTargets, TargetPassage, from_json
from fonte.values import Prompt, PromptPassage, content_id

MEASURED = 10
ANSWER_TOKENS = 48  # of a gold answer; the model's own is cut at OWN_TOKENS
OWN_TOKENS = 32


@dataclass(frozen=True)
class TargetWish:
    """Which target: `answer` is gold or model, `method` one of attribution's, `spread` which candidates are measured.

    `top` measures the first ten (as the paper does), `spread` the first five and five more, evenly from the rest.
    """

    answer: str = "gold"
    method: str = "alone"
    spread: str = "spread"
    scalar: str = "log_likelihood"

    @property
    def name(self) -> str:
        """What the cache calls it."""
        return f"{self.answer}-{self.method}-{self.spread}-{self.scalar}"


def measured_numbers(count: int, spread: str) -> list[int]:
    """Return which of `count` candidates are measured."""
    if spread == "top" or count <= MEASURED:
        return list(range(min(count, MEASURED)))
    half = MEASURED // 2
    rest = np.linspace(half, count - 1, MEASURED - half).round().astype(int)
    return [*range(half), *rest.tolist()]


class Targets:
    """Measures targets with one language model; everything is kept below `cache`."""

    def __init__(self, model: LocalLanguageModel, name: str, cache: Path, set_name: str, wish: TargetWish) -> None:
        self._model = model
        self._name = name
        self._wish = wish
        self._kept = Kept(cache / f"{set_name}-targets-{name}-{wish.name}.jsonl")
        # not shared with other targets, so that `seconds` is the time of this one
        self._store = cache / f"evaluations-{name}-{wish.name}.db"

    def known(self, candidates: Candidates) -> bool:
        """Return whether the targets of an item are in the cache."""
        return self._kept.known(candidates.item.id)

    def of(self, candidates: Candidates) -> QuestionTargets:
        """Return the targets of an item's measured candidates."""
        return from_json(self._kept.get(candidates.item.id, lambda: asdict(self._measure(candidates))))

    def _measure(self, candidates: Candidates) -> QuestionTargets:
        item, wish = candidates.item, self._wish
        numbers = measured_numbers(len(candidates.keys), wish.spread)
        keys = [candidates.keys[number] for number in numbers]
        texts = tuple(candidates.texts[key] for key in keys)
        prompt = _prompt(texts, item.asked if wish.answer == "gold" else item.question)
        answer = self._answer(item.answer, prompt)
        started = time.perf_counter()
        question = Question(
            tuple(keys),
            texts,
            ((0, len(answer)),),
            method=wish.method,
            scalar=wish.scalar,
            signatures=False,
            groups=False,
        )
        with SqliteEvaluations(self._store) as store:
            beside = placebos(self._model) if wish.method != "alone" else ()
            measurement = Measurement(self._model, self._model.segment(prompt), answer, store, beside)
            found = attribute(measurement, question)
        passages = tuple(
            TargetPassage(
                key,
                text,
                effect.value or 0.0,
                effect.low or 0.0,
                effect.high or 0.0,
                key in item.gold,
                key.partition("#")[0],
                number + 1,
                candidates.similarities[number],
            )
            for number, key, text, effect in zip(numbers, keys, texts, found.effects[0], strict=True)
        )
        return QuestionTargets(
            item.id,
            item.question,
            self._model.decode(answer),
            passages,
            item.groups,
            (self._name, self._model.fingerprint),
            found.method,
            0,
            content_id(prompt.user),
            found.unit,
            found.ablations,
            found.tokens.computed,
            time.perf_counter() - started,
        )

    def _answer(self, gold: str, prompt: Prompt) -> tuple[int, ...]:
        if self._wish.answer == "gold":
            return self._model.encode(f" {gold}")[:ANSWER_TOKENS]
        own = self._model.generate(prompt, max_tokens=OWN_TOKENS).token_ids
        return own or self._model.encode(" None")


def _prompt(texts: Sequence[str], question: str) -> Prompt:
    passages = tuple(PromptPassage("", "", f"{text}\n\n") for text in texts)
    return Prompt("", "Sources:\n\n", passages, f"\nQuestion: {question}\nAnswer:")


def auc(values: FloatArray, gold: np.ndarray) -> float | None:
    """Return the area under the ROC curve (ties count half); None without gold passages, or with nothing else."""
    count, others = int(gold.sum()), int((~gold).sum())
    if not count or not others:
        return None
    return float((rankdata(values)[gold].sum() - count * (count + 1) / 2) / (count * others))


def target_table(targets: Sequence[QuestionTargets]) -> dict[str, float | int | None]:
    """Return what the targets hold: AUC for gold beside that of similarity, with their correlation."""
    rows = []
    for question in targets:
        gold = np.array([bool(passage.gold) for passage in question.passages])
        similarity = np.array([passage.score for passage in question.passages])
        own, plain = auc(question.effects, gold), auc(similarity, gold)
        length = np.array([len(passage.text) for passage in question.passages], dtype=np.float64)
        rank = -np.array([passage.rank for passage in question.passages], dtype=np.float64)
        rows.append((own, plain, *(_spearman(question.effects, other) for other in (similarity, length, rank))))
    scored = [row for row in rows if row[0] is not None]
    names = ("auc", "similarity_auc", "correlation", "length_correlation", "position_correlation")
    columns = zip(*scored, strict=True) if scored else [()] * len(names)
    means = {
        name: round(float(np.mean(column)), 4) if len(column) else None
        for name, column in zip(names, columns, strict=True)
    }
    differences = [row[0] - row[1] for row in scored]
    spread = 1.96 * float(np.std(differences, ddof=1)) / len(differences) ** 0.5 if len(differences) > 1 else None
    return {
        **means,
        "difference_half_width": None if spread is None else round(spread, 4),
        "n": len(targets),
        "n_scored": len(scored),
        "evaluations": round(float(np.mean([question.evaluations for question in targets])), 1) if targets else None,
        "seconds": round(float(np.mean([question.seconds for question in targets])), 2) if targets else None,
    }


def _spearman(first: FloatArray, second: FloatArray) -> float:
    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(spearmanr(first, second).statistic)
