"""A small HTTP server that gives the replies it was told to, one per request, and keeps what it was asked."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass
class Reply:
    """One scripted reply: `chunks` are written one by one with `delay` seconds before each; `cut` breaks off."""

    status: int = 200
    chunks: tuple[bytes, ...] = ()
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: bool = False


@dataclass
class Script:
    """What to reply, and what was asked (parsed bodies and headers, in order)."""

    url: str
    replies: list[Reply]
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@contextmanager
def scripted_server(*replies: Reply) -> Iterator[Script]:
    """Serve `replies` in order on a free port of this machine; the last one is repeated."""
    script = Script("", list(replies))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            script.requests.append(json.loads(body))
            script.headers.append({key.lower(): value for key, value in self.headers.items()})
            script.paths.append(self.path)
            reply = script.replies.pop(0) if len(script.replies) > 1 else script.replies[0]
            self.send_response(reply.status)
            for key, value in reply.headers.items():
                self.send_header(key, value)
            length = sum(map(len, reply.chunks)) + (100 if reply.cut else 0)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            for chunk in reply.chunks:
                time.sleep(reply.delay)
                try:
                    self.wfile.write(chunk)
                    self.wfile.flush()
                except OSError:  # the client gave up, as some tests want it to
                    break
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    script.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def completion(content: str | None, *, reason: str = "stop", usage: tuple[int, int] = (7, 3), **message: Any) -> Reply:
    """A whole chat completion."""
    body = {
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": reason}
        ],
        "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1]},
    }
    return json_reply(body)


def json_reply(body: object, status: int = 200, **headers: str) -> Reply:
    """Any JSON with any status; underscores in header names become hyphens."""
    sent = {key.replace("_", "-"): value for key, value in headers.items()}
    return Reply(status, (json.dumps(body).encode(),), {"Content-Type": "application/json", **sent})


def error(status: int, message: str, **headers: str) -> Reply:
    """An error as OpenAI's API words it."""
    return json_reply({"error": {"message": message, "type": "x"}}, status, **headers)


def events(*contents: str, reason: str = "stop", done: bool = True, **reply: Any) -> Reply:
    """A streamed chat completion, one event per content."""
    deltas: list[dict[str, Any]] = [
        {"choices": [{"delta": {"content": content}, "finish_reason": None}]} for content in contents
    ]
    if reason:
        deltas.append({"choices": [{"delta": {}, "finish_reason": reason}]})
        deltas.append({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": len(contents)}})
    lines = [f"data: {json.dumps(delta)}\n\n".encode() for delta in deltas]
    chunks = (b": keep-alive\n\n", *lines, *([b"data: [DONE]\n\n"] if done else []))
    return Reply(200, chunks, {"Content-Type": "text/event-stream"}, **reply)
