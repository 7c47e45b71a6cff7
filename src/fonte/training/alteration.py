"""Questions whose documents were changed, so that what a model knows by heart is no longer what its sources say.

`placeholder_question` rewrites passages with invented values *in the manner of* PRGB (arXiv 2507.22927). It is not
PRGB: questions, placeholders and noise levels are others, and figures do not compare with those published for it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from fonte.evaluation.questions import Question, QuestionPassage

SUBSTITUTED = "substituted"
_SYLLABLES = ("bra", "vel", "tor", "min", "sa", "lu", "quen", "dar", "po", "nis", "ke", "ral", "fi", "mon", "ze", "hul")
LONGEST = 8  # words of an answer that can be a value in a text
_TRIVIAL = frozenset(("yes", "no", "maybe"))


def counterfactual_question(question: Question, others: Sequence[Question], seed: int = 0) -> Question | None:
    """Return `question` with another question's answer in its gold passages; `extra["substituted"]` names it.

    The value is drawn by `seed` among answers of a like shape (digits or not, words) that the question does not hold.
    None where no gold passage holds the answer, it is yes or no, or the question itself names it.
    """
    if not _alterable(question):
        return None
    chance = random.Random(f"{seed}:{question.id}")
    shape = _shape(question.answers[0])
    text = _all_text(question).casefold()
    values = sorted(
        {one.answers[0] for one in others if one.answers and _shape(one.answers[0]) == shape} - set(question.answers)
    )
    usable = [value for value in values if value.casefold() not in text and value.casefold() not in _TRIVIAL]
    return _altered(question, chance.choice(usable)) if usable else None


def placeholder_question(question: Question, variant: int = 0, seed: int = 0) -> Question | None:
    """Return `question` with an invented value in its gold passages: no model can know it. None as above."""
    if not _alterable(question):
        return None
    chance = random.Random(f"{seed}:{variant}:{question.id}")
    return _altered(question, _invented(question.answers[0], chance))


def without_evidence(question: Question) -> Question | None:
    """Return `question` without its gold passages, so that the sources do not answer; None where nothing is left.

    Passages in which an answer stands word for word go too, since they may answer as well; short answers that stand
    anywhere (`yes`) are not looked for.
    """
    told = [answer for answer in question.answers if answer.strip() and answer.casefold() not in _TRIVIAL]
    pattern = _pattern(told) if told else None
    others = tuple(
        passage
        for passage in question.passages
        if not passage.gold and not (pattern and pattern.search(f"{passage.title} {passage.text}"))
    )
    return replace(question, passages=others, answerable=False) if others else None


def _alterable(question: Question) -> bool:
    if not question.answers or question.answers[0].casefold() in _TRIVIAL:
        return False
    if len(question.answers[0].split()) > LONGEST:
        return False
    asked = question.question.casefold()
    return not any(answer.casefold() in asked for answer in question.answers)


def _altered(question: Question, value: str) -> Question | None:
    pattern = _pattern(question.answers)
    passages = tuple(_rewritten(passage, pattern, value) for passage in question.passages)
    changed = any(new != old for new, old in zip(passages, question.passages, strict=True) if old.gold)
    if not changed:
        return None
    return replace(question, passages=passages, extra={**question.extra, SUBSTITUTED: [value]})


def _rewritten(passage: QuestionPassage, pattern: re.Pattern[str], value: str) -> QuestionPassage:
    """Change every passage, distractors too: one that still told the truth would contradict the changed ones."""
    return replace(
        passage, text=pattern.sub(lambda _: value, passage.text), title=pattern.sub(lambda _: value, passage.title)
    )


def _pattern(answers: Sequence[str]) -> re.Pattern[str]:
    parts = "|".join(re.escape(answer) for answer in sorted(answers, key=len, reverse=True) if answer.strip())
    return re.compile(rf"(?<!\w)(?:{parts})(?!\w)", re.IGNORECASE)


def _shape(answer: str) -> tuple[bool, bool, int]:
    return _is_number(answer), answer[:1].isupper(), min(len(answer.split()), 4)


def _is_number(answer: str) -> bool:
    """Return whether a third of the letters and digits are digits: a year, a date, an amount."""
    marks = [letter for letter in answer if letter.isalnum()]
    return 3 * sum(letter.isdigit() for letter in marks) >= len(marks) > 0


def _all_text(question: Question) -> str:
    return " ".join([question.question, *(f"{one.title} {one.text}" for one in question.passages)])


def _invented(answer: str, chance: random.Random) -> str:
    """Return a value of the same shape: digits become other digits, words become words that do not exist."""
    if _is_number(answer):
        return "".join(str(chance.randrange(1, 10)) if letter.isdigit() else letter for letter in answer)
    words = ["".join(chance.sample(_SYLLABLES, 3)) for _ in answer.split()[:3]]
    return " ".join(word.capitalize() if answer[:1].isupper() else word for word in words)
