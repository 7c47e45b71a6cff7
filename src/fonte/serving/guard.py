"""What every request passes before any route sees it, and every response on its way out (plain ASGI, for streams)."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException

from fonte.serving.errors import shape
from fonte.serving.metrics import Metrics
from fonte.settings import ServingSettings

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("localhost", "127.0.0.1", "::1")
READING = ("GET", "HEAD", "OPTIONS")
UPLOADS = "/v1/documents"
DRAINED_BYTES, DRAINED_SECONDS = 32_000_000, 5.0
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; "
        "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}


class Guard:
    """Refuses foreign hosts, writes from foreign pages, and bodies that are too large or too slow."""

    def __init__(self, app: App, settings: ServingSettings, metrics: Metrics) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        self._hosts = {*LOOPBACK, settings.host.lower(), *(host.lower() for host in settings.hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            status, code, message = refusal
            self._metrics.refused.labels(code).inc()
            await _drain(receive)
            await _refuse(_with_headers(send, scope["path"]), status, code, message)
            return
        await self._bounded(scope, receive, _with_headers(send, scope["path"]))

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str, str] | None:
        """Return why a request is refused by its head alone: status, code, message."""
        host = headers.get("host", "")
        if _name_of(host) not in self._hosts:
            return 421, "wrong_host", (
                f"This server is not addressed as {host!r}. Add the name to serving.hosts, if it is yours."
            )  # fmt: skip
        if scope["method"] not in READING and not self._same_site(headers, host):
            return (
                403,
                "cross_site",
                "A page of another site may not write here. Add it to serving.origins to allow it.",
            )
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._limit(scope):
            return 413, "too_large", f"The body may have {self._limit(scope)} bytes at most."
        return None

    def _same_site(self, headers: dict[str, str], host: str) -> bool:
        """Return whether a write comes from this server's page, from an allowed one, or from no browser at all."""
        origin = headers.get("origin")
        if origin is None:
            return headers.get("sec-fetch-site", "none") in ("none", "same-origin")
        if origin in self._settings.origins:
            return True
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()

    def _limit(self, scope: Scope) -> int:
        is_upload = scope["path"].startswith(UPLOADS) and scope["method"] in ("POST", "PUT")
        # A multipart body is a little larger than its file.
        return self._settings.upload_bytes + 10_000 if is_upload else self._settings.body_bytes

    async def _bounded(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit, size, complete = self._limit(scope), 0, False
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._settings.request_seconds

        async def counted() -> Message:
            nonlocal size, complete
            if complete:
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(0.0, deadline - loop.time()))
            except TimeoutError:
                self._metrics.refused.labels("slow_request").inc()
                raise HTTPException(408, "The request did not arrive in time.") from None
            size += len(message.get("body", b""))
            complete = not message.get("more_body", False)
            if size > limit:
                self._metrics.refused.labels("too_large").inc()
                if not complete:
                    await _drain(receive)
                raise HTTPException(413, f"The body may have {limit} bytes at most.")
            return message

        await self._app(scope, counted, send)


def _name_of(host: str) -> str:
    """Return the name in a Host header without its port, in lower case; "" for what is no host."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _with_headers(send: Send, path: str) -> Send:
    added = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
    # The page is asked for anew after an upgrade; answers and documents are kept by no browser and no proxy.
    added.append((b"cache-control", b"no-store" if path.startswith("/v1/") else b"no-cache"))

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            names = {name for name, _ in added}
            kept = [(name, value) for name, value in message["headers"] if name.lower() not in names]
            message = {**message, "headers": [*kept, *added]}
        await send(message)

    return sending


async def _drain(receive: Receive) -> None:
    """Take in what a refused client is still sending, within bounds: else it sees a broken line and not the reason."""
    size = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAINED_SECONDS):
            while size < DRAINED_BYTES and (message := await receive()).get("more_body", False):
                size += len(message.get("body", b""))


async def _refuse(send: Send, status: int, code: str, message: str) -> None:
    body = json.dumps(shape(message, "invalid_request_error", code)).encode()
    headers: Collection[tuple[bytes, bytes]] = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})
    await send({"type": "http.response.body", "body": body})
