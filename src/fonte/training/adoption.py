"""May a corpus use a trained generator? Only if it is not worse on questions that were held back."""

from __future__ import annotations

from collections.abc import Sequence

from fonte.evaluation.questions import Question
from fonte.models.local import LocalLanguageModel
from fonte.training.evidence import EvidenceScorer
from fonte.training.examples import build_examples
from fonte.training.generator import GeneratorReport
from fonte.training.generator_settings import GeneratorTraining
from fonte.training.guard import ACCURACY, SIZE
from fonte.training.held_back import HeldBack

LEAST = 10  # fewer held-back questions say nothing


def reason_to_refuse(report: GeneratorReport) -> str:
    """Return why a corpus should keep the model it has, or "".

    Compared are greedy answers of the start and of the trained model to the same held-back questions, with documents.
    """
    if report.status == "stopped":
        return f"the training was stopped ({report.reason})"
    questions = int(report.after.get(SIZE, 0))
    if questions < LEAST or ACCURACY not in report.before or ACCURACY not in report.after:
        return f"only {questions} held-back questions were asked, at least {LEAST} are needed to compare"
    before, after = report.before[ACCURACY], report.after[ACCURACY]
    if after < before:
        return f"it is worse on {questions} held-back questions: accuracy {before:.3f} before, {after:.3f} now"
    return ""


def measured(model: str, questions: Sequence[Question], training: GeneratorTraining) -> dict[str, float]:
    """Return the held-back values of the model in use, asked as the trained one was."""
    loaded = LocalLanguageModel.from_pretrained(model, dtype=training.dtype)
    examples = build_examples(questions, loaded, training.watched_examples).examples
    if not examples:
        return {}
    asked = HeldBack(examples, loaded, training.reward, training.max_tokens)
    return asked(loaded.model, EvidenceScorer(loaded.model, dtype=training.score_dtype))
