"""What a generator is trained on: a question with its prompt, the passages that support the answer, and a target."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Protocol

from fonte.evaluation.questions import Question, QuestionPassage
from fonte.generation.sentinel import SENTINEL
from fonte.measures.containment import containment
from fonte.measures.words import answer_words
from fonte.training.prompting import PromptStyle, kept_places, prompt_with_sources
from fonte.training.reward import Case
from fonte.values import Prompt, SegmentedPrompt

CANDIDATES = 64  # passages of other questions that are looked at for each distractor that is pooled


class Tokenizer(Protocol):
    """The part of a local language model that makes prompts."""

    def count_tokens(self, text: str) -> int:
        """Return how many tokens `text` takes."""
        ...

    def segment(self, prompt: Prompt) -> SegmentedPrompt:
        """Return `prompt` as token ids per part."""
        ...


@dataclass(frozen=True, slots=True)
class ExampleSettings:
    """How questions become prompts.

    At most `passages` per prompt, supporting ones before others, each cut to `words` words (None: whole; around the
    answer where it holds one). `pooled` distractors come from other questions' passages that share words with the
    question and hold no answer. Prompts have at most `prompt_tokens`. Order and labels are drawn by `seed` and id.
    """

    style: PromptStyle = "ask"
    passages: int = 10
    words: int | None = None
    pooled: int = 0
    prompt_tokens: int = 4096
    seed: int = 0


@dataclass(frozen=True)
class Example:
    """One question to train on or to evaluate with; `evidence` says who marked the supporting passages."""

    id: str
    prompt: Prompt
    case: Case
    target: str
    evidence: str = "gold"

    @property
    def prompt_ids(self) -> tuple[int, ...]:
        """The prompt as the model gets it."""
        prompt = self.case.prompt
        return prompt.token_ids if isinstance(prompt, SegmentedPrompt) else prompt.kept([True] * len(prompt.segments))


@dataclass(frozen=True)
class Examples:
    """What could be made of a question set; `left_out` counts the questions that could not, by reason."""

    examples: tuple[Example, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)


def build_examples(
    questions: Sequence[Question], tokenizer: Tokenizer, settings: ExampleSettings | None = None
) -> Examples:
    """Make an example of each question, in order.

    Left out, with a count: questions without gold answers (unless unanswerable), without a supporting passage, and
    those whose supporting passages do not fit. `extra["evidence"]` of a question becomes the example's `evidence`.
    """
    chosen = settings or ExampleSettings()
    pool = [passage for question in questions for passage in question.passages] if chosen.pooled else []
    found: list[Example] = []
    left_out: Counter[str] = Counter()
    for question in questions:
        example = _example(question, tokenizer, chosen, pool)
        if isinstance(example, str):
            left_out[example] += 1
        else:
            found.append(example)
    return Examples(tuple(found), dict(left_out))


def split_by_hash(questions: Sequence[Question], apart: int) -> tuple[list[Question], list[Question]]:
    """Return the `apart` questions whose ids have the least sha256, and the others; order is kept, and never moves."""
    ranked = sorted(questions, key=lambda question: hashlib.sha256(question.id.encode("utf-8", "replace")).digest())
    chosen = {question.id for question in ranked[:apart]}
    return [one for one in questions if one.id in chosen], [one for one in questions if one.id not in chosen]


def target_of(answers: Sequence[str], labels: Sequence[str], supporting: Sequence[int]) -> str:
    """Return what supervised training teaches: the first answer with markers of its evidence; no answer, the sentinel.

    The marker stands before the full stop, as in the prompt's worked example.
    """
    if not answers:
        return SENTINEL
    markers = "".join(f" [{labels[place]}]" for place in supporting)
    return f"{answers[0].strip().rstrip('.')}{markers}."


def _example(
    question: Question, tokenizer: Tokenizer, settings: ExampleSettings, pool: Sequence[QuestionPassage]
) -> Example | str:
    gold = [passage for passage in question.passages if passage.gold]
    silent = question.answerable is False
    if not question.answers and not silent:
        return "no gold answer"
    if not gold and not silent:
        return "no supporting passage"
    if len(gold) > settings.passages:
        return f"more than {settings.passages} supporting passages"
    chance = random.Random(f"{settings.seed}:{question.id}")
    passages = _passages(question, [] if silent else gold, settings, pool, chance)
    shown = [replace(one, text=_cut(one.text, question.answers, settings.words)) for one in passages]
    seed = chance.randrange(1 << 30)
    room = settings.prompt_tokens
    prompted = prompt_with_sources(question.question, shown, seed, room, tokenizer.count_tokens, settings.style)
    places = kept_places(prompted)
    wanted = [number for number, passage in enumerate(passages) if passage.gold and not silent]
    if not set(wanted) <= set(places):
        return "the supporting passages do not fit"
    segmented = tokenizer.segment(prompted.prompt)
    if len(segmented.token_ids) > room:
        return "the supporting passages do not fit"
    supporting = tuple(places.index(number) for number in wanted)
    answers = () if silent else question.answers
    case = Case(segmented, supporting, prompted.labels, question.question, question.answers, question.answerable)
    evidence = str(question.extra.get("evidence", "gold"))
    return Example(question.id, prompted.prompt, case, target_of(answers, prompted.labels, supporting), evidence)


def _passages(
    question: Question,
    gold: Sequence[QuestionPassage],
    settings: ExampleSettings,
    pool: Sequence[QuestionPassage],
    chance: random.Random,
) -> list[QuestionPassage]:
    """Return the supporting passages among distractors, in an order that `chance` decides."""
    others = [passage for passage in question.passages if passage not in gold]
    chosen = [*gold, *others][: settings.passages]
    room = min(settings.pooled, settings.passages - len(chosen))
    chosen += [replace(one, gold=False) for one in islice(_distractors(question, pool, chance), room)]
    chance.shuffle(chosen)
    return chosen


def _distractors(
    question: Question, pool: Sequence[QuestionPassage], chance: random.Random
) -> Iterator[QuestionPassage]:
    """Yield passages of other questions that hold no answer, of those drawn the nearest in words first."""
    own = {passage.text for passage in question.passages}
    words = set(answer_words(question.question))
    drawn = chance.sample(pool, min(CANDIDATES, len(pool)))
    ranked = sorted(drawn, key=lambda one: -len(words & set(one.text.casefold().split())) / (1 + len(one.text) ** 0.5))
    seen: set[str] = set()
    for passage in ranked:
        if passage.text not in own | seen and not containment(passage.text, question.answers).value:
            seen.add(passage.text)
            yield passage


def _cut(text: str, answers: Sequence[str], words: int | None) -> str:
    """Return at most `words` words of `text`, from a quarter of them before the first answer in it."""
    parts = text.split()
    if words is None or len(parts) <= words:
        return text
    place = min((at for answer in answers if (at := text.casefold().find(answer.casefold())) >= 0), default=0)
    start = max(0, min(len(text[:place].split()) - words // 4, len(parts) - words))
    return " ".join(parts[start : start + words])


def training_rows(examples: Sequence[Example]) -> list[dict[str, Any]]:
    """Return the rows of the trainer's data set: a readable name of the prompt, and the number of the example."""
    return [
        {"prompt": f"{number}: {one.id}: {one.case.question}", "example": number} for number, one in enumerate(examples)
    ]
