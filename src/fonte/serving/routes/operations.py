"""`/health`, `/ready` and `/metrics`, for those who run the server."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from starlette.responses import Response

from fonte import __version__
from fonte.serving.json_response import JsonResponse
from fonte.serving.responses import Health, Readiness, failures
from fonte.serving.routes.common import ServiceOf, ViewOf

router = APIRouter(tags=["operations"])


@router.get("/health", response_model=Health, responses=failures())
async def health() -> Response:
    """Return that the server runs."""
    return JsonResponse({"status": "ok", "version": __version__})


@router.get("/ready", response_model=Readiness, responses={**failures(), 503: {"model": Readiness}})
async def ready(service: ServiceOf) -> Response:
    """Return whether questions are answered: 503 while models load, and where they could not be."""
    if service.ready:
        return JsonResponse({"status": "ready", "reason": ""})
    # Why is told to the log only: anybody may ask this.
    reason = "The models could not be loaded; the server's log says why." if service.trouble else "The models load."
    return JsonResponse({"status": "not_ready", "reason": reason}, 503)


@router.get("/metrics", response_class=Response, responses={**failures(), 200: {"content": {"text/plain": {}}}})
async def metrics(view: ViewOf, service: ServiceOf) -> Response:
    """Return counters for Prometheus; for administrators where there are keys."""
    view.require_admin()
    text = await asyncio.to_thread(service.metrics.text)
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")
