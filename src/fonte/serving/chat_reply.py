"""Steps of an answer as OpenAI's chat completions: chunks of a stream, or the one object that they add up to."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from fonte.corpus.answering import Retrieved
from fonte.generation.events import (
    MODEL_FAILED,
    CitationMade,
    MarkerRemoved,
    MarkerShown,
    TextShown,
    ThoughtShown,
)
from fonte.serving.asking import Done, Step
from fonte.serving.errors import shape
from fonte.serving.rewriting import Rewriting
from fonte.serving.shapes import Json, annotation, answer_shape, citation_shape, passages_shape
from fonte.values import Answer, Passage

NOT_IN_SOURCES = "The sources do not answer this."


@dataclass
class ChatReply:
    """One reply: its id, the model's name as asked for, and what the steps so far told of the passages.

    `base` is this server's address, for links to sources; `ignored` names fields of the request without effect.
    """

    model: str
    base: str
    ignored: list[str] = field(default_factory=list)
    include_usage: bool = False
    id: str = field(default_factory=lambda: f"chatcmpl-{secrets.token_hex(12)}")
    created: int = field(default_factory=lambda: int(time.time()))
    _passages: dict[str, Passage] = field(default_factory=dict)
    _rewriting: Rewriting | None = None

    def chunks(self, step: Step) -> Iterator[Json]:
        """Yield the chunks that tell of a step; a failure is an object with `error`, and ends the stream."""
        match step:
            case Rewriting():
                self._rewriting = step
                shown = {"type": "started", "rewriting": asdict(step), "ignored": self.ignored}
                yield self._chunk({"role": "assistant", "content": ""}, shown)
            case Retrieved():
                if self._rewriting is None:
                    yield self._chunk({"role": "assistant", "content": ""}, {"type": "started", "ignored": []})
                self._passages = {passage.id: passage for passage in step.passages}
                yield self._chunk({}, {"type": "passages", "passages": passages_shape(step.passages)})
            case TextShown(text):
                yield self._chunk({"content": text})
            case MarkerShown():
                marker = {"type": "marker", "number": step.number, "passage_id": step.passage_id}
                yield self._chunk({"content": step.text}, {**marker, "start": step.start, "end": step.end})
            case CitationMade(citation):
                passage = self._passages[citation.passage_id]
                shown = {"type": "citation", "citation": citation_shape(citation, passage)}
                yield self._chunk({"annotations": [annotation(citation, passage, self.base)]}, shown)
            case ThoughtShown(text):
                yield self._chunk({"reasoning_content": text})
            case MarkerRemoved(text):
                yield self._chunk({}, {"type": "marker_removed", "text": text})
            case Done():
                yield from self._end(step)
            case _:
                return

    def whole(self, done: Done) -> tuple[int, Json]:
        """Return the status and body of a reply in one piece: 502, with all that is there, where the model failed."""
        answer = done.answer
        if failed(answer):
            return 502, self._failure(answer)
        message = {
            "role": "assistant",
            "content": answer.text or notice(answer),
            "refusal": None,
            "annotations": self._annotations(answer),
        }
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish_reason(answer)}
        return 200, {
            "id": self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": self.model,
            "choices": [choice],
            "usage": _usage(done),
            "x_fonte": self._told(answer),
        }

    def _end(self, done: Done) -> Iterator[Json]:
        answer = done.answer
        if failed(answer):
            yield self._failure(answer)
            return
        if not answer.text:
            yield self._chunk({"content": notice(answer)}, {"type": "notice"})
        told = {"type": "finished", **self._told(answer)}
        yield self._chunk({}, told, finish_reason(answer))
        if self.include_usage:
            yield {**self._frame(), "choices": [], "usage": _usage(done)}

    def _told(self, answer: Answer) -> Json:
        rewriting = None if self._rewriting is None else asdict(self._rewriting)
        return {"answer": answer_shape(answer), "rewriting": rewriting, "ignored": self.ignored}

    def _failure(self, answer: Answer) -> Json:
        return shape(answer.reason, "server_error", "model_failed", x_fonte=self._told(answer))

    def _annotations(self, answer: Answer) -> list[Json]:
        known = {passage.id: passage for passage in answer.passages}
        return [annotation(citation, known[citation.passage_id], self.base) for citation in answer.citations]

    def _chunk(self, delta: Json, told: Json | None = None, reason: str | None = None) -> Json:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return {**self._frame(), "choices": [choice], **({"x_fonte": told} if told else {})}

    def _frame(self) -> Json:
        return {"id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model}


def notice(answer: Answer) -> str:
    """Return what a chat shows for an answer without a text: it is not part of the answer, and cites nothing."""
    return f"{NOT_IN_SOURCES} {answer.reason}".strip() if answer.status == "not_in_sources" else answer.reason


def failed(answer: Answer) -> bool:
    """Return whether the model gave out: what there is of the answer must not pass for a whole one."""
    return answer.status == "incomplete" and answer.reason.startswith(MODEL_FAILED)


def finish_reason(answer: Answer) -> str:
    """Return OpenAI's word for how the answer ended."""
    return "length" if answer.status == "incomplete" else "stop"


def _usage(done: Done) -> dict[str, Any]:
    asked, written = done.prompt_tokens, done.completion_tokens
    return {"prompt_tokens": asked, "completion_tokens": written, "total_tokens": asked + written}
