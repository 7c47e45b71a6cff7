"""A language model whose probabilities and replies are given by functions of the prompt."""

from __future__ import annotations

import threading

import numpy as np

from fonte.errors import ModelError
from fonte.models import Generation


class KnownModel:
    """`true(user text)` is the probability of the first option, `reply(user text)` the text that is written.

    Either may raise, or return an exception to be raised. `asked` and `written` keep the prompts.
    """

    name = "known"

    def __init__(self, true=lambda text: 1.0, reply=lambda text: "{}", context_window=4096, fingerprint="known-1"):
        self.true, self.reply = true, reply
        self.context_window, self.fingerprint = context_window, fingerprint
        self.asked, self.waves, self.written = [], [], []
        self._lock = threading.Lock()

    def count_tokens(self, text):
        return len(text.split())

    def choose(self, prompts, options, *, prefix=""):
        assert options == ("TRUE", "FALSE")
        with self._lock:
            self.waves.append(len(prompts))
            self.asked.extend(prompt.user for prompt in prompts)
        values = [self.true(prompt.user) for prompt in prompts]
        for value in values:
            if isinstance(value, Exception):
                raise value
        return np.array([[value, 1 - value] for value in values]).reshape(len(prompts), 2)

    def generate(self, prompt, *, max_tokens, temperature=0.0, seed=0, stop=(), schema=None):
        assert temperature == 0
        assert schema is not None
        if self.count_tokens(prompt.user) >= self.context_window:
            raise ModelError("The prompt is too long.")
        with self._lock:
            self.written.append(prompt.user)
        reply = self.reply(prompt.user)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, Generation):
            return reply
        return Generation(reply, prompt_tokens=self.count_tokens(prompt.user), completion_tokens=len(reply.split()))

    def stream(self, prompt, **options):
        raise NotImplementedError
