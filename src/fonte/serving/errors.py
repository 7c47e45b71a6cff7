"""Every failure as JSON in OpenAI's shape, with the status that its kind has in HTTP."""

from __future__ import annotations

import asyncio
import errno
import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from fonte.errors import EndpointError, FonteError, ModelError, ReadError, RecordError, StoreError, UsageError
from fonte.serving.access import ForbiddenError, GoneFileError, NotFoundError, UnauthorizedError
from fonte.serving.json_response import JsonResponse
from fonte.serving.lanes import BusyError
from fonte.serving.uploads import WrongTypeError

_log = logging.getLogger(__name__)

# The first kind that fits decides: status, OpenAI's type, code.
_KINDS: tuple[tuple[type[BaseException], int, str, str], ...] = (
    (BusyError, 429, "rate_limit_error", "busy"),
    (UnauthorizedError, 401, "authentication_error", "invalid_api_key"),
    (ForbiddenError, 403, "permission_error", "forbidden"),
    (NotFoundError, 404, "invalid_request_error", "not_found"),
    (GoneFileError, 410, "invalid_request_error", "file_changed"),
    (ReadError, 400, "invalid_request_error", "unreadable"),
    (WrongTypeError, 415, "invalid_request_error", "unsupported_type"),
    (RecordError, 404, "invalid_request_error", "not_found"),
    (UsageError, 400, "invalid_request_error", "invalid_value"),
    (EndpointError, 502, "server_error", "model_failed"),
    (ModelError, 503, "server_error", "model_unavailable"),
    (StoreError, 503, "server_error", "store_unavailable"),
    (FonteError, 500, "server_error", "failed"),
    (asyncio.TimeoutError, 504, "server_error", "timeout"),
)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 408: "timeout"}


def error_body(error: BaseException) -> tuple[int, dict[str, Any]]:
    """Return the HTTP status and the body for a failure; what is not expected is told to the log only."""
    if isinstance(error, OSError) and error.errno in _FULL:
        return 507, shape(f"The server cannot write: {error.strerror}. Nothing was kept.", "server_error", "disk_full")
    for kind, status, name, code in _KINDS:
        if isinstance(error, kind):
            message = str(error) or "It took too long and was stopped. Ask again."
            return status, shape(message, name, code)
    _log.error("A request failed unexpectedly", exc_info=error)
    return 500, shape("The server failed unexpectedly; its log says more.", "server_error", "internal")


def shape(message: str, kind: str, code: str, param: str | None = None, **more: Any) -> dict[str, Any]:
    """Return a failure as OpenAI's API tells it."""
    return {"error": {"message": message, "type": kind, "param": param, "code": code, **more}}


def error_response(error: BaseException) -> JsonResponse:
    """Return the response for a failure."""
    status, body = error_body(error)
    headers = {"Retry-After": str(error.retry_after)} if isinstance(error, BusyError) else {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JsonResponse(body, status, headers)


def install(app: FastAPI) -> None:
    """Let `app` answer every failure in this shape."""

    async def expected(_: Request, error: Exception) -> JsonResponse:
        return error_response(error)

    for kind in (FonteError, OSError, asyncio.TimeoutError, Exception):
        app.add_exception_handler(kind, expected)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


async def _invalid(_: Request, error: Exception) -> JsonResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    message = f"{place or 'The body'}: {first['msg']}."
    return JsonResponse(shape(message, "invalid_request_error", "invalid_value", place or None), 400)


async def _http(_: Request, error: Exception) -> JsonResponse:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, OSError) and error.__cause__.errno in _FULL:
        return error_response(error.__cause__)  # the disk was full while the body was kept
    status = error.status_code
    message = error.detail if status != 404 else "There is nothing at this address."
    code = _CODES.get(status, HTTPStatus(status).phrase.lower().replace(" ", "_"))
    return JsonResponse(shape(message, "invalid_request_error", code), status, error.headers)
