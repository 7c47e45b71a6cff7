"""A chat-completions server and what it has been found not to understand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import httpx

from fonte.models.http import Rejected, Server

PATH = "/chat/completions"
OPTIONAL = ("stream_options", "seed", "logprobs", "top_logprobs")
Result = TypeVar("Result")


class Chat:
    """Sends chat requests; what the server refuses by name is left out from then on.

    Servers differ in the optional fields they know, and some want `max_tokens` as `max_completion_tokens`.
    """

    def __init__(self, server: Server) -> None:
        self.server = server
        self._refused: set[str] = set()
        self._new_limit_name = False

    def ask(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the whole reply. Errors: `Rejected`, `EndpointError`."""
        return self._adapting(self.server.ask, body)

    def open(self, body: Mapping[str, Any]) -> httpx.Response:
        """Return the reply with its body still to be read; close it. Errors: `Rejected`, `EndpointError`."""
        return self._adapting(self.server.open, body)

    def _adapting(self, send: Callable[[str, Mapping[str, Any]], Result], body: Mapping[str, Any]) -> Result:
        while True:
            try:
                return send(PATH, self._adapted(body))
            except Rejected as error:
                if not self._learn(error, body):
                    raise

    def _adapted(self, body: Mapping[str, Any]) -> dict[str, Any]:
        kept = {key: value for key, value in body.items() if key not in self._refused}
        if self._new_limit_name:
            kept["max_completion_tokens"] = kept.pop("max_tokens")
        return kept

    def _learn(self, error: Rejected, body: Mapping[str, Any]) -> bool:
        """Return whether asking again without what the server objects to is worth it."""
        if error.status not in {400, 422}:
            return False
        if "max_completion_tokens" in error.body and not self._new_limit_name:
            self._new_limit_name = True
            return True
        blamed = {key for key in OPTIONAL if key in body and key in error.body} - self._refused
        if any("logprobs" in key for key in blamed):
            blamed |= {"logprobs", "top_logprobs"}
        self._refused |= blamed
        return bool(blamed)
