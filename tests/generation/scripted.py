"""A language model that says what it was told to, and remembers what it was asked."""

from __future__ import annotations

from collections import deque

import numpy as np

from fonte.models import Delta, Generation


class ScriptedLanguageModel:
    """Takes the next reply (a text, a sequence of deltas, or an error to raise) and the next choice from queues.

    A choice is an option, or a function of `(prompt, options, prefix)`; without one the first option wins. An error
    among the deltas is raised in its place.
    """

    name = "scripted"
    fingerprint = "scripted-1"

    def __init__(self, *replies, choices=(), finish_reason="stop", context_window=4096):
        self.replies = deque(replies)
        self.choices = deque(choices)
        self.finish_reason = finish_reason
        self.context_window = context_window
        self.asked = []
        self.chosen = []

    def count_tokens(self, text):
        return len(text.split())

    def stream(self, prompt, *, max_tokens, temperature=0.0, seed=0, stop=(), schema=None):
        self.asked.append({"prompt": prompt, "max_tokens": max_tokens, "temperature": temperature, "seed": seed})
        reply = self.replies.popleft()
        for number, piece in enumerate([reply] if isinstance(reply, str) else reply):
            if isinstance(piece, Exception):
                raise piece
            yield piece if isinstance(piece, Delta) else Delta(piece, token_ids=(number,))
        yield Delta(finish_reason=self.finish_reason, prompt_tokens=1, completion_tokens=1)

    def generate(self, prompt, **options):
        deltas = list(self.stream(prompt, **options))
        text, thinking = "".join(delta.text for delta in deltas), "".join(delta.thinking for delta in deltas)
        return Generation(text, thinking, finish_reason=self.finish_reason)

    def choose(self, prompts, options, *, prefix=""):
        self.chosen.append({"prompts": prompts, "options": tuple(options), "prefix": prefix})
        choice = self.choices.popleft() if self.choices else options[0]
        if isinstance(choice, Exception):
            raise choice
        if callable(choice):
            choice = choice(prompts[0], options, prefix)
        return np.array([[float(option == choice) for option in options]] * len(prompts))
