"""Train a corpus's re-ranker: targets, sides, training, weight, comparison, and adoption if it is not clearly worse."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fonte.chunking import embedded_text
from fonte.corpus import Corpus
from fonte.errors import UsageError
from fonte.evaluation.questions import Question
from fonte.models import Reranker
from fonte.models.folder import model_folder
from fonte.ranking import fuse
from fonte.ranking.trained import adopt, install
from fonte.training.reranker import RerankerTraining, cross_validate, train_reranker
from fonte.training.reranker_bias import Bias, Ordered, bias
from fonte.training.reranker_card import add_comparison
from fonte.training.reranker_collect import Collected, holds_gold
from fonte.training.reranker_current import current_of, fair, scorer_of
from fonte.training.reranker_dataset import write_dataset
from fonte.training.reranker_folds import place, together
from fonte.training.reranker_guard import HeldBack, Scorer, Verdict, judge
from fonte.training.reranker_targets import QuestionTargets, wording
from fonte.training.reranker_weight import EVEN, choose_weight, crosswise
from fonte.values import content_id

FOLDER = "training"
DATASET = "targets.parquet"
LEAST = 10  # questions with targets; below, nothing is left to compare on
HELD_BACK, WATCHED = 0.2, 0.15
FOLDS = 5
WHOLE = "whole"  # the re-ranker itself, beside those that choose its weight


@dataclass(frozen=True)
class CorpusTraining:
    """What came of it: see `fonte train reranker --json`. `path` is where the model lies, accepted or not.

    A refused one stays there until other questions or settings are trained with, so that it can be forced as it is.
    """

    path: str
    questions: int
    pairs: int
    weight: float
    held_back: Verdict
    bias: Bias
    accepted: bool
    forced: bool
    without: tuple[tuple[str, int], ...]

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "path": self.path,
            "training_set": {"questions": self.questions, "pairs": self.pairs, "without_targets": dict(self.without)},
            "weight": self.weight,
            "held_back": {name: value for name, value in asdict(self.held_back).items() if name != "accepted"},
            "bias": asdict(self.bias),
            "accepted": self.accepted,
            "forced": self.forced,
        }


def train_for_corpus(
    corpus: Corpus,
    collected: Collected,
    settings: RerankerTraining,
    questions: Sequence[Question] = (),
    *,
    force: bool = False,
    folds: int = FOLDS,
    tell: Callable[[str], None] = lambda line: None,
) -> CorpusTraining:
    """Train on `collected`, and let the corpus use the result unless it is clearly worse than what it uses now.

    `questions` are those of the file, for their gold passages. Sides go by whole groups and by the hash of their first
    wording, so a question that was held back once is held back again, unless a new one joins its group. The measured
    targets are also written to `training/targets.parquet`, for `datasets`. The weight is chosen on all that are not
    held back, each ordered by one of `folds` further re-rankers that has not seen it; with 0, or fewer groups than
    folds, on those that stop the training. What is forced against a weight of 0 gets one half. `tell` hears how much is
    trained, and how long choosing takes, before either starts. Errors: `UsageError` for fewer than `LEAST` questions, a
    side without any, or one fold; those of training.
    """
    if folds == 1:
        raise UsageError("One fold cannot choose a weight: use 0, or at least 2.")
    learnt, watched, held_back = sides(collected.targets, settings.seed)
    asked = {question.question: question for question in questions}
    write_dataset(collected.targets, corpus.folder / FOLDER / DATASET)
    work = _work_folder(corpus, [*learnt, *watched], settings)
    _only(work)
    whole = work / WHOLE
    minutes = _train_whole(learnt, watched, whole, settings, tell)
    scorer = scorer_of(Reranker.from_pretrained(str(whole)))
    seen = (learnt, watched)
    chosen = _weight(corpus, seen, asked, settings, folds, work, scorer, lambda: tell(_said_before(folds, minutes)))
    helps = chosen > 0
    weight = chosen or (EVEN if force else 0.0)  # what is forced would not be used with a weight of 0
    verdict, habits, left_out = _compared(corpus, held_back, asked, (scorer, weight), helps=helps)
    add_comparison(whole, asdict(verdict), left_out)
    path = whole
    if verdict.accepted or force:
        entry = install(whole, weight, Path(settings.base).name)
        adopt(corpus.records, entry)
        path = model_folder() / entry.name
        shutil.rmtree(work)
    return CorpusTraining(
        str(path),
        sum(len(question.passages) > 1 for question in learnt),
        sum(len(question.passages) for question in learnt if len(question.passages) > 1),
        weight,
        verdict,
        habits,
        verdict.accepted or force,
        force and not verdict.accepted,
        collected.without,
    )


def sides(
    targets: Sequence[QuestionTargets], seed: int = 0
) -> tuple[list[QuestionTargets], list[QuestionTargets], list[QuestionTargets]]:
    """Return what is learnt, watched (it stops the training) and held back. Errors: as above."""
    if len(targets) < LEAST:
        raise UsageError(
            f"Training a re-ranker takes at least {LEAST} questions with targets; there are {len(targets)}. Ask more "
            "questions (fonte ask), or give more with --questions."
        )
    found: tuple[list[QuestionTargets], list[QuestionTargets], list[QuestionTargets]] = ([], [], [])
    by_id = {question.id: question for question in targets}
    for group in together({question.id: question.groups for question in targets}):
        # by wording, so that another method, model or answer changes no side
        where = place(min(wording(by_id[name].question) for name in group), seed)
        side = 2 if where < HELD_BACK else 1 if where < HELD_BACK + WATCHED else 0
        found[side].extend(by_id[name] for name in group)
    if not all(found):
        counts = ", ".join(str(len(side)) for side in found)
        raise UsageError(
            f"Of {len(targets)} questions {counts} are to learn from, to watch and to hold back; each needs some. Give "
            "more questions that share no gold passage; with as few as these, another seed may do."
        )
    return found


def _train_whole(
    learnt: Sequence[QuestionTargets],
    watched: Sequence[QuestionTargets],
    whole: Path,
    settings: RerankerTraining,
    tell: Callable[[str], None],
) -> float:
    """Train the re-ranker itself, unless it is there already; return the minutes that this took."""
    if whole.is_dir():
        return 0.0
    started = time.monotonic()
    pairs = sum(len(question.passages) for question in learnt)
    tell(f"Training on {len(learnt)} questions, {pairs} passages, {settings.epochs} rounds at most.")
    train_reranker(learnt, whole, settings, watched)
    return (time.monotonic() - started) / 60


def _said_before(folds: int, each: float) -> str:
    """Say what `folds` more trainings of `each` minutes take, where that is known."""
    about = f", about {folds * each:.0f} minutes" if folds * each > 1 else ""
    return f"Choosing its weight takes {folds} more trainings{about} (--folds 0 does without)."


def _only(work: Path) -> None:
    """Drop what other questions or settings left: trainings that were given up, and re-rankers that were refused."""
    for left in work.parent.glob("reranker*"):
        if left != work and left.is_dir():
            shutil.rmtree(left, ignore_errors=True)


def _weight(
    corpus: Corpus,
    seen: tuple[Sequence[QuestionTargets], Sequence[QuestionTargets]],
    asked: Mapping[str, Question],
    settings: RerankerTraining,
    folds: int,
    work: Path,
    scorer: Scorer,
    before: Callable[[], None],
) -> float:
    """Return the weight: kept in `work`, so that a re-ranker that was refused can be forced without training anew."""
    kept = work / f"weight-{folds}.json"
    if kept.is_file():
        return float(json.loads(kept.read_text(encoding="utf-8")))
    learnt, watched = seen
    both = [*learnt, *watched]
    if folds and len(together({question.id: question.groups for question in both})) >= folds:
        before()
        place = work / f"folds-{folds}"
        models = cross_validate(both, place, settings, folds=folds, watched_share=WATCHED)
        held = _held_back(corpus, both, asked)
        weight = choose_weight(held, crosswise(held, models))
        shutil.rmtree(place)
    else:
        held = _held_back(corpus, watched, asked)
        weight = choose_weight(held, {one.id: scorer(one.question, one.texts) for one in held})
    kept.write_text(json.dumps(weight), encoding="utf-8")
    return weight


def _compared(
    corpus: Corpus,
    held_back: Sequence[QuestionTargets],
    asked: Mapping[str, Question],
    new: tuple[Scorer, float],
    *,
    helps: bool,
) -> tuple[Verdict, Bias, Sequence[QuestionTargets]]:
    """Return the comparison with what the corpus uses, the new one's habits, and what was left out of both."""
    current = current_of(corpus)
    compared = fair(held_back, current)
    fresh = _held_back(corpus, compared.questions, asked)
    found = judge(fresh, new, (current.scorer, current.weight), helps=helps)
    verdict = replace(found, left_out=len(compared.left_out), note=compared.note)
    return verdict, bias([_ordered(question, *new) for question in fresh]), compared.left_out


