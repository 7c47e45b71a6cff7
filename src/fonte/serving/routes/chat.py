"""`/v1/chat/completions` and `/v1/models`, as OpenAI's clients know them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request
from sse_starlette.sse import EventSourceResponse
from starlette.responses import Response

from fonte import __version__
from fonte.corpus import Corpus
from fonte.corpus.answering import Inquiry
from fonte.errors import UsageError
from fonte.serving.access import NotFoundError, View
from fonte.serving.asking import Answering, Asked, Done, Step
from fonte.serving.chat_reply import ChatReply
from fonte.serving.errors import error_body
from fonte.serving.json_response import JsonResponse, json_text
from fonte.serving.requests import ChatRequest, Options, ignored_fields
from fonte.serving.responses import ChatCompletion, ModelCard, ModelList, failures
from fonte.serving.rewriting import Turn
from fonte.serving.routes.common import ServiceOf, ViewOf, last_of, unless_gone
from fonte.settings import Settings

router = APIRouter(prefix="/v1", tags=["answers"])

MODELS = {"fonte": None, "fonte-quote": "quote", "fonte-write": "write"}
_STREAM = {"text/event-stream": {"schema": {"type": "string", "description": "Chunks; see docs/serving.md."}}}


@router.get("/models", response_model=ModelList, responses=failures())
async def models(view: ViewOf, service: ServiceOf) -> Response:
    """List the models: `fonte`, and one for each way of answering."""
    return JsonResponse({"object": "list", "data": [_card(name, service.corpus) for name in MODELS]})


@router.get("/models/{model}", response_model=ModelCard, responses=failures())
async def model(model: str, view: ViewOf, service: ServiceOf) -> Response:
    """Return one model."""
    _require_model(model)
    return JsonResponse(_card(model, service.corpus))


@router.post(
    "/chat/completions",
    response_model=ChatCompletion,
    responses={**failures(502, 507), 200: {"content": _STREAM}},
)
async def chat(body: ChatRequest, request: Request, view: ViewOf, service: ServiceOf) -> Response:
    """Answer the last user message from the documents, with citations."""
    _require_model(body.model)
    history, question = _conversation(body)
    settings = _settings(service.corpus.settings, body)
    options = body.x_fonte or Options()
    asked = Asked(inquiry(view, settings, question, options.where), history if options.rewrite else ())
    usage = bool(body.stream_options and body.stream_options.include_usage)
    reply = ChatReply(body.model, str(request.base_url).rstrip("/"), ignored_fields(body), usage)
    return await reply_to(request, Answering(service, asked), reply, body.stream)


async def reply_to(request: Request, answering: Answering, reply: ChatReply, stream: bool) -> Response:
    """Send the answer, piece by piece or whole. What fails before the first piece has the status of its kind."""
    steps = answering.steps()
    if not stream:
        async with aclosing(steps):
            done = await unless_gone(request, last_of(steps, lambda step: list(reply.chunks(step))))
        assert isinstance(done, Done)
        status, whole = reply.whole(done)
        return JsonResponse(whole, status)
    first = await anext(steps)
    seconds = answering.patience
    return EventSourceResponse(_events(first, steps, reply), sep="\n", ping=15, send_timeout=seconds)


async def _events(first: Step, steps: AsyncGenerator[Step], reply: ChatReply) -> AsyncIterator[dict[str, Any]]:
    try:
        for chunk in reply.chunks(first):
            yield {"data": json_text(chunk)}
        async for step in steps:
            for chunk in reply.chunks(step):
                yield {"data": json_text(chunk)}
    except Exception as error:  # noqa: BLE001 - the status is sent, so that every failure becomes an event
        yield {"data": json_text(error_body(error)[1])}
    finally:
        await steps.aclose()
    yield {"data": "[DONE]"}


def inquiry(view: View, settings: Settings, question: str, where: str | None) -> Inquiry:
    """Return `question` over the documents that `view` shows and `where` chooses."""
    return Inquiry(question, settings, view.documents(where), view.secluded, view.principal.id)


def _require_model(name: str) -> None:
    if name not in MODELS:
        raise NotFoundError(f"There is no model {name!r}. There are: {', '.join(MODELS)}.")


def _card(name: str, corpus: Corpus) -> dict[str, Any]:
    settings, reranker = corpus.settings, corpus.reranker
    told = {
        "mode": MODELS[name] or settings.generation.mode,
        "language_model": settings.language_model.model,
        "embedder": settings.embedder.model,
        "reranker": reranker.name if reranker else None,
        "version": __version__,
    }
    return {"id": name, "object": "model", "created": 0, "owned_by": "fonte", "x_fonte": told}


def _conversation(body: ChatRequest) -> tuple[list[Turn], str]:
    """Return what was said before, and the question: the last user message."""
    said = [Turn(message.role, message.text) for message in body.messages if message.role in ("user", "assistant")]
    said = [turn for turn in said if turn.text.strip()]
    if not said or said[-1].role != "user":
        raise UsageError("The last message with a text must be the user's question.")
    if len(said[-1].text) > 20_000:
        raise UsageError("The question has more than 20000 characters. Shorten it.")
    return said[:-1], said[-1].text


def _settings(settings: Settings, body: ChatRequest) -> Settings:
    """Return the settings with the wishes of one request."""
    options = body.x_fonte or Options()
    generation = {
        "mode": options.mode or MODELS[body.model],
        "temperature": body.temperature,
        "max_tokens": body.max_completion_tokens or body.max_tokens,
        "seed": body.seed,
    }
    return with_wishes(settings, generation, {"passages": options.passages, "mode": options.index})


def with_wishes(settings: Settings, generation: dict[str, Any], retrieval: dict[str, Any]) -> Settings:
    """Return `settings` changed by what is not None."""
    changes = {
        "generation": settings.generation.model_copy(update=_given(generation)),
        "retrieval": settings.retrieval.model_copy(update=_given(retrieval)),
    }
    return settings.model_copy(update=changes)


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
