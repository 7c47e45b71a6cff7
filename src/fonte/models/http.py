"""Asking an OpenAI-compatible server: one attempt after another, and errors a person can act on."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import httpx
from pydantic import SecretStr

from fonte.errors import EndpointError, UsageError
from fonte.models.retry import is_retried, seconds_to_wait

SHOWN = 300
LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1"}
ADVICE = {
    400: "The server does not accept this request; check the model's name and its context window.",
    401: "The key is missing or wrong; set FONTE_LANGUAGE_MODEL__API_KEY.",
    403: "The key may not use this model; check it and FONTE_LANGUAGE_MODEL__MODEL.",
    404: "Check that the endpoint ends in /v1 and that the server offers this model.",
    413: "The prompt is too long for the server; use fewer passages.",
    422: "The server does not accept this request; check the model's name.",
    429: "The server limits requests; wait, or raise language_model.retries.",
}


class Rejected(EndpointError):  # noqa: N818 - a kind of answer, not a failure of its own
    """The server refused the request as it is; asking again is no use. `status` is the HTTP status."""

    def __init__(self, message: str, status: int, body: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = body


class Server:
    """A base URL with its key, patience and retries. The key is in no message, representation or log."""

    def __init__(self, endpoint: str, api_key: SecretStr | None, timeout: float, retries: int, seed: int = 0) -> None:
        url = _address(endpoint)
        self.shown = str(url.copy_with(username=None, password=None, query=None, fragment=None)).rstrip("/")
        self.timeout = timeout
        self.retries = retries
        self._seed = seed
        self._key = api_key
        self._url = url.copy_with(username=None, password=None, fragment=None)
        self._client = httpx.Client(
            timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0)),
            headers=self._headers(),
            auth=(url.username, url.password) if url.username else None,
            trust_env=url.host not in LOCAL_HOSTS,  # a proxy is no way to this machine
        )

    def __repr__(self) -> str:
        return f"Server({self.shown!r})"

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def ask(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """POST `body` and return the JSON object that comes back. Errors: `Rejected`, `EndpointError`."""
        with closing(self.open(path, body)) as response:
            text = self._read(response)
        try:
            answer = json.loads(text)
        except ValueError:
            raise self.unusable(f"it sent {_kind(response)} instead of JSON: {_short(text)!r}") from None
        if not isinstance(answer, dict):
            raise self.unusable(f"it sent JSON that is not an object: {_short(text)!r}")
        return answer

    def unusable(self, what: str) -> EndpointError:
        """Return the error for an answer that makes no sense."""
        return EndpointError(
            f"The model server {self.shown} answered, but {what}. Check that the endpoint is the base URL of an "
            "OpenAI-compatible API (it usually ends in /v1) and look into the server's log."
        )

    def broken(self, error: Exception, attempts: int = 1) -> EndpointError:
        """Return the error for a connection that failed."""
        tried = f" {attempts} attempts were made." if attempts > 1 else ""
        if isinstance(error, httpx.TimeoutException):
            advice = "Is it overloaded or loading its model? Raise language_model.timeout."
            return EndpointError(f"The model server {self.shown} was silent for {self.timeout:g} s.{tried} {advice}")
        if isinstance(error, httpx.ConnectError):
            return EndpointError(
                f"The model server {self.shown} cannot be reached ({self._safe(str(error))}).{tried} Is it "
                "running, and is the address right?"
            )
        reason = self._safe(str(error)) or type(error).__name__
        return EndpointError(
            f"The connection to the model server {self.shown} broke ({reason}).{tried} "
            "Ask again; if it stays so, look into the server's log."
        )

    def open(self, path: str, body: Mapping[str, Any]) -> httpx.Response:
        """POST `body`; return the response once the server has said yes, its body still to be read, to be closed.

        Errors: `Rejected` at once for a request that is wrong, else after the retries; `EndpointError`.
        """
        for attempt in range(self.retries + 1):
            last = attempt == self.retries
            try:
                address = self._url.copy_with(path=self._url.path.rstrip("/") + path)
                request = self._client.build_request("POST", address, json=dict(body))
                response = self._client.send(request, stream=True)
            except httpx.TransportError as error:
                if last:
                    raise self.broken(error, attempt + 1) from None
                time.sleep(seconds_to_wait(attempt, {}, self._seed))
                continue
            if response.is_success:
                return response
            refusal = self._refusal(response, attempt + 1)
            if last or not is_retried(response.status_code):
                raise refusal
            time.sleep(seconds_to_wait(attempt, response.headers, self._seed))
        raise AssertionError("unreachable")  # pragma: no cover

    def _refusal(self, response: httpx.Response, attempts: int) -> Rejected:
        text = self._read(response)
        response.close()
        status = response.status_code
        tried = f" after {attempts} attempts" if attempts > 1 else ""
        advice = ADVICE.get(status, "Look into the server's log." if status >= 500 else "Check endpoint and model.")
        message = f"The model server {self.shown} answered {status}{tried}: {self._safe(_reason(text))} {advice}"
        return Rejected(message, status, self._safe(text))

    def _read(self, response: httpx.Response) -> str:
        try:
            return response.read().decode("utf-8", "replace")
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise self.broken(error) from None

    def _headers(self) -> dict[str, str]:
        key = self._key.get_secret_value() if self._key else ""
        if not key.isascii() or any(letter in key for letter in "\r\n"):
            raise UsageError("The API key holds characters that cannot be sent; copy it again.")
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _safe(self, text: str) -> str:
        key = self._key.get_secret_value() if self._key else ""
        return text.replace(key, "****") if key else text


def _address(endpoint: str) -> httpx.URL:
    try:
        url = httpx.URL(endpoint if "//" in endpoint else f"http://{endpoint}")
    except httpx.InvalidURL as error:
        raise UsageError(f"The endpoint is not an address ({error}). It looks like http://localhost:8000/v1.") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise UsageError("The endpoint is not an http or https address. It looks like http://localhost:8000/v1.")
    return url


def _kind(response: httpx.Response) -> str:
    return response.headers.get("content-type", "").split(";")[0] or "something"


def _reason(text: str) -> str:
    """Return what an error body says: OpenAI's `error.message`, FastAPI's `detail`, else its beginning."""
    try:
        body = json.loads(text)
        error = body.get("error", body.get("detail", body)) if isinstance(body, dict) else body
        said = error.get("message", error) if isinstance(error, dict) else error
    except ValueError:
        said = text
    return _short(str(said))


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= SHOWN else flat[:SHOWN] + "…"
