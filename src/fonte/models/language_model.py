"""What every language model offers, local or behind a server, and the values it returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from fonte.errors import ModelError
from fonte.values import Prompt

Schema: TypeAlias = Mapping[str, Any] | type[BaseModel]


@dataclass(frozen=True, slots=True)
class Generation:
    """What a model wrote.

    `text` is the answer, `thinking` what reasoning models write before it (without its tags). `token_ids` are the ids
    of both in order, without the token that ends the turn; empty for servers, which do not tell. `finish_reason` is
    `stop` (the model ended, or a stop string appeared, which is not part of `text`) or `length` (`max_tokens` or the
    context window was reached). `completion_tokens` counts all generated tokens, the ending one included.
    """

    text: str
    thinking: str = ""
    token_ids: tuple[int, ...] = ()
    finish_reason: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a `Generation` while it is written; `finish_reason` and the counts are in the last one only."""

    text: str = ""
    thinking: str = ""
    token_ids: tuple[int, ...] = ()
    finish_reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0


def fold(deltas: Iterable[Delta]) -> Generation:
    """Join the pieces of a stream. Errors: `ModelError` for a stream that ended without its last piece."""
    pieces = list(deltas)
    if not pieces or not pieces[-1].finish_reason:
        raise ModelError("The stream of a language model ended before its last piece; ask again.")
    last = pieces[-1]
    return Generation(
        "".join(piece.text for piece in pieces),
        "".join(piece.thinking for piece in pieces),
        tuple(token for piece in pieces for token in piece.token_ids),
        last.finish_reason,
        last.prompt_tokens,
        last.completion_tokens,
    )


class LanguageModel(Protocol):
    """A model that continues a prompt. `context_window` is in tokens, prompt and answer together."""

    name: str
    fingerprint: str
    context_window: int

    def count_tokens(self, text: str) -> int:
        """Return how many tokens `text` takes; an upper estimate where the tokenizer is not known (servers)."""
        ...

    def generate(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        temperature: float = 0.0,
        seed: int = 0,
        stop: Sequence[str] = (),
        schema: Schema | None = None,
    ) -> Generation:
        """Answer `prompt`; equal to folding `stream` with the same arguments.

        `temperature` 0 takes the likeliest token, else tokens are drawn by `seed`. With `schema` (JSON schema or
        pydantic model) a text that ends with `stop` is JSON that fits it.
        Errors: `ModelError` for a prompt that leaves no room in the window (it is never cut), `EndpointError`.
        """
        ...

    def stream(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        temperature: float = 0.0,
        seed: int = 0,
        stop: Sequence[str] = (),
        schema: Schema | None = None,
    ) -> Iterator[Delta]:
        """Answer `prompt` piece by piece; the last piece carries `finish_reason` and the counts."""
        ...

    def choose(self, prompts: Sequence[Prompt], options: Sequence[str], *, prefix: str = "") -> npt.NDArray[np.float64]:
        """Return how probable each of `options` is as what follows: float64 [prompt, option], rows sum to 1.

        `prefix` is what the assistant has already said. No prompts give shape (0, option).
        """
        ...
