"""A real HTTP server over a tiny model that speaks the protocols of vLLM, SGLang and OpenAI-style completions.

`Behaviour` switches protocols off, or makes the server behave like llama.cpp's: silent about the prompt.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import torch


@dataclass
class Behaviour:
    protocols: tuple[str, ...] = ("vllm", "sglang", "completions")
    fault: str = ""
    failures: int = 0
    status: int = 503
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


class TinyServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: Any, behaviour: Behaviour) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.model, self.behaviour, self.lock = model, behaviour, threading.Lock()

    def log_probabilities(self, ids: list[int]) -> list[float | None]:
        with self.lock, torch.inference_mode():
            logits = self.model(input_ids=torch.tensor([ids]), use_cache=False).logits[0].float().log_softmax(-1)
        return [None, *(float(logits[place - 1, ids[place]]) for place in range(1, len(ids)))]

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        on = self.behaviour.protocols
        if path == "/generate" and "sglang" in on:
            return 200, self._sglang(body)
        if path != "/v1/completions":
            return 404, {"detail": "Not Found"}
        reply: dict[str, Any] = {"text": " x", "index": 0, "logprobs": None, "finish_reason": "length"}
        if self.behaviour.fault == "llama.cpp":  # echo and prompt_logprobs are ignored without a word
            entry = {"token": " x", "logprob": -0.5, "bytes": [32], "top_logprobs": []}
            reply["logprobs"] = {"content": [entry]}
        elif self.behaviour.fault == "generated only":
            reply["logprobs"] = {"tokens": [" x"], "token_logprobs": [-0.5], "top_logprobs": None, "text_offset": [0]}
        elif "prompt_logprobs" in body and "vllm" in on:
            values = self.log_probabilities(body["prompt"])
            entries = [
                None if v is None else {str(t): {"logprob": v, "rank": 1}}
                for t, v in zip(body["prompt"], values, strict=True)
            ]
            reply["prompt_logprobs"] = entries
        elif body.get("echo") and "completions" in on:
            values = self.log_probabilities(self._retokenised(body["prompt"]))
            reply["logprobs"] = {"tokens": ["?"] * len(values), "token_logprobs": [*values, -0.5]}
            if self.behaviour.fault == "displaced":  # each token with the prediction after it, as llama-cpp-python
                reply["logprobs"]["token_logprobs"] = [*values[1:], -0.5]
            elif self.behaviour.fault == "displaced, padded":
                reply["logprobs"]["token_logprobs"] = [*values[1:], -0.5, -3.0]
                reply["logprobs"]["top_logprobs"] = [{"x": -0.4}] * (len(values) + 1)
        return 200, {"choices": [reply], "usage": {"prompt_tokens": len(body["prompt"])}}

    def _retokenised(self, ids: list[int]) -> list[int]:
        if self.behaviour.fault == "begin token":
            return [1, 1, *ids]
        if self.behaviour.fault == "other tokens":
            return [(7 * token * len(ids)) % 90 for token in ids]
        return ids

    def _sglang(self, body: dict[str, Any]) -> dict[str, Any]:
        ids, start = body["input_ids"], body["logprob_start_len"]
        values = self.log_probabilities(ids)
        entries = [[None if place == start else values[place], ids[place], None] for place in range(start, len(ids))]
        if self.behaviour.fault == "other ids":
            entries = [[value, token + 1, None] for value, token, _ in entries]
        return {"text": " x", "meta_info": {"input_token_logprobs": entries, "cached_tokens": start // 2}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: TinyServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        behaviour = self.server.behaviour
        behaviour.requests.append({"path": self.path, **body})
        behaviour.headers.append(dict(self.headers))
        if behaviour.failures > 0:
            behaviour.failures -= 1
            status, reply = behaviour.status, {"error": {"message": "busy"}}
        else:
            status, reply = self.server.answer(self.path, body)
        data = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(model: Any, **options: Any) -> Iterator[tuple[str, Behaviour]]:
    """Serve `model`; give its base URL (ending in /v1) and what it saw."""
    behaviour = Behaviour(**options)
    server = TinyServer(model, behaviour)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", behaviour
    finally:
        server.shutdown()
        server.server_close()
