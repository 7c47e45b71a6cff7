"""What routes have in common: the service, who asks, and work that must not hold up the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Path, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from fonte.serving.access import View
from fonte.serving.service import Service

T = TypeVar("T")

_bearer = HTTPBearer(auto_error=False, description="An API key; not needed where the server has none.")

RecordId = Annotated[str, Path(max_length=64, description="The whole id of a recorded answer.")]
DocumentId = Annotated[str, Path(max_length=64, description="The id of a document.")]


async def service_of(request: Request) -> Service:  # a coroutine, which needs no thread
    """Return the service of this app."""
    service: Service = request.app.state.service
    return service


ServiceOf = Annotated[Service, Depends(service_of)]


async def view_of(
    request: Request, service: ServiceOf, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> View:
    """Return the corpus as who asks may see it. Errors: `UnauthorizedError`."""
    principal = service.principal(given.credentials if given else None)
    request.state.principal = principal
    if principal.admin:  # sees all: nothing is looked up
        return service.view(principal)
    return await asyncio.to_thread(service.view, principal)


ViewOf = Annotated[View, Depends(view_of)]


async def unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return what `work` does, and cancel it when the client goes away before. Errors: `CancelledError` then."""
    task = asyncio.ensure_future(work)
    watch = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({task, watch}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            task.cancel()
        return await task
    finally:
        watch.cancel()
        task.cancel()


async def last_of(steps: AsyncIterator[T], see: Callable[[T], object]) -> T:
    """Run through `steps`, show each to `see`, and return the last. There is at least one."""
    found: list[T] = []
    async for step in steps:
        see(step)
        found[:] = [step]
    return found[0]


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
