"""How servers are asked for the log-probabilities of a given text, and how their replies are read.

vLLM, SGLang and the OpenAI-style completions API differ in the question, in where the answer lies and in what they do
when they do not support it. Every reader checks that the reply covers the tokens that were sent, because some servers
(llama.cpp's, for one) answer with the log-probabilities of what they generated instead, without any error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fonte.likelihood.plan import FloatArray


class UnusableReplyError(Exception):
    """A reply does not hold the log-probabilities that were asked for; the message says what it holds instead."""


@dataclass(frozen=True, slots=True)
class ServerScore:
    """Log-probabilities (nats, float32 [token]) of an answer, and the tokens that the server really computed for it."""

    values: FloatArray
    computed: int


class ServerProtocol(Protocol):
    """One way to ask. `name` is what the user calls it."""

    name: str

    def address(self, endpoint: str) -> tuple[str, str]:
        """Return the base URL and the path of requests, from the endpoint that the user named."""

    def request(self, model: str, prompt: tuple[int, ...], answer: tuple[int, ...]) -> dict[str, Any]:
        """Return the JSON body that asks for log p(`answer` | `prompt`)."""

    def read(self, reply: Mapping[str, Any], prompt: tuple[int, ...], answer: tuple[int, ...]) -> ServerScore:
        """Return the answer's log-probabilities. Errors: `UnusableReplyError`."""


class VllmProtocol:
    """vLLM: `prompt_logprobs` on `/v1/completions`, which lists every prompt token by id.

    vLLM does not use its prefix cache for such requests (by design since its version 0.8), so every one costs its full
    length; the values are right all the same.
    """

    name = "vllm"

    def address(self, endpoint: str) -> tuple[str, str]:
        """See `ServerProtocol.address`."""
        return endpoint, "/completions"

    def request(self, model: str, prompt: tuple[int, ...], answer: tuple[int, ...]) -> dict[str, Any]:
        """See `ServerProtocol.request`."""
        body = {"model": model, "prompt": [*prompt, *answer], "max_tokens": 1, "temperature": 0}
        return body | {"prompt_logprobs": 0}

    def read(self, reply: Mapping[str, Any], prompt: tuple[int, ...], answer: tuple[int, ...]) -> ServerScore:
        """See `ServerProtocol.read`."""
        entries = _field(_choice(reply), "prompt_logprobs", list)
        if len(entries) != len(prompt) + len(answer):
            raise UnusableReplyError(_wrong_count(len(entries), len(prompt) + len(answer)))
        found = []
        for place, token in enumerate(answer, start=len(prompt)):
            entry = entries[place]
            if not isinstance(entry, dict) or str(token) not in entry:
                raise UnusableReplyError(f"its entry {place} is not about token id {token}, which was sent there")
            found.append(_field(entry[str(token)], "logprob", (int, float)))
        return ServerScore(_finite(found), _computed(reply, len(prompt) + len(answer)))


class SglangProtocol:
    """SGLang: `/generate` with `logprob_start_len` one token before the answer, which keeps its prefix cache in use.

    The first returned entry has no value (nothing is computed before it), hence the one token more.
    """

    name = "sglang"

    def address(self, endpoint: str) -> tuple[str, str]:
        """See `ServerProtocol.address`."""
        return endpoint.rstrip("/").removesuffix("/v1"), "/generate"

    def request(self, model: str, prompt: tuple[int, ...], answer: tuple[int, ...]) -> dict[str, Any]:
        """See `ServerProtocol.request`; SGLang serves one model, so `model` is not sent."""
        sampling = {"temperature": 0, "max_new_tokens": 1}
        body: dict[str, Any] = {"input_ids": [*prompt, *answer], "sampling_params": sampling, "return_logprob": True}
        return body | {"logprob_start_len": len(prompt) - 1, "top_logprobs_num": 0}

    def read(self, reply: Mapping[str, Any], prompt: tuple[int, ...], answer: tuple[int, ...]) -> ServerScore:
        """See `ServerProtocol.read`."""
        meta = _field(reply, "meta_info", dict)
        entries = _field(meta, "input_token_logprobs", list)
        if len(entries) not in (len(answer), len(answer) + 1):
            raise UnusableReplyError(_wrong_count(len(entries), len(answer) + 1))
        last = entries[len(entries) - len(answer) :]
        if not all(isinstance(entry, list) and len(entry) >= 2 for entry in last):
            raise UnusableReplyError("its entries are not pairs of log-probability and token id")
        if [entry[1] for entry in last] != list(answer):
            raise UnusableReplyError(
                f"its values are about the token ids {[entry[1] for entry in last][:8]}, not those sent"
            )
        cached = meta.get("cached_tokens", 0)
        return ServerScore(_finite([entry[0] for entry in last]), len(prompt) + len(answer) - int(cached or 0))


