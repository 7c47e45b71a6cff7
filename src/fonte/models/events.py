"""Server-sent events as OpenAI-compatible servers write them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

DONE = "[DONE]"


class MalformedEventError(ValueError):
    """A line of the stream is not what the protocol has; the message shows it."""


def data_events(lines: Iterable[str]) -> Iterator[dict[str, Any] | None]:
    """Yield the JSON object of each `data:` event, and None for `[DONE]`, after which nothing is read.

    Comments (`: keep-alive`), other fields and empty lines are skipped. An event may stretch over several data lines;
    servers that leave out the empty line between events are understood too.
    Errors: `MalformedEventError` for data that is not a JSON object, or lines that are no events at all.
    """
    held = ""
    for line in lines:
        if line.startswith("data:"):
            held += line[5:].strip() if not held else "\n" + line[5:].strip()
            if held == DONE:
                yield None
                return
            if (event := _parsed(held)) is not None:
                yield event
                held = ""
        elif held and not line.strip():
            raise MalformedEventError(f"data that is not a JSON object: {held[:120]!r}")
        elif line.strip() and not line.startswith((":", "event:", "id:", "retry:")):
            raise MalformedEventError(f"a line that is no event: {line[:120]!r}")
    if held:
        raise MalformedEventError(f"data that ends in the middle: {held[:120]!r}")


def _parsed(data: str) -> dict[str, Any] | None:
    try:
        event = json.loads(data)
    except ValueError:
        return None
    if not isinstance(event, dict):
        raise MalformedEventError(f"data that is not an object: {data[:120]!r}")
    return event
