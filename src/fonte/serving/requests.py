"""What clients send, checked: OpenAI's fields that mean something here, and fonte's own under `x_fonte`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

QUESTION_CHARACTERS = 20_000
MESSAGE_CHARACTERS = 200_000

Groups = Annotated[list[Annotated[str, Field(min_length=1, max_length=100)]], Field(max_length=50)]
Question = Annotated[str, Field(min_length=1, max_length=QUESTION_CHARACTERS)]


class Body(BaseModel):
    """A request body; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Options(Body):
    """fonte's own wishes for one answer; what is absent is as the corpus is set."""

    where: str | None = Field(default=None, max_length=20_000, description="Only documents whose metadata match.")
    mode: Literal["auto", "quote", "write"] | None = None
    passages: int | None = Field(default=None, ge=1, le=200)
    index: Literal["hybrid", "dense", "lexical"] | None = Field(default=None, description="How passages are found.")
    rewrite: bool = Field(default=True, description="Rewrite follow-up questions from the conversation.")


class ContentPart(BaseModel):
    """A part of a message; only text is read."""

    type: str
    text: str = Field(default="", max_length=MESSAGE_CHARACTERS)


class Message(BaseModel):
    """A message of a conversation. Only `user` and `assistant` are read; instructions do not reach the model."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Annotated[str, Field(max_length=MESSAGE_CHARACTERS)] | list[ContentPart] | None = None

    @property
    def text(self) -> str:
        """The text of all parts."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type in ("text", "input_text"))
        return self.content or ""


class StreamOptions(BaseModel):
    """OpenAI's options of a stream."""

    include_usage: bool = False


class ChatRequest(BaseModel):
    """A chat completion as OpenAI's clients ask for it. Fields that are not listed are ignored, and named as such."""

    model_config = ConfigDict(extra="allow")

    model: str = "fonte"
    messages: list[Message] = Field(min_length=1, max_length=1000)
    stream: bool = False
    stream_options: StreamOptions | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1, le=100_000)
    max_completion_tokens: int | None = Field(default=None, ge=1, le=100_000)
    seed: int | None = Field(default=None, ge=-(2**63), lt=2**63)
    n: Literal[1] | None = None
    x_fonte: Options | None = None


class SearchRequest(Body):
    """A search without an answer."""

    question: Question
    where: str | None = Field(default=None, max_length=20_000)
    passages: int | None = Field(default=None, ge=1, le=200)
    index: Literal["hybrid", "dense", "lexical"] | None = None


class RerankText(BaseModel):
    """A text to rank, as an object."""

    text: str = Field(max_length=MESSAGE_CHARACTERS)


class RerankRequest(BaseModel):
    """A re-ranking as Cohere's and Jina's clients ask for it."""

    model_config = ConfigDict(extra="allow")

    model: str | None = None
    query: Question
    documents: list[Annotated[str, Field(max_length=MESSAGE_CHARACTERS)] | RerankText] = Field(
        min_length=1, max_length=1000
    )
    top_n: int | None = Field(default=None, ge=1)
    return_documents: bool = False


class EffectsRequest(Body):
    """Which effects to measure; see `fonte explain --help`."""

    method: Literal["leave_one_out", "balanced", "clime", "lasso", "shapley", "local_shapley"] = "leave_one_out"
    level: Literal["passage", "sentence"] = "passage"
    budget: float | None = Field(default=None, ge=0, le=3600, description="Seconds to spend.")


class WithoutRequest(Body):
    """Which passages of an answer to leave out when it is asked again."""

    passage_ids: list[Annotated[str, Field(max_length=64)]] = Field(min_length=1, max_length=200)
    stream: bool = False
    seed: int | None = Field(default=None, ge=-(2**63), lt=2**63)


class GroupsRequest(Body):
    """Who may see a document; empty: everybody."""

    groups: Groups


def ignored_fields(request: ChatRequest) -> list[str]:
    """Return the fields of a chat request that have no effect here."""
    extra: dict[str, Any] = request.model_extra or {}
    roles = sorted({message.role for message in request.messages} - {"user", "assistant"})
    return sorted([*extra, *(f"messages.{role}" for role in roles)])
