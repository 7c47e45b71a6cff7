"""What the API answers about documents and uploads, as models for the OpenAPI document."""

from __future__ import annotations

from fonte.serving.responses import Box, Shape


class DocumentLine(Shape):
    """A document; `groups` empty means everybody."""

    document_id: str
    document_version: str
    document: str
    title: str
    format: str
    chunks: int
    characters: int
    metadata: dict[str, str]
    groups: list[str]


class DocumentList(Shape):
    """A part of the documents that can be seen; `next` is the `after` of the next part, null at the end."""

    object: str
    data: list[DocumentLine]
    total: int
    next: str | None


class ChunkLine(Shape):
    """A chunk of a document."""

    passage_id: str
    ordinal: int
    start: int
    end: int
    heading: list[str]
    header: str
    signature: dict[str, str]
    page: int | None
    line: int | None
    sheet: str


class DocumentDetail(DocumentLine):
    """A document with how it was cut; `pages` is 0 for formats without, `pictures` says whether pages can be drawn."""

    identity: list[str]
    pages: int
    pictures: bool
    replaceable: bool
    chunk_list: list[ChunkLine]


class DocumentText(Shape):
    """A piece of a document's text: `text` is `[start:end]` of its `characters` code points."""

    document_id: str
    document_version: str
    start: int
    end: int
    characters: int
    text: str


class PlaceShape(Shape):
    """Where a span lies in the original."""

    page: int | None
    boxes: list[Box]
    heading: list[str]
    line: int | None
    sheet: str


class PageSize(Shape):
    """The size of a page in points, as displayed."""

    page: int
    width: float
    height: float


class PageList(Shape):
    """The pages of a PDF."""

    pages: list[PageSize]


class UploadShape(Shape):
    """An uploaded file; see `docs/serving.md` for its states."""

    id: str
    name: str
    bytes: int
    groups: list[str]
    created: str
    state: str
    reason: str
    documents: list[str]


class UploadList(Shape):
    """Uploads, the newest first."""

    object: str
    data: list[UploadShape]


class Removed(Shape):
    """A document that is gone."""

    document_id: str
    deleted: bool
    purged: bool


class GroupsShape(Shape):
    """Who may see the file that a document comes from, and every document of it."""

    document_id: str
    groups: list[str]
