"""What a re-ranker learns from: the passages that a model was shown, and how much each moved its answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fonte.errors import UsageError
from fonte.values import content_id

TargetScale = Literal["raw", "standardised", "ranks"]
SCALES: tuple[TargetScale, ...] = ("raw", "standardised", "ranks")
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class TargetPassage:
    """A passage as the re-ranker reads it, and its measured effect (`low` and `high` bound it at 95 %).

    `gold` says whether it holds the answer, None where nobody said. `document` is its source, `rank` its place in the
    prompt from 1, `score` what retrieval gave it.
    """

    id: str
    text: str
    target: float
    low: float
    high: float
    gold: bool | None = None
    document: str = ""
    rank: int = 0
    score: float = 0.0


@dataclass(frozen=True)
class QuestionTargets:
    """A question with its measured passages.

    `groups` names what it shares with other questions (gold passages, cited cases). `model` is the language model's
    name and fingerprint, `prompt` the fingerprint of the prompt, `unit` that of the targets; `evaluations` counts
    ablated prompts, `tokens` those through the model, `seconds` the time of measuring. A question that has no targets
    says why in `reason`, and in `corpus` the state of the corpus in which that was so.
    """

    id: str
    question: str
    answer: str
    passages: tuple[TargetPassage, ...]
    groups: tuple[str, ...] = ()
    model: tuple[str, str] = ("", "")
    method: str = ""
    seed: int = 0
    prompt: str = ""
    unit: str = "nats"
    evaluations: int = 0
    tokens: int = 0
    seconds: float = 0.0
    corpus: str = ""
    reason: str = ""

    @property
    def effects(self) -> FloatArray:
        """The raw targets: float64 [passage]."""
        return np.array([passage.target for passage in self.passages], dtype=np.float64)

    @property
    def marks(self) -> frozenset[str]:
        """Hashes of the question's wording and of its groups: two questions with a common one are not independent."""
        return frozenset(content_id(name) for name in (wording(self.question), *self.groups))


def wording(question: str) -> str:
    """Return the group of all questions with the same words, white space and case aside."""
    return f"question {' '.join(question.casefold().split())}"


def scaled(question: QuestionTargets, scale: TargetScale = "raw", gold_share: float = 0.0) -> FloatArray:
    """Return what the re-ranker is to give for each passage: float64 [passage].

    `raw` is the effect as measured (the paper), `standardised` that minus the question's mean, divided by its standard
    deviation, `ranks` the share of the question's other passages with a smaller effect, ties counting half: 0 to 1.
    With `gold_share` s the target is (1 - s) effect + s gold, both on the scale of `scale`, for questions of which
    every passage was judged; the others keep their effects. A question whose passages are all equal has targets of
    zero (raw: of that effect; ranks: of one half). Errors: `UsageError` for another scale or a share outside [0, 1].
    """
    require_scale(scale, gold_share)
    effects = _on_scale(question.effects, scale)
    judged = [passage.gold for passage in question.passages]
    if not gold_share or None in judged or not any(judged):
        return effects
    gold = np.array(judged, dtype=np.float64)
    spread = float(effects.std()) if scale == "raw" else 1.0
    known = _on_scale(gold, scale) if scale != "raw" else _standardised(gold) * spread + float(effects.mean())
    return (1 - gold_share) * effects + gold_share * known


def require_scale(scale: str, gold_share: float) -> None:
    """Refuse what is no scale or no share. Errors: `UsageError`."""
    if scale not in SCALES or not 0 <= gold_share <= 1:
        known_scales = ", ".join(SCALES)
        raise UsageError(f"Targets are {known_scales}, with a share of gold from 0 to 1; not {scale}, {gold_share}.")