class CompletionsProtocol:
    """The OpenAI-style `/v1/completions` with `echo`, `logprobs` and `max_tokens` 1 (0 is refused by some servers)."""

    name = "completions"

    def address(self, endpoint: str) -> tuple[str, str]:
        """See `ServerProtocol.address`."""
        return endpoint, "/completions"

    def request(self, model: str, prompt: tuple[int, ...], answer: tuple[int, ...]) -> dict[str, Any]:
        """See `ServerProtocol.request`."""
        body = {"model": model, "prompt": [*prompt, *answer], "max_tokens": 1, "temperature": 0}
        return body | {"echo": True, "logprobs": 1}

    def read(self, reply: Mapping[str, Any], prompt: tuple[int, ...], answer: tuple[int, ...]) -> ServerScore:
        """See `ServerProtocol.read`."""
        sent = len(prompt) + len(answer)
        found = _field(_choice(reply), "logprobs", dict)
        values = _field(found, "token_logprobs", list)
        if len(values) == sent:
            raise UnusableReplyError(
                "it holds no log-probability of the token that was generated: a server that pairs every token with the "
                "prediction after it (llama-cpp-python's echo does) loses that one"
            )
        if len(values) != sent + 1:
            raise UnusableReplyError(_wrong_count(len(values), sent))
        _check_generated(found, sent)
        return ServerScore(_finite(values[len(prompt) : sent]), _computed(reply, sent))


PROTOCOLS: tuple[ServerProtocol, ...] = (VllmProtocol(), SglangProtocol(), CompletionsProtocol())


def _check_generated(found: Mapping[str, Any], place: int) -> None:
    """Refuse a reply whose generated token is not the likeliest at its place: its values are of other places."""
    tops = found.get("top_logprobs")
    best = tops[place] if isinstance(tops, list) and len(tops) > place else None
    if isinstance(best, dict) and best and found["token_logprobs"][place] < max(best.values()) - 1e-3:
        raise UnusableReplyError("the token it generated greedily is not the likeliest there: its values are displaced")


def _choice(reply: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = _field(reply, "choices", list)
    if len(choices) != 1 or not isinstance(choices[0], dict):
        raise UnusableReplyError(f"it holds {len(choices)} choices, one was asked for")
    return choices[0]


def _field(value: Any, name: str, kind: type | tuple[type, ...]) -> Any:
    found = value.get(name) if isinstance(value, Mapping) else None
    if not isinstance(found, kind):
        raise UnusableReplyError(f"it has no usable {name!r}, so the log-probabilities of the prompt were not computed")
    return found


def _wrong_count(found: int, sent: int) -> str:
    return (
        f"it holds log-probabilities of {found} tokens where {sent} were sent: a server that gives those of generated "
        "tokens only, or one that adds or re-tokenises tokens"
    )


def _finite(values: Sequence[Any]) -> FloatArray:
    if not all(isinstance(value, int | float) for value in values):
        raise UnusableReplyError("some of the answer's tokens have no log-probability")
    array = np.array(values, dtype=np.float32)
    if not np.isfinite(array).all() or (array > 1e-3).any() or (array <= -9999).any():
        raise UnusableReplyError("some of its log-probabilities are not finite, or above zero")
    return array


def _computed(reply: Mapping[str, Any], sent: int) -> int:
    details = (reply.get("usage") or {}).get("prompt_tokens_details") or {}
    return sent - int(details.get("cached_tokens") or 0)
