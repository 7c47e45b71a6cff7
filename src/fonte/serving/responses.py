"""What the API answers, as models for the OpenAPI document; the objects themselves are made in `shapes.py`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class Shape(BaseModel):
    """An object of the API."""

    model_config = ConfigDict(extra="forbid")


class ErrorDetail(BaseModel):
    """What went wrong, and what to do."""

    message: str
    type: str
    param: str | None
    code: str


class ErrorBody(Shape):
    """Every failure has this shape."""

    error: ErrorDetail


class Box(Shape):
    """A rectangle on a page in points from its top left corner; `page` counts from 1."""

    page: int
    left: float
    top: float
    right: float
    bottom: float


class Effect(Shape):
    """How much a passage moved the answer; see `docs/serving.md`."""

    passage_id: str
    status: str
    value: float | None
    low: float | None
    high: float | None
    group: str
    signature_value: float | None
    unit: str


class Passage(Shape):
    """A passage that was found; offsets are code points of the document's text."""

    passage_id: str
    document: str
    start: int
    end: int
    text: str
    retrieval_score: float
    rerank_score: float | None
    document_id: str
    document_version: str
    title: str
    heading: list[str]
    signature: dict[str, str]


class Citation(Shape):
    """A sentence of the answer tied to the words of a source."""

    passage_id: str
    document: str
    page: int | None
    boxes: list[Box]
    answer_start: int
    answer_end: int
    marker_start: int
    marker_end: int
    source_start: int
    source_end: int
    quote: str
    origin: str
    status: str
    effect: Effect | None = None
    document_id: str
    document_version: str
    title: str
    marker: str = ""


class AnswerBody(BaseModel):
    """An answer with everything needed to check it."""

    question: str
    status: str
    reason: str
    answer: str
    citations: list[Citation]
    passages: list[Passage]
    invented_markers: list[str]
    dropped_passages: list[str]
    record: str
    seconds: dict[str, float]
    mode: str
    effects: list[Effect] | None = None


class RecordedAnswer(AnswerBody):
    """A recorded answer."""

    created: str
    language_model: str
    seed: int
    settings: dict[str, Any]
    measured: list[str]


class Support(Shape):
    """How well a passage supports a sentence, 0 to 1, by the judgment of `scorer`; above .5 is supported."""

    passage_id: str
    value: float
    status: str
    scorer: str
    windows: int
    calibrated: bool


class CitationSupport(Support):
    """The support of the citation whose marker begins at `marker_start`."""

    marker_start: int


class PassageSupport(Support):
    """The support of a passage for the sentence that it supports best."""

    answer_start: int
    answer_end: int


class SupportReply(Shape):
    """Support of every citation, in their order, and of every passage."""

    record: str
    scorer: str
    citations: list[CitationSupport]
    passages: list[PassageSupport]


class RecordLine(Shape):
    """A line of the list of answers."""

    id: str
    created: str
    question: str
    status: str
    mode: str
    model: str


class RecordList(Shape):
    """Recorded answers, the newest first."""

    object: str
    data: list[RecordLine]


class RewritingShape(Shape):
    """What was asked instead of what was said, and by whom it was put so: `none`, `model` or `kept`."""

    original: str
    question: str
    by: str
    reason: str


class ChatExtension(BaseModel):
    """fonte's part of a chat completion."""

    answer: AnswerBody
    rewriting: RewritingShape | None
    ignored: list[str]


class UrlCitation(Shape):
    """Where a citation stands in the answer, and a link to its source."""

    start_index: int
    end_index: int
    title: str
    url: str


class Annotation(Shape):
    """OpenAI's annotation."""

    type: str
    url_citation: UrlCitation


class ReplyMessage(Shape):
    """The assistant's message."""

    role: str
    content: str
    refusal: str | None
    annotations: list[Annotation]


class Choice(Shape):
    """The one choice there is."""

    index: int
    message: ReplyMessage
    logprobs: None
    finish_reason: str


class Usage(Shape):
    """Tokens through the language model; 0 where it wrote none."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatCompletion(Shape):
    """OpenAI's chat completion with fonte's extension."""

    id: str
    object: str
    created: int
    model: str
    choices: list[Choice]
    usage: Usage
    x_fonte: ChatExtension


class ModelCard(Shape):
    """A model that may be asked for."""

    id: str
    object: str
    created: int
    owned_by: str
    x_fonte: dict[str, Any]


class ModelList(Shape):
    """The models that may be asked for."""

    object: str
    data: list[ModelCard]


class SearchReply(Shape):
    """Passages, best first."""

    passages: list[Passage]
    seconds: dict[str, float]


class RerankText(Shape):
    """A ranked text."""

    text: str


class RerankResult(Shape):
    """A document's place; `index` is its place in the request."""

    index: int
    relevance_score: float
    document: RerankText | None = None


class RerankReply(Shape):
    """Documents, most relevant first."""

    id: str
    object: str
    model: str
    results: list[RerankResult]
    usage: dict[str, int]
    meta: dict[str, Any]


class EffectsReply(Shape):
    """How far a measurement is; once it is done, what `fonte explain --json` prints, and the answer with effects."""

    record: str
    state: str
    method: str
    level: str
    done: int
    total: int
    message: str
    explanation: dict[str, Any] | None
    answer: AnswerBody | None


class Health(Shape):
    """The server runs."""

    status: str
    version: str


class Readiness(Shape):
    """Whether questions are answered; `reason` where not."""

    status: str
    reason: str


def failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the failures that any route can answer, and `statuses`, for its documentation."""
    everywhere = (400, 401, 403, 404, 408, 413, 421, 429, 500, 503, 504)
    return {status: {"model": ErrorBody} for status in sorted({*everywhere, *statuses})}
