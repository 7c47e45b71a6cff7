"""`/v1/documents`: what is indexed, and each document's text, places and pages, to open a source beside an answer."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi import Path as InPath
from starlette.responses import Response

from fonte.corpus import Corpus
from fonte.errors import FonteError, UsageError
from fonte.records import content_fingerprint
from fonte.records.documents import DocumentEntry
from fonte.serving.access import GoneFileError, NotFoundError, View
from fonte.serving.document_responses import (
    DocumentDetail,
    DocumentList,
    DocumentText,
    GroupsShape,
    PageList,
    PlaceShape,
    Removed,
)
from fonte.serving.json_response import JsonResponse
from fonte.serving.page_images import WIDEST, page_picture, page_sizes
from fonte.serving.requests import GroupsRequest
from fonte.serving.responses import failures
from fonte.serving.routes.common import DocumentId, ServiceOf, ViewOf
from fonte.serving.service import Service
from fonte.serving.shapes import Json, document_shape, pages_of, place_shape

router = APIRouter(prefix="/v1/documents", tags=["documents"])

Offset = Annotated[int, Query(ge=0, le=2**31)]


@router.get("", response_model=DocumentList, responses=failures())
async def list_documents(
    view: ViewOf,
    service: ServiceOf,
    where: Annotated[str | None, Query(max_length=2000)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    after: Annotated[str | None, Query(max_length=64, description="The `next` of the part before.")] = None,
) -> Response:
    """List the documents, ordered by name, in parts."""
    return JsonResponse(await asyncio.to_thread(_listed, view, service.corpus, where, limit, after))


@router.get("/{document}", response_model=DocumentDetail, responses=failures())
async def document(document: DocumentId, view: ViewOf, service: ServiceOf) -> Response:
    """Return a document with the chunks it was cut into, and their signatures."""
    return JsonResponse(await asyncio.to_thread(_detail, view, service, document))


@router.delete("/{document}", response_model=Removed, responses=failures(507))
async def delete_document(
    document: DocumentId,
    view: ViewOf,
    service: ServiceOf,
    purge: Annotated[bool, Query(description="Also erase every trace on the disk, records that hold it too.")] = False,
) -> Response:
    """Take a document out of the corpus."""
    service.require_uploads(view)
    entry = await asyncio.to_thread(view.entry, document)
    await service.changes.run(lambda: _remove(service, entry, purge))
    return JsonResponse({"document_id": document, "deleted": True, "purged": purge})


@router.put("/{document}/groups", response_model=GroupsShape, responses=failures())
async def set_groups(document: DocumentId, body: GroupsRequest, view: ViewOf, service: ServiceOf) -> Response:
    """Say who may see the file that a document comes from; for administrators."""
    view.require_admin()
    await asyncio.to_thread(view.entry, document)
    await asyncio.to_thread(_set_groups, service.corpus, document, body.groups)
    return JsonResponse({"document_id": document, "groups": sorted(set(body.groups))})


@router.get("/{document}/text", response_model=DocumentText, responses=failures())
async def text(
    document: DocumentId,
    view: ViewOf,
    start: Offset = 0,
    length: Annotated[int, Query(ge=1, le=1_000_000)] = 200_000,
) -> Response:
    """Return a piece of a document's text; offsets are those of citations."""
    entry = await asyncio.to_thread(view.entry, document)
    whole = await asyncio.to_thread(view.records.documents.text, document, entry.version)
    piece = whole[start : start + length]
    first = min(start, len(whole))
    told = {"document_id": document, "document_version": entry.version, "start": first, "end": first + len(piece)}
    return JsonResponse({**told, "characters": len(whole), "text": piece})


@router.get("/{document}/place", response_model=PlaceShape, responses=failures())
async def place(document: DocumentId, view: ViewOf, start: Offset, end: Offset) -> Response:
    """Return where a span of the text lies in the original: page, boxes, heading, line."""
    if end < start:
        raise UsageError(f"The span ends at {end}, before its start {start}.")
    entry = await asyncio.to_thread(view.entry, document)
    found = await asyncio.to_thread(view.records.documents.place, document, start, end, entry.version)
    return JsonResponse(place_shape(found))


