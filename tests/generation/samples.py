"""Passages and small functions that the tests of this room share."""

from __future__ import annotations

from fonte.generation.answering import write_answer
from fonte.generation.events import fold
from fonte.settings import GenerationSettings
from fonte.values import Box, Chunk, Passage, Place

PUMP = "The Corvessa 12 pump holds 5 bar at most. Do not run the pump dry. Clean the filter every six months."
VALVE = "The valve of the Corvessa 12 opens at 2 bar. It is made of brass."
KETTLE = "The Larkspur kettle holds 1.7 litres and boils in three minutes."
QUESTION = "How much pressure does the pump hold?"


def passage(text, document="manual.md", start=100, **parts):
    return Passage(Chunk(document, "v1", "p1", start, start, start + len(text), text, **parts), document, 1.0)


PASSAGES = (passage(PUMP, "pump.md"), passage(VALVE, "valve.md", 300), passage(KETTLE, "kettle.md", 7))


def place(found, start, end):
    return Place(page=4, boxes=(Box(4, float(start), 0.0, float(end), 1.0),))


def labels_of(passages=PASSAGES, question=QUESTION, seed=0):
    from fonte.generation.prompt import build_prompt

    return build_prompt(question, passages, seed, 10_000, lambda text: len(text.split())).labels


def events_of(model, question=QUESTION, passages=PASSAGES, **settings):
    return list(write_answer(question, passages, model, GenerationSettings(**settings), place))


def answer_of(model, question=QUESTION, passages=PASSAGES, **settings):
    return fold(write_answer(question, passages, model, GenerationSettings(**settings), place), question, passages)
