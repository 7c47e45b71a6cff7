"""`/v1/answers`: recorded answers, what moved them, and the same question without a passage."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from fonte.corpus.answering import Inquiry, Retrieved
from fonte.records import AnswerRecord
from fonte.serving.access import NotFoundError, View
from fonte.serving.asking import Answering, Asked
from fonte.serving.chat_reply import ChatReply
from fonte.serving.effect_jobs import Job
from fonte.serving.json_response import JsonResponse
from fonte.serving.requests import EffectsRequest, WithoutRequest
from fonte.serving.responses import ChatCompletion, EffectsReply, RecordedAnswer, RecordList, SupportReply, failures
from fonte.serving.routes.chat import _STREAM, reply_to, with_wishes
from fonte.serving.routes.common import RecordId, ServiceOf, ViewOf
from fonte.serving.service import Service
from fonte.serving.shapes import Json, record_shape
from fonte.serving.support import support_of
from fonte.settings import Settings

router = APIRouter(prefix="/v1/answers", tags=["answers"])

# Whose effects are shown where several were measured.
FIRST = "leave_one_out/passage"
Method = Literal["leave_one_out", "balanced", "clime", "lasso", "shapley", "local_shapley"]


@router.get("", response_model=RecordList, responses=failures())
async def list_answers(view: ViewOf, service: ServiceOf, limit: Annotated[int, Query(ge=1, le=200)] = 50) -> Response:
    """List the answers that this key asked for and may still see, the newest first."""
    lines = await asyncio.to_thread(view.record_lines, limit)
    return JsonResponse({"object": "list", "data": [asdict(line) for line in lines]})


@router.get("/{record}", response_model=RecordedAnswer, responses=failures())
async def answer(record: RecordId, view: ViewOf, service: ServiceOf) -> Response:
    """Return a recorded answer, with the effects on it where they were measured."""
    return JsonResponse(await asyncio.to_thread(_shown, view, service, record))


@router.get("/{record}/support", response_model=SupportReply, responses=failures())
async def support(record: RecordId, view: ViewOf, service: ServiceOf) -> Response:
    """Return how well each passage supports the answer, and by whose judgment."""
    found = await asyncio.to_thread(view.record, record)
    return JsonResponse(await service.supporting.run(lambda: support_of(found.answer, service.support)))


@router.delete("/{record}", status_code=204, responses=failures())
async def delete_answer(record: RecordId, view: ViewOf, service: ServiceOf) -> Response:
    """Forget a recorded answer and its effects."""
    found = await asyncio.to_thread(view.record, record)
    await asyncio.to_thread(service.corpus.records.answers.delete, found.id)
    return Response(status_code=204)


@router.post("/{record}/effects", status_code=202, response_model=EffectsReply, responses=failures())
async def measure_effects(
    record: RecordId, view: ViewOf, service: ServiceOf, body: EffectsRequest | None = None
) -> Response:
    """Begin to measure how much each passage moved the answer; `GET` the same address tells how far it is."""
    wish = body or EffectsRequest()
    found = await asyncio.to_thread(view.record, record)
    job = await asyncio.to_thread(service.effects.start, found.id, wish.method, wish.level, wish.budget)
    return JsonResponse(await asyncio.to_thread(_told, service, found.id, job), 202)


@router.get("/{record}/effects", response_model=EffectsReply, responses=failures())
async def effects(
    record: RecordId,
    view: ViewOf,
    service: ServiceOf,
    method: Method = "leave_one_out",
    level: Literal["passage", "sentence"] = "passage",
) -> Response:
    """Return how far a measurement is, and its result when it is done."""
    found = await asyncio.to_thread(view.record, record)
    job = await asyncio.to_thread(service.effects.job, found.id, method, level)
    return JsonResponse(await asyncio.to_thread(_told, service, found.id, job))


@router.post(
    "/{record}/without",
    response_model=ChatCompletion,
    responses={**failures(502, 507), 200: {"content": _STREAM}},
)
async def without(
    body: WithoutRequest, record: RecordId, request: Request, view: ViewOf, service: ServiceOf
) -> Response:
    """Answer the same question from the same passages but for some: a new answer, to lay beside the first."""
    known = await asyncio.to_thread(view.record, record)
    passages = known.answer.passages
    unknown = set(body.passage_ids) - {passage.id for passage in passages}
    if unknown:
        raise NotFoundError(f"The answer {record!r} has no passage {min(unknown)!r}.")
    kept = tuple(passage for passage in passages if passage.id not in body.passage_ids)
    inquiry = Inquiry(
        known.answer.question, _same_settings(service, known, body.seed), None, view.secluded, view.principal.id
    )
    answering = Answering(service, Asked(inquiry, found=Retrieved(inquiry, kept)))
    return await reply_to(request, answering, ChatReply("fonte", str(request.base_url).rstrip("/")), body.stream)


def _shown(view: View, service: Service, record_id: str) -> Json:
    found = view.record(record_id)
    measured = service.effects.results(found.id)
    first = measured.get(FIRST) or next(iter(measured.values()), None)
    return {**record_shape(found), **(first["answer"] if first else {}), "measured": sorted(measured)}


def _told(service: Service, record_id: str, job: Job) -> dict[str, object]:
    found = service.effects.result(record_id, job.method, job.level) if job.state == "done" else None
    return {"record": record_id, **asdict(job), **(found or {"explanation": None, "answer": None})}


def _same_settings(service: Service, recorded: AnswerRecord, seed: int | None) -> Settings:
    """Return the settings under which the answer was made, with the mode that `auto` had become."""
    generation = {**recorded.settings.get("generation", {}), "mode": recorded.answer.mode or None}
    generation["seed"] = recorded.seed if seed is None else seed
    return with_wishes(service.corpus.settings, generation, recorded.settings.get("retrieval", {}))
