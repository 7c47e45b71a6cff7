"""The application: routes, the page, and what stands around them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from threading import Thread

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.staticfiles import StaticFiles

from fonte import __version__
from fonte.serving import errors
from fonte.serving.guard import App, Guard
from fonte.serving.observer import Observer
from fonte.serving.routes import answers, chat, documents, operations, search, uploads
from fonte.serving.service import Service

PAGE = Path(__file__).parent / "page"
DESCRIPTION = "Answers from documents, with citations that carry a measured effect. See docs/serving.md."


def create_app(service: Service) -> App:
    """Return the ASGI application of `service`; it loads the models when it starts, and closes the service at its end.

    Everything goes through the guard, also the page and what no route knows.
    """
    api = FastAPI(
        title="fonte",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,  # both load scripts from another host
        redoc_url=None,
        lifespan=_lifespan(service),
    )
    api.state.service = service
    errors.install(api)
    for part in (chat, search, answers, documents, uploads, operations):
        api.include_router(part.router)
    if PAGE.is_dir():
        api.mount("/", StaticFiles(directory=PAGE, html=True))
    app: App = Observer(api, service)
    if service.settings.origins:
        app = CORSMiddleware(
            app,
            allow_origins=list(service.settings.origins),
            allow_methods=["GET", "POST", "PUT", "DELETE"],
            allow_headers=["authorization", "content-type"],
        )
    return Guard(app, service.settings, service.metrics)


def _lifespan(service: Service) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        # Not waited for: `/health` and the documents are there at once, `/ready` tells when the models are.
        Thread(target=service.load, name="fonte-load", daemon=True).start()
        yield
        service.close()

    return lifespan
