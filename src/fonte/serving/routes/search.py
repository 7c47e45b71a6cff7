"""`/v1/search` and `/v1/rerank`: finding passages, and ordering texts that a client brings."""

from __future__ import annotations

import secrets

from fastapi import APIRouter, Request
from starlette.responses import Response

from fonte.errors import ModelError
from fonte.serving.asking import find
from fonte.serving.json_response import JsonResponse
from fonte.serving.requests import RerankRequest, SearchRequest
from fonte.serving.responses import RerankReply, SearchReply, failures
from fonte.serving.routes.chat import inquiry, with_wishes
from fonte.serving.routes.common import ServiceOf, ViewOf, unless_gone
from fonte.serving.service import Service
from fonte.serving.shapes import passages_shape

router = APIRouter(prefix="/v1", tags=["search"])


@router.post("/search", response_model=SearchReply, responses=failures())
async def search(body: SearchRequest, request: Request, view: ViewOf, service: ServiceOf) -> Response:
    """Return the passages that fit the question best, best first, without asking a language model."""
    settings = with_wishes(service.corpus.settings, {}, {"passages": body.passages, "mode": body.index})
    asked = inquiry(view, settings, body.question, body.where)
    found = await unless_gone(request, service.search.run(lambda: find(service, asked)))
    return JsonResponse({"passages": passages_shape(found.passages), "seconds": dict(found.seconds)})


@router.post("/rerank", response_model=RerankReply, responses=failures())
async def rerank(body: RerankRequest, request: Request, view: ViewOf, service: ServiceOf) -> Response:
    """Order the documents of the request by relevance, with the re-ranker of the settings."""
    texts = [document if isinstance(document, str) else document.text for document in body.documents]
    scores = await unless_gone(request, service.search.run(lambda: _scores(service, body.query, texts)))
    order = sorted(range(len(texts)), key=lambda index: (-scores[index], index))[: body.top_n]
    results = [
        {
            "index": index,
            "relevance_score": scores[index],
            **({"document": {"text": texts[index]}} if body.return_documents else {}),
        }
        for index in order
    ]
    reranker = service.corpus.reranker
    return JsonResponse(
        {
            "id": f"rerank-{secrets.token_hex(12)}",
            "object": "list",
            "model": reranker.name if reranker else "",
            "results": results,
            "usage": {"total_tokens": 0},
            "meta": {"api_version": {"version": "2"}},
        }
    )


def _scores(service: Service, query: str, texts: list[str]) -> list[float]:
    service.share_models()
    reranker = service.corpus.reranker
    if reranker is None:
        raise ModelError("No re-ranker is set. Set reranker.model in fonte.toml, and start the server again.")
    return [float(score) for score in reranker.predict([(query, text) for text in texts])]
