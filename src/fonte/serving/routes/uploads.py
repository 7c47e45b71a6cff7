"""Files over the network: sending, replacing, and how far reading them is."""

from __future__ import annotations

import asyncio
import shutil
from typing import Annotated

from fastapi import APIRouter, File, Form, Path, UploadFile
from starlette.responses import Response

from fonte.serving.access import ForbiddenError, NotFoundError, View
from fonte.serving.document_responses import UploadList, UploadShape
from fonte.serving.json_response import JsonResponse
from fonte.serving.responses import failures
from fonte.serving.routes.common import DocumentId, ServiceOf, ViewOf
from fonte.serving.service import Service
from fonte.serving.shapes import Json
from fonte.serving.uploads import Draft, Upload

router = APIRouter(prefix="/v1", tags=["documents"])

FileOf = Annotated[UploadFile, File(description="The file; its name decides how it is read.")]


@router.post("/documents", status_code=202, response_model=UploadShape, responses=failures(415, 507))
async def upload(
    view: ViewOf,
    service: ServiceOf,
    file: FileOf,
    groups: Annotated[list[str] | None, Form(description="Who may see it; by default the groups of the key.")] = None,
) -> Response:
    """Add a file. It is kept when this returns, and read in the background: follow it at `/v1/uploads/{id}`."""
    service.require_uploads(view)
    chosen = _groups(view, groups)
    draft = await asyncio.to_thread(service.uploads.draft, file.filename or "document.txt")
    return await _taken(service, view, draft, file, chosen)


@router.put("/documents/{document}", status_code=202, response_model=UploadShape, responses=failures(415, 507))
async def replace(document: DocumentId, view: ViewOf, service: ServiceOf, file: FileOf) -> Response:
    """Replace the file of an uploaded document; until the new one is read, and if it cannot be, the old one answers."""
    service.require_uploads(view)
    entry = await asyncio.to_thread(view.entry, document)
    draft = await asyncio.to_thread(service.uploads.redraft, entry.source)
    groups = await asyncio.to_thread(service.corpus.records.groups.of_document, document)
    return await _taken(service, view, draft, file, tuple(sorted(groups)))


@router.get("/uploads", response_model=UploadList, responses=failures())
async def list_uploads(view: ViewOf, service: ServiceOf) -> Response:
    """List the uploads of this key, the newest first."""
    known = await asyncio.to_thread(service.uploads.known)
    return JsonResponse({"object": "list", "data": [_shape(each) for each in known if _is_own(view, each)][:1000]})


@router.get("/uploads/{upload}", response_model=UploadShape, responses=failures())
async def upload_state(upload: Annotated[str, Path(max_length=64)], view: ViewOf, service: ServiceOf) -> Response:
    """Return how far an upload is."""
    known = await asyncio.to_thread(service.uploads.get, upload)
    if known is None or not _is_own(view, known):
        raise NotFoundError(f"There is no upload {upload!r}.")
    return JsonResponse(_shape(known))


async def _taken(service: Service, view: View, draft: Draft, file: UploadFile, groups: tuple[str, ...]) -> Response:
    def take() -> Upload:
        try:
            with draft.part.open("wb") as target:
                shutil.copyfileobj(file.file, target)
            return service.uploads.accept(draft, groups, view.principal.id)
        except BaseException:
            draft.discard()
            raise

    return JsonResponse(_shape(await asyncio.to_thread(take)), 202)


def _groups(view: View, wanted: list[str] | None) -> tuple[str, ...]:
    """Return whose document it becomes: nobody gives a document to a group that they are not in."""
    principal = view.principal
    chosen = {name for name in wanted or () if name}
    if principal.admin:
        return tuple(sorted(chosen))
    if not chosen <= principal.groups:
        raise ForbiddenError("This key may give documents to its own groups only.")
    return tuple(sorted(chosen or principal.groups))


def _is_own(view: View, upload: Upload) -> bool:
    return view.principal.admin or upload.asker == view.principal.id


def _shape(upload: Upload) -> Json:
    return {
        "id": upload.id,
        "name": upload.name,
        "bytes": upload.bytes,
        "groups": list(upload.groups),
        "created": upload.created,
        "state": upload.state,
        "reason": upload.reason,
        "documents": list(upload.documents),
    }