def _work_folder(corpus: Corpus, seen: Sequence[QuestionTargets], settings: RerankerTraining) -> Path:
    """Return where what is trained is kept until the weight is chosen: a killed run goes on, another starts anew."""
    targets = [f"{question.id} {question.effects.tolist()} {question.groups}" for question in seen]
    return corpus.folder / FOLDER / f"reranker-{content_id(repr(asdict(settings)), *targets)[:10]}"


def _held_back(corpus: Corpus, targets: Sequence[QuestionTargets], asked: Mapping[str, Question]) -> list[HeldBack]:
    """Retrieve the candidates of each question; measured passages that are not among them are left out."""
    found = []
    for question in targets:
        candidates = corpus.candidates(question.question)
        if not candidates:
            continue
        numbers = {passage.id: number for number, passage in enumerate(candidates)}
        effects = {numbers[one.id]: one.target for one in question.passages if one.id in numbers}
        known = asked.get(question.question)
        gold = frozenset(number for number, passage in enumerate(candidates) if holds_gold(passage, known))
        found.append(
            HeldBack(
                question.id,
                question.question,
                tuple(embedded_text(passage.chunk) for passage in candidates),
                tuple(passage.document for passage in candidates),
                tuple(passage.retrieval_score for passage in candidates),
                effects,
                gold,
            )
        )
    return found


def _ordered(question: HeldBack, scorer: Scorer, weight: float) -> Ordered:
    scores = fuse(question.retrieval, scorer(question.question, question.texts), weight)
    return Ordered(scores, question.texts, question.documents)