def interval_weights(question: QuestionTargets, floor: float = 0.25) -> FloatArray:
    """Return how much each target counts: float64 [passage], of mean one over the question.

    1 / (s^2 + f^2) with the standard deviation s of the target's interval and f `floor` times the deviation of the
    question's targets, so that one target measured without error does not outweigh all others.
    """
    width = np.array([(passage.high - passage.low) / (2 * 1.96) for passage in question.passages], dtype=np.float64)
    least = max(floor * float(question.effects.std()), 1e-6) if len(width) else 1.0
    weights: FloatArray = 1 / (width**2 + least**2)
    return weights / weights.mean() if len(weights) else weights


def target_rows(questions: Iterable[QuestionTargets]) -> Iterator[dict[str, Any]]:
    """Yield one row per question and passage: what `datasets.Dataset.from_list` takes."""
    for question in questions:
        for passage in question.passages:
            yield {
                "question_id": question.id,
                "question": question.question,
                "passage_id": passage.id,
                "text": passage.text,
                "target": passage.target,
                "low": passage.low,
                "high": passage.high,
                "gold": passage.gold,
                "model": question.model[0],
                "model_fingerprint": question.model[1],
                "method": question.method,
                "seed": question.seed,
                "prompt": question.prompt,
            }


class TargetFile:
    """Measured questions in a JSONL file, one per line, appended as they are ready: a killed run goes on after them.

    A line that a kill cut short is dropped when the file is next written to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> list[QuestionTargets]:
        """Return what is there; a missing file holds nothing. Errors: `UsageError` for lines of something else."""
        if not self.path.is_file():
            return []
        lines = self.path.read_text(encoding="utf-8").split("\n")
        return [self._question(number, line) for number, line in enumerate(lines[:-1], start=1) if line]

    def append(self, question: QuestionTargets) -> None:
        """Add a question."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(asdict(question), ensure_ascii=True, allow_nan=False) + "\n"
        _drop_unfinished(self.path)
        with self.path.open("ab") as file:
            file.write(line.encode())

    def measured(
        self,
        questions: Sequence[str],
        measure: Callable[[str], QuestionTargets],
        known: Mapping[str, QuestionTargets] | None = None,
    ) -> Iterator[QuestionTargets]:
        """Yield the targets of each question id: `known` ones (None: all of the file), else measured now and added."""
        kept = {question.id: question for question in self.read()} if known is None else known
        for name in questions:
            if name in kept:
                yield kept[name]
            else:
                found = measure(name)
                self.append(found)
                yield found

    def _question(self, number: int, line: str) -> QuestionTargets:
        try:
            return from_json(json.loads(line))
        except (ValueError, TypeError, KeyError) as error:
            raise UsageError(
                f"{self.path}, line {number}: not a question with targets ({error!r}). Move the file away to measure "
                "anew."
            ) from None


def from_json(row: Mapping[str, Any]) -> QuestionTargets:
    """Return the question that `dataclasses.asdict` made `row` of."""
    passages = tuple(TargetPassage(**passage) for passage in row["passages"])
    question = QuestionTargets(**{**row, "passages": passages})
    return replace(question, groups=tuple(question.groups), model=(str(row["model"][0]), str(row["model"][1])))


def _drop_unfinished(path: Path) -> None:
    """Cut off a last line without its end."""
    if not path.is_file() or not path.stat().st_size:
        return
    with path.open("rb+") as file:
        file.seek(-1, 2)
        if file.read() != b"\n":
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)


def _on_scale(values: FloatArray, scale: TargetScale) -> FloatArray:
    if scale == "raw" or not len(values):
        return values
    if scale == "standardised":
        return _standardised(values)
    less = (values[:, None] > values[None, :]).sum(axis=1) + ((values[:, None] == values[None, :]).sum(axis=1) - 1) / 2
    return np.asarray(less / max(len(values) - 1, 1), dtype=np.float64) if len(values) > 1 else np.full(1, 0.5)


def _standardised(values: FloatArray) -> FloatArray:
    spread = float(values.std())
    return (values - values.mean()) / spread if spread > 1e-12 else np.zeros_like(values)
