"""Counts and logs every request once it is answered."""

from __future__ import annotations

import time

from fonte.serving.guard import App, Message, Receive, Scope, Send
from fonte.serving.service import Service

UNMATCHED = "other"
AUDITED = "/v1/"


class Observer:
    """Stands around the routes, inside the guard."""

    def __init__(self, app: App, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 499  # what is logged for a client that left before any answer

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            self._note(scope, status, time.perf_counter() - begun)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "") or UNMATCHED
        metrics = self._service.metrics
        metrics.requests.labels(route, scope["method"], str(status)).inc()
        metrics.seconds.labels(route).observe(seconds)
        if scope["path"].startswith(AUDITED):
            principal = scope.get("state", {}).get("principal")
            client = (scope.get("client") or ("",))[0]
            things = scope.get("path_params", {}) if route != UNMATCHED else {}
            about = "/".join(str(value) for value in things.values())
            self._service.audit.note(principal.id if principal else "", client, scope["method"], route, status, about)
