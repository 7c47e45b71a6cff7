"""A language model behind an OpenAI-compatible server: vLLM, SGLang, llama.cpp, Ollama, or a hosted one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import httpx
import numpy as np
import numpy.typing as npt
from pydantic import SecretStr

from fonte.errors import EndpointError, UsageError
from fonte.models import server_choice
from fonte.models.chat import Chat
from fonte.models.events import MalformedEventError, data_events
from fonte.models.http import Rejected, Server
from fonte.models.language_model import Delta, Generation, Schema, fold
from fonte.models.messages import Part, UnusableReplyError, messages, read_part
from fonte.models.reply import ReplyReader
from fonte.models.structured import FORMATS, complaint, instruction, json_part, mismatch, response_format
from fonte.settings import LanguageModelSettings
from fonte.values import Prompt, content_id

UNKNOWN_WINDOW = 8192
BYTES_PER_TOKEN = 3
ALLOWED_STOPS = 4


class EndpointLanguageModel:
    """A model on a server. `fingerprint` stands for address and model name: what the server runs, only it knows.

    `context_window` (tokens) is what the settings say, else 8192; the server itself refuses what is too long.
    The key appears in no message, representation or log.
    """

    def __init__(
        self,
        endpoint: str,
        model: str,
        api_key: SecretStr | str | None = None,
        *,
        timeout: float = 60.0,
        retries: int = 3,
        context_window: int | None = None,
        seed: int = 0,
    ) -> None:
        """Name the server; nothing is sent yet. `timeout` is in seconds of silence, `seed` spreads the retries."""
        key = SecretStr(api_key) if isinstance(api_key, str) else api_key
        self._server = Server(endpoint, key, timeout, retries, seed)
        self._chat = Chat(self._server)
        self.name = model
        self.context_window = context_window or UNKNOWN_WINDOW
        self.fingerprint = content_id("endpoint", self._server.shown, model)
        self._format = 0
        self._has_log_probabilities = True

    @classmethod
    def from_settings(cls, settings: LanguageModelSettings) -> EndpointLanguageModel:
        """Name the server of `settings.endpoint`. Errors: `UsageError` without one."""
        if not settings.endpoint:
            raise UsageError("No endpoint is set; set FONTE_LANGUAGE_MODEL__ENDPOINT.")
        return cls(
            settings.endpoint,
            settings.model,
            settings.api_key,
            timeout=settings.timeout,
            retries=settings.retries,
            context_window=settings.context_window,
        )

    def __repr__(self) -> str:
        return f"EndpointLanguageModel({self._server.shown!r}, {self.name!r})"

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def count_tokens(self, text: str) -> int:
        """Return an estimate, one token per three bytes of UTF-8: above the truth for most languages and models."""
        return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)

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
        """Answer `prompt`; see `LanguageModel.generate`. `token_ids` are empty, counts 0 where the server is silent.

        With `schema` the server is asked for `json_schema`, then `json_object`, then in words, whichever it takes; an
        answer that does not fit is returned to the model once, with the reason. Errors: `EndpointError`.
        """
        body = self._body(messages(prompt), max_tokens, temperature, seed, stop)
        return self._reply(body, stop) if schema is None else self._structured(body, stop, schema)

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
        """Answer `prompt` piece by piece; with `schema` in one piece, since only a whole answer can be checked."""
        if schema is not None:
            whole = self.generate(
                prompt, max_tokens=max_tokens, temperature=temperature, seed=seed, stop=stop, schema=schema
            )
            yield Delta(whole.text, whole.thinking)
            yield Delta("", "", (), whole.finish_reason, whole.prompt_tokens, whole.completion_tokens)
            return
        body = self._body(messages(prompt), max_tokens, temperature, seed, stop)
        yield from self._deltas({**body, "stream": True, "stream_options": {"include_usage": True}}, stop)

    def choose(self, prompts: Sequence[Prompt], options: Sequence[str], *, prefix: str = "") -> npt.NDArray[np.float64]:
        """Return the probability of each option: float64 [prompt, option], rows sum to 1.

        The options are listed behind the prompt. Where the server tells the likeliest first tokens, their probabilities
        are summed per option; where it does not, or where options begin alike, the model writes one answer, whose
        option gets .95 (all the same share where it names none).
        """
        if not options or not all(option.strip() for option in options):
            raise UsageError("choose needs at least one option, and each needs at least one visible character.")
        rows = [self._choice(server_choice.question(prompt, options, prefix), options) for prompt in prompts]
        return np.asarray(rows, dtype=np.float64).reshape(len(prompts), len(options))

    def _choice(self, prompt: Prompt, options: Sequence[str]) -> npt.NDArray[np.float64]:
        if self._has_log_probabilities:
            body = self._body(messages(prompt), 1, 0.0, 0, ())
            reply = self._chat.ask({**body, "logprobs": True, "top_logprobs": server_choice.TOP})
            found = server_choice.by_first_token(reply, options)
            if found is not None:
                return found
            # Some servers refuse the field, others ignore it; neither is asked again.
            self._has_log_probabilities = server_choice.has_log_probabilities(reply)
        longest = max(self.count_tokens(option) for option in options)
        return server_choice.by_text(self.generate(prompt, max_tokens=longest + 16).text, options)

    def _structured(self, body: dict[str, Any], stop: Sequence[str], schema: Schema) -> Generation:
        reply, talk = self._formatted(body, stop, schema, [])
        reason = mismatch(reply.text, schema) if reply.finish_reason == "stop" else ""
        if not reason:
            return reply
        talk = [*talk, {"role": "assistant", "content": reply.text}, {"role": "user", "content": complaint(reason)}]
        second, _ = self._formatted(body, stop, schema, talk)
        reason = mismatch(second.text, schema) if second.finish_reason == "stop" else ""
        if reason:
            raise EndpointError(
                f"The model {self.name} at {self._server.shown} was asked twice and did not write JSON that fits the "
                f"schema: {reason}. Use a larger model, or a server that keeps to schemas (vLLM, SGLang, llama.cpp)."
            )
        prompt_tokens, completion_tokens = (
            reply.prompt_tokens + second.prompt_tokens,
            reply.completion_tokens + second.completion_tokens,
        )
        return replace(second, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)

    def _formatted(
        self, body: dict[str, Any], stop: Sequence[str], schema: Schema, talk: list[dict[str, str]]
    ) -> tuple[Generation, list[dict[str, str]]]:
        """Ask for JSON in the strictest way this server takes; return the answer and the conversation so far."""
        while True:
            kind = FORMATS[self._format]
            said = talk or _with_words(body["messages"], "" if kind == "json_schema" else instruction(schema))
            try:
                reply = self._reply({**body, "messages": said, **response_format(kind, schema)}, stop)
            except Rejected as error:
                if not kind or error.status not in {400, 404, 415, 422, 500, 501}:
                    raise
                self._format += 1
                continue
            # Servers with a reasoning parser sometimes file the JSON under reasoning.
            text = json_part(reply.text or reply.thinking, schema)
            return replace(reply, text=text if reply.finish_reason == "stop" else reply.text), said

    def _reply(self, body: dict[str, Any], stop: Sequence[str]) -> Generation:
        reply = self._chat.ask(body)
        try:
            part = read_part(reply, "message")
        except UnusableReplyError as error:
            raise self._server.unusable(str(error)) from None
        return fold(self._read([part, Part(finish_reason=part.finish_reason or "stop")], stop))

    def _deltas(self, body: dict[str, Any], stop: Sequence[str]) -> Iterator[Delta]:
        with closing(self._chat.open(body)) as response:
            if "json" in response.headers.get("content-type", ""):
                raise self._server.unusable(f"it does not stream: {self._first(response)!r}")
            try:
                yield from self._read(self._parts(response), stop)
            except (MalformedEventError, UnusableReplyError) as error:
                raise self._server.unusable(str(error)) from None
            except (httpx.TransportError, httpx.DecodingError) as error:
                raise self._server.broken(error) from None

    def _parts(self, response: httpx.Response) -> Iterator[Part]:
        """Yield the parts of a stream and, once it is complete, a last one with the reason it ended."""
        reason = ""
        for event in data_events(response.iter_lines()):
            if event is None:
                reason = reason or "stop"
                break
            part = read_part(event, "delta")
            reason = part.finish_reason or reason
            yield replace(part, finish_reason="")
        if not reason:
            raise self._server.unusable("its stream was cut before the end")
        yield Part(finish_reason=reason)

    def _read(self, parts: Iterable[Part], stop: Sequence[str]) -> Iterator[Delta]:
        """Turn parts into deltas; the core that streamed and whole answers share."""
        reader, prompt_tokens, completion_tokens, reason = ReplyReader(stop), 0, 0, "stop"
        for part in parts:
            prompt_tokens = max(prompt_tokens, part.prompt_tokens)
            completion_tokens = max(completion_tokens, part.completion_tokens)
            reason = part.finish_reason or reason
            piece = reader.feed(part.content)
            if piece.text or piece.thinking or part.reasoning:
                yield Delta(piece.text, part.reasoning + piece.thinking)
        rest = reader.finish()
        reason = "stop" if reader.stopped else reason
        yield Delta(rest.text, rest.thinking, (), reason, prompt_tokens, completion_tokens)

    def _body(
        self, talk: list[dict[str, str]], max_tokens: int, temperature: float, seed: int, stop: Sequence[str]
    ) -> dict[str, Any]:
        if max_tokens < 1:
            raise UsageError(f"max_tokens must be at least 1, not {max_tokens}.")
        body: dict[str, Any] = {
            "model": self.name,
            "messages": talk,
            "max_tokens": max_tokens,
            "temperature": temperature,
            "seed": seed,
        }
        stops = [text for text in stop if text][:ALLOWED_STOPS]
        return {**body, "stop": stops} if stops else body

    def _first(self, response: httpx.Response) -> str:
        try:
            return response.read().decode("utf-8", "replace")[:200]
        except httpx.TransportError as error:
            raise self._server.broken(error) from None


def _with_words(talk: list[dict[str, str]], words: str) -> list[dict[str, str]]:
    return [*talk[:-1], {**talk[-1], "content": talk[-1]["content"] + words}] if words else talk
