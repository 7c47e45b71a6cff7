"""A short examination of a language model: does it answer from sources, cite them, and abstain?

Six questions about things that do not exist, so that no model can know them. Each has three near-identical sources;
four are answered by one of them, two by none although the sources are close.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from fonte.citations import Marker, read_markers
from fonte.generation.prompt import build_prompt
from fonte.generation.sentinel import says_not_in_sources
from fonte.models import LanguageModel
from fonte.values import Chunk, Passage

VERSION = 2  # goes up with every change of tasks, prompt or rule: older results are then probed again
MAX_TOKENS = 48
LEAST_ANSWERED = 0.75
LEAST_ABSTAINED = 0.5


@dataclass(frozen=True, slots=True)
class _Task:
    question: str
    sources: tuple[str, str, str]
    answer: str = ""  # empty: the sources do not answer
    source: int = 0
    wrong: tuple[str, ...] = ()  # what the other sources say


_TASKS = (
    _Task(
        "How many litres does the tank of the Orlandis 3 hold?",
        (
            "The Orlandis 2 is a garden pump. Its tank holds 14 litres.",
            "The Orlandis 3 is a garden pump. Its tank holds 23 litres.",
            "The Orlandis 4 is a garden pump. Its tank holds 37 litres.",
        ),
        "23",
        1,
        ("14", "37"),
    ),
    _Task(
        "On which weekday is the museum of Calvenza closed?",
        (
            "The museum of Brissola is closed on Mondays.",
            "The museum of Tamarra is closed on Thursdays.",
            "The museum of Calvenza is closed on Wednesdays.",
        ),
        "wednesday",
        2,
        ("monday", "thursday"),
    ),
    _Task(
        "Who was awarded the costs in Pellwick v Dorn?",
        (
            "In Pellwick v Dorn the court awarded the costs to the harbour board.",
            "In Pellwick v Marsh the court awarded the costs to the lighthouse trust.",
            "In Ashgrove v Dorn the court awarded the costs to the fishing company.",
        ),
        "harbour",
        0,
        ("lighthouse", "fishing"),
    ),
    _Task(
        "Which colour has the warning light of the Velt 80?",
        (
            "The warning light of the Velt 60 is blue.",
            "The warning light of the Velt 80 is orange.",
            "The warning light of the Velt 90 is violet.",
        ),
        "orange",
        1,
        ("blue", "violet"),
    ),
    _Task(
        "What does the Orlandis 5 weigh?",
        (
            "The Orlandis 5 has a hose of 6 metres.",
            "The Orlandis 5 is delivered in a wooden box.",
            "The Orlandis 5 is switched on with the green button.",
        ),
    ),
    _Task(
        "Who wrote the statutes of the guild of Tamarra?",
        (
            "The guild of Tamarra meets in the old mill.",
            "The guild of Tamarra has ninety members.",
            "The guild of Tamarra was founded after the flood.",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What came out, as rates between 0 and 1: `answered` and `cited` over 4 questions, `abstained` over 2.

    `answered` counts answers that hold what the right source says and nothing of what the others say; `cited` those
    whose first marker names the right source. `mode` is the recommendation: `write` from .75 answered and .5
    abstained on, else `quote`. Missing markers do not count against a model, since `write` can have it choose.
    """

    fingerprint: str
    answered: float
    cited: float
    abstained: float
    mode: Literal["quote", "write"]
    replies: tuple[str, ...] = ()
    version: int = VERSION

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain values."""
        return {**asdict(self), "replies": list(self.replies)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> ProbeResult:
        """Return the result that `to_json` gave."""
        return cls(**{**values, "replies": tuple(values["replies"])})


def probe(language_model: LanguageModel) -> ProbeResult:
    """Examine `language_model`: six short generations at temperature 0, so the same model gives the same result.

    Errors: those of the model.
    """
    answered = cited = abstained = 0
    replies: list[str] = []
    for seed, task in enumerate(_TASKS):
        passages = tuple(_passage(text, index) for index, text in enumerate(task.sources))
        budget = language_model.context_window - MAX_TOKENS
        prompted = build_prompt(task.question, passages, seed, budget, language_model.count_tokens)
        reply = language_model.generate(prompted.prompt, max_tokens=MAX_TOKENS).text
        replies.append(reply)
        if not task.answer:
            abstained += says_not_in_sources(reply)
            continue
        answered += _is_right(reply, task)
        cited += _first_label(reply, prompted.labels) == prompted.labels[task.source : task.source + 1]
    questions = sum(bool(task.answer) for task in _TASKS)
    rates = answered / questions, cited / questions, abstained / (len(_TASKS) - questions)
    good = rates[0] >= LEAST_ANSWERED and rates[2] >= LEAST_ABSTAINED
    return ProbeResult(language_model.fingerprint, *rates, "write" if good else "quote", tuple(replies))


def _is_right(reply: str, task: _Task) -> bool:
    said = reply.casefold()
    return task.answer in said and not says_not_in_sources(reply) and not any(word in said for word in task.wrong)


def _first_label(reply: str, labels: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(event.label for event in read_markers(reply, labels) if isinstance(event, Marker))[:1]


def _passage(text: str, index: int) -> Passage:
    chunk = Chunk("probe", "", "probe", index, index * 1000, index * 1000 + len(text), text)
    return Passage(chunk, "probe", 0.0)
