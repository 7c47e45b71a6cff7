"""JSON for the wire, whatever text it holds."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response


def json_text(value: Any) -> str:
    """Return `value` as JSON on one line; all in escapes where it holds a lone surrogate, which UTF-8 cannot say."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text


class JsonResponse(Response):
    """A response with a JSON body."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return the body."""
        return json_text(content).encode()
