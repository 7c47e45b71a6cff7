"""Prompts for training and judging: those of `fonte ask`, or a brief form for small models and small machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from fonte.evaluation.questions import QuestionPassage
from fonte.generation.prompt import EXAMPLE, HEAD, INSTRUCTIONS, PromptedQuestion, build_prompt
from fonte.generation.sentinel import SENTINEL
from fonte.values import Chunk, Passage, Prompt

PromptStyle = Literal["ask", "brief"]
BRIEF = f"""Answer the question from the sources in a few words, and end with the label of the source that says so. \
If no source answers the question, write {SENTINEL} instead."""
CLOSED_BOOK = "Answer the question in a few words."


def prompt_with_sources(
    question: str,
    passages: Sequence[QuestionPassage],
    seed: int,
    budget: int,
    count_tokens: Callable[[str], int],
    style: PromptStyle = "ask",
) -> PromptedQuestion:
    """Return the prompt, of at most `budget` tokens, and which passages fit; labels are drawn by `seed`.

    `ask` is what `fonte ask` gives a model that writes; `brief` has a shorter instruction and no worked example.
    """
    given = [as_passage(passage, place) for place, passage in enumerate(passages)]
    if style == "ask":
        return build_prompt(question, given, seed, budget, count_tokens, INSTRUCTIONS)
    prompted = build_prompt(question, given, seed, budget + count_tokens(EXAMPLE), count_tokens, BRIEF)
    return replace(prompted, prompt=replace(prompted.prompt, head=HEAD.removeprefix(EXAMPLE)))


def kept_places(prompted: PromptedQuestion) -> tuple[int, ...]:
    """Return the numbers of the passages that are in the prompt, in its order."""
    return tuple(passage.chunk.ordinal for passage in prompted.kept)


def prompt_without_sources(question: str) -> Prompt:
    """Return the prompt of the same question without documents: what Acc(Q) is measured with."""
    return Prompt(CLOSED_BOOK, "", (), f"Question: {question.strip()}\nAnswer:")


def as_passage(passage: QuestionPassage, place: int) -> Passage:
    """Return passage number `place` of a question in the form that prompts are built from; `document` is its id."""
    chunk = Chunk(passage.id, "", "question set", place, 0, len(passage.text), passage.text, passage.title)
    return Passage(chunk, passage.id, 0.0)
