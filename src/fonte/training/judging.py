"""Judge answers that exist already: contribution, rewards, reliance and perplexities, without any training."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from fonte.evaluation.questions import QuestionPassage
from fonte.likelihood import Noise
from fonte.measures.reliance import reliance
from fonte.measures.score import Score, Summary, not_scored, scored, summarise
from fonte.measures.support import Support
from fonte.models.local import LocalLanguageModel
from fonte.training.answered import Answered
from fonte.training.citing import spoken
from fonte.training.correctness import accuracy
from fonte.training.evidence import EvidenceScorer
from fonte.training.prompting import PromptStyle, kept_places, prompt_with_sources
from fonte.training.reward import Case, Completion, EvidenceReward, Rewarded, combined
from fonte.training.reward_settings import RewardSettings
from fonte.values import Prompt

TEMPLATE_TOKENS = 64  # room in the window for what a chat template puts around a prompt
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Judgment:
    """One answer: `critical` is the id of the passage that matters most, `closed_book` its accuracy without documents.

    `note` tells of passages that did not fit.
    """

    id: str
    rewarded: Rewarded
    hybrid: Score
    critical: str | None
    closed_book: Score
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the public shape: numbers or null, with one `status` and `reason` for the contribution."""
        found = self.rewarded
        return {
            "id": self.id,
            "E": found.contribution.value,
            "critical": self.critical,
            "clr": found.clr.value,
            "accuracy": found.accuracy.value,
            "citation": found.citation.value,
            "hybrid": self.hybrid.value,
            "status": found.contribution.status,
            "reason": "; ".join(part for part in (found.contribution.reason, self.note) if part),
            "near_threshold": found.near,
            "tokens": found.tokens,
            "ppl_with": found.perplexity.value,
            "ppl_without": found.perplexity_without.value,
            "closed_book": self.closed_book.value,
        }


@dataclass(frozen=True)
class Judged:
    """All answers, the summaries over them, and what it took."""

    rows: tuple[Judgment, ...]
    summary: Mapping[str, Summary]
    table: Mapping[str, int]
    tokens: int
    noise: Noise

    def to_json(self) -> dict[str, Any]:
        """Return the public shape: `rows`, `summary`, the two-by-two table of reliance, tokens and noise."""
        return {
            "rows": [row.to_json() for row in self.rows],
            "summary": {**{name: one.to_json() for name, one in self.summary.items()}, "table": dict(self.table)},
            "tokens": self.tokens,
            "noise": asdict(self.noise),
        }