@router.get("/{document}/pages", response_model=PageList, responses=failures(410))
async def pages(document: DocumentId, view: ViewOf, service: ServiceOf) -> Response:
    """Return the size of every page of a PDF; other formats have no pages that can be drawn."""
    path = await asyncio.to_thread(_original, view, service.corpus, document)
    return JsonResponse({"pages": await service.images.run(lambda: page_sizes(path))})


@router.get(
    "/{document}/pages/{page}.png",
    response_class=Response,
    responses={**failures(410), 200: {"content": {"image/png": {}}}},
)
async def picture(
    document: DocumentId,
    page: Annotated[int, InPath(ge=1, le=100_000)],
    view: ViewOf,
    service: ServiceOf,
    width: Annotated[int, Query(ge=50, le=WIDEST, description="Pixels.")] = 900,
) -> Response:
    """Return a page of a PDF as a picture; boxes of citations are in points of the same page."""
    path = await asyncio.to_thread(_original, view, service.corpus, document)
    drawn = await service.images.run(lambda: page_picture(path, page, width))
    return Response(drawn, media_type="image/png", headers={"Cache-Control": "private, no-store"})


def _listed(view: View, corpus: Corpus, where: str | None, limit: int, after: str | None) -> Json:
    wanted = view.documents(where)
    entries = [entry for entry in view.entries() if wanted is None or entry.document_id in wanted]
    first = 0
    if after is not None:
        numbers = [number for number, entry in enumerate(entries) if entry.document_id == after]
        if not numbers:
            raise NotFoundError(f"There is no document {after!r} to go on after. Begin again without it.")
        first = numbers[0] + 1
    part = entries[first : first + limit]
    counts = corpus.records.ledger.chunk_counts()
    lines = [_line(corpus, entry, counts.get(entry.document_id, 0)) for entry in part]
    more = first + limit < len(entries)
    return {"object": "list", "data": lines, "total": len(entries), "next": part[-1].document_id if more else None}


def _line(corpus: Corpus, entry: DocumentEntry, chunks: int) -> Json:
    return document_shape(entry, chunks, corpus.records.groups.of_document(entry.document_id))


def _detail(view: View, service: Service, document_id: str) -> Json:
    corpus = service.corpus
    entry = view.entry(document_id)
    document = corpus.records.documents.load(document_id)
    shown = corpus.chunks(document).to_json()
    return {
        **_line(corpus, entry, len(shown["chunks"])),
        "identity": shown["identity"],
        "pages": pages_of(document),
        "pictures": entry.format == "pdf",
        "replaceable": service.uploads.is_upload(entry.source),
        "chunk_list": shown["chunks"],
    }


def _original(view: View, corpus: Corpus, document_id: str) -> Path:
    """Return the PDF that a document was read from. Errors: `GoneFileError` where it has another content by now."""
    entry = view.entry(document_id)
    if entry.format != "pdf":
        raise NotFoundError(f"{entry.name} is no PDF, so its pages cannot be drawn. Show its text.")
    known = corpus.records.ledger.get(entry.source)
    path = Path(entry.source)
    try:
        same = known is not None and content_fingerprint(path) == known.content
    except FonteError:
        same = False
    if not same:
        raise GoneFileError(f"The file of {entry.name} was moved or changed since it was indexed. Show its text.")
    return path


def _remove(service: Service, entry: DocumentEntry, purge: bool) -> None:
    service.corpus.discard([entry.document_id], purge=purge)
    service.uploads.forget_file(entry.source)


def _set_groups(corpus: Corpus, document_id: str, groups: list[str]) -> None:
    for source in corpus.records.ledger.of_document(document_id):
        corpus.records.groups.set(source, groups)
