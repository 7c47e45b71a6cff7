"""The chat protocol: prompts to messages, replies to text, thinking, reason and usage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fonte.models.plain_text import without_surrogates
from fonte.values import Prompt

# Servers name the same thing differently.
REASONING = ("reasoning_content", "reasoning", "thinking")
REASONS = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "tool_calls": "stop",
    "length": "length",
    "max_tokens": "length",
}


class UnusableReplyError(ValueError):
    """A reply without what a reply has; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one reply, or one event of a stream, holds. `finish_reason` is empty while the answer goes on."""

    content: str = ""
    reasoning: str = ""
    finish_reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0


def messages(prompt: Prompt) -> list[dict[str, str]]:
    """Return the prompt as system and user message; an empty system text is left out."""
    user = {"role": "user", "content": without_surrogates(prompt.user)}
    return [{"role": "system", "content": without_surrogates(prompt.system)}, user] if prompt.system else [user]


def read_part(reply: dict[str, Any], field: str) -> Part:
    """Read a reply (`field` is "message") or an event ("delta").

    Errors: `UnusableReplyError` where the server reports an error inside it, or where it is no chat completion.
    """
    if reply.get("error"):
        error = reply["error"]
        raise UnusableReplyError(f"it reported: {error.get('message', error) if isinstance(error, dict) else error}")
    usage = _mapping(reply.get("usage"))
    counts = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    choices = reply.get("choices")
    if not isinstance(choices, list) or (not choices and field == "message"):
        raise UnusableReplyError(f"its reply has no choices, only {sorted(map(str, reply))[:8]}")
    if not choices:
        return Part("", "", "", *counts)
    choice = _mapping(choices[0])
    said = _mapping(choice.get(field))
    if field == "message" and not said:
        raise UnusableReplyError("its reply has no message (is this a completions server without chat?)")
    reasoning = next((text for name in REASONING if (text := _text(said.get(name)))), "")
    content = _text(said.get("content")) or _text(said.get("refusal"))
    return Part(content, reasoning, _reason(choice.get("finish_reason")), *counts)


def _reason(value: object) -> str:
    if value is None or value == "":
        return ""
    if value not in REASONS:
        raise UnusableReplyError(f"it ended the answer by {value!r}")
    return REASONS[str(value)]


def _text(value: object) -> str:
    """Return a content that is a string, or a list of text parts; nothing else is text."""
    if isinstance(value, list):
        return "".join(_text(_mapping(part).get("text")) for part in value)
    return value if isinstance(value, str) else ""


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