class AnswerJudge:
    """Judges answers with `model` as the scorer; free of any trainer, so other programs can call it.

    Each answer is scored as the model's own reply to the prompt of `style`. Settings' `reward` decides what `reward`
    holds; accuracy, contribution, CLR, hybrid and citation are always given.
    """

    def __init__(
        self,
        model: LocalLanguageModel,
        settings: RewardSettings | None = None,
        *,
        style: PromptStyle = "ask",
        support: Support | None = None,
        seed: int = 0,
    ) -> None:
        self.settings = settings or RewardSettings()
        self._model, self._style, self._seed, self._support = model, style, seed, support
        own = model.model.dtype
        self.scorer = EvidenceScorer(model.model, dtype="float32" if "float32" in str(own) else "own")
        self._unscored = EvidenceReward(replace(self.settings, reward="accuracy"), None, model.decode, support)
        self._hybrid = EvidenceReward(
            replace(self.settings, reward="hybrid"), self.scorer, model.decode, support, score_all=True
        )

    @classmethod
    def from_pretrained(cls, model: str, settings: RewardSettings | None = None, **options: Any) -> AnswerJudge:
        """Load the scorer by name, folder or hub id, in float32. Errors: `ModelError`."""
        return cls(LocalLanguageModel.from_pretrained(model, dtype="float32"), settings, **options)

    def __call__(self, item: Answered) -> Judgment:
        """Judge one answer. Where it, or a supporting passage, does not fit into the window, E is `not_scored`."""
        ids = self._model.encode(item.answer)
        budget = self._model.context_window - len(ids) - TEMPLATE_TOKENS
        if budget < self._least(item.question):
            return self._too_long(item, ids)
        prompted = prompt_with_sources(
            item.question, item.passages, self._seed, budget, self._model.count_tokens, self._style
        )
        kept = kept_places(prompted)
        missing = [item.passages[place].id for place in item.supporting if place not in kept]
        case = Case(
            prompt=self._model.segment(prompted.prompt),
            supporting=() if missing else tuple(kept.index(place) for place in item.supporting),
            labels=prompted.labels,
            question=item.question,
            answers=item.answers,
            answerable=item.answerable,
        )
        [rewarded] = self._hybrid(case, [Completion(ids, item.answer)])
        hybrid = rewarded.reward
        if missing:
            unfit = not_scored(f"the supporting passage {missing[0]} does not fit into the model's window")
            rewarded = replace(rewarded, contribution=unfit, clr=unfit, reward=unfit)
            hybrid = unfit
        critical = None if rewarded.critical is None else item.passages[kept[rewarded.critical]].id
        dropped = len(item.passages) - len(kept)
        note = f"{dropped} passages did not fit into the model's window" if dropped and not missing else ""
        return Judgment(item.id, rewarded, hybrid, critical, self._without_documents(item), note)

    def reward(
        self,
        question: str,
        passages: Sequence[Mapping[str, Any]],
        answer: str,
        answers: Sequence[str],
        answerable: bool | None = None,
    ) -> float | None:
        """Return the reward of the settings for one answer, None where it is undefined; for other trainers.

        `passages` are `{id, title, text, gold}` as in files of answers; `answers` the right ones; `answerable` False
        where the passages do not tell. The scorer is this judge's own frozen model, since such trainers do not hand out
        theirs.
        """
        given = [
            QuestionPassage(str(one.get("id", number)), one["text"], one.get("title", ""), bool(one.get("gold")))
            for number, one in enumerate(passages, start=1)
        ]
        found = self(Answered("", question, tuple(given), answer, tuple(answers), answerable=answerable))
        if self.settings.reward == "hybrid":
            return found.hybrid.value
        parts = found.rewarded
        return combined(self.settings, parts.clr, parts.accuracy, parts.citation, answerable).value

    def judge(self, items: Sequence[Answered], progress: Progress | None = None) -> Judged:
        """Judge all `items` and summarise them; see `summaries`."""
        rows = []
        for number, item in enumerate(items):
            if progress:
                progress(number, len(items))
            rows.append(self(item))
        summary, table = summaries(rows)
        return Judged(tuple(rows), summary, table, self._hybrid.tokens, self.scorer.noise)

    def _least(self, question: str) -> int:
        """Return the tokens of a prompt without any passage."""
        empty = prompt_with_sources(question, (), self._seed, 0, self._model.count_tokens, self._style).prompt
        return sum(self._model.count_tokens(part) for part in (empty.system, empty.head, empty.tail))

    def _too_long(self, item: Answered, ids: tuple[int, ...]) -> Judgment:
        """Judge what can be judged without the model, so that one such answer does not end the file."""
        nothing = self._model.segment(Prompt("", "", (), ""))
        case = Case(nothing, question=item.question, answers=item.answers, answerable=item.answerable)
        [words] = self._unscored(case, [Completion(ids, item.answer)])
        unfit = not_scored(
            f"the answer has {len(ids)} tokens and leaves no room for its question in the model's window"
        )
        unscored = replace(
            words, reward=unfit, contribution=unfit, clr=unfit, perplexity=unfit, perplexity_without=unfit
        )
        return Judgment(item.id, unscored, unfit, None, self._without_documents(item))

    def _without_documents(self, item: Answered) -> Score:
        if item.closed_book is None:
            return not_scored("no closed-book answer was given")
        said = spoken(item.closed_book, ()).text
        return accuracy(said, item.answers, self.settings.accuracy, question=item.question, support=self._support)


def summaries(rows: Sequence[Judgment], seed: int = 0) -> tuple[dict[str, Summary], dict[str, int]]:
    """Return summaries by name, and the two-by-two table of right and wrong without and with documents.

    `acc_q`, `acc_qd`, `rr`, `E`, `clr`, `hybrid`, `citation`, `tokens`, and the perplexities `ppl_with` and
    `ppl_without` (geometric means over answers). Each has the status and reason of what is missing.
    """
    named = {str(number): row for number, row in enumerate(rows)}
    found = reliance(
        {name: row.closed_book for name, row in named.items()},
        {name: row.rewarded.accuracy for name, row in named.items()},
        seed,
    )
    parts: dict[str, Callable[[Judgment], Score]] = {
        "E": lambda row: row.rewarded.contribution,
        "clr": lambda row: row.rewarded.clr,
        "hybrid": lambda row: row.hybrid,
        "citation": lambda row: row.rewarded.citation,
        "tokens": lambda row: scored(row.rewarded.tokens),
    }
    summary = {"acc_q": found.closed_book, "acc_qd": found.with_documents, "rr": found.reference_reliance}
    for name, part in parts.items():
        bounds = (0.0, 1.0) if name == "citation" else None
        summary[name] = summarise({key: part(row) for key, row in named.items()}, bounds=bounds, seed=seed)
    summary["ppl_with"] = geometric_summary({key: row.rewarded.perplexity for key, row in named.items()}, seed)
    summary["ppl_without"] = geometric_summary(
        {key: row.rewarded.perplexity_without for key, row in named.items()}, seed
    )
    return summary, {name: getattr(found, name) for name in ("both", "gained", "lost", "neither")}


def geometric_summary(items: Mapping[str, Score], seed: int = 0) -> Summary:
    """Summarise perplexities (above 0) by their logarithms, so that one answer does not decide the mean."""
    logs = {name: one if one.value is None else scored(math.log(one.value)) for name, one in items.items()}
    found = summarise(logs, bounds=None, seed=seed)
    mean, low, high = (None if part is None else math.exp(part) for part in (found.mean, found.low, found.high))
    return replace(found, mean=mean, low=low, high=high, items=dict(items))
